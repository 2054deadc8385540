/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that show the container's size (limits/size.h, tree/size.c). They are written before
 * the program runs. Those that change are written again every two seconds while the container
 * uses processor time; while it sleeps the supervisor looks less often and writes nothing. A
 * reader never finds a file empty or shorter than before: the file is overwritten in place and
 * padded with spaces.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/count.h"
#include "runtime/base/io.h"
#include "runtime/limits/size.h"
#include "runtime/limits/spent.h"
#include "runtime/supervisor/build.h"

/* The size of one file on the largest machine. A longer file is not written. */
#define SIZES_ROOM ((size_t)1 << 20)

/* A container that uses less processor time than this in two seconds counts as sleeping. */
#define ASLEEP_NS 2000000

/* A thread measures the memory that the container holds; the result is read after this time. */
#define HELD_MS 30

static const struct {
	const char *name; /* in the tree, and of the host's file below /proc */
	size_fn *make;
	bool changes;
} sized_files[] = {
	{ "cpuinfo", size_cpuinfo, false },
	{ "cpus", size_cpus, false },
	{ "stat", size_stat, true },
	{ "meminfo", size_meminfo, true },
	{ "loadavg", size_loadavg, true },
};

struct sizes {
	struct supervisor *supervisor;
	struct loop_timer timer;
	struct size_facts facts;
	struct spent spent;
	uint64_t spent_ns;
	int64_t looked_ms;
	bool asked; /* a new measurement of memory is under way */
	struct {
		int fd; /* -1: the file is not shown */
		size_t len;
	} files[COUNT(sized_files)];
	char *host, *text; /* SIZES_ROOM bytes each */
};

/* The spaces go before the last newline. */
static size_t fill_up(char *text, size_t len, size_t to)
{
	if (len >= to || len == 0)
		return len;
	memset(text + len - 1, ' ', to - len);
	text[to - 1] = '\n';
	return to;
}

static int write_size(struct supervisor *s, size_t i)
{
	struct sizes *z = s->sizes;
	size_t len;

	if (io_slurp(s->proc_fd, sized_files[i].name, z->host, SIZES_ROOM) < 0)
		z->host[0] = '\0';
	len = sized_files[i].make(&z->facts, z->host, z->text, SIZES_ROOM);
	len = fill_up(z->text, len, z->files[i].len);
	z->files[i].len = len;
	return len > 0 && pwrite(z->files[i].fd, z->text, len, 0) == (ssize_t)len ? 0 : -1;
}

static void find_memory(struct supervisor *s)
{
	struct memory_stats m;

	if (!s->memory)
		return;
	memory_stats(s->memory, &m);
	s->sizes->facts.memory_limit = m.limit;
	s->sizes->facts.memory_held = m.held;
}

/* The memory lives as long as the supervisor. */
static int open_sizes(struct supervisor *s, struct sl_err *err)
{
	struct sizes *z = calloc(1, sizeof(*z));

	s->sizes = z;
	if (!z || !(z->host = malloc(SIZES_ROOM)) || !(z->text = malloc(SIZES_ROOM)))
		return sl_err_set(err, ENOMEM, "the files of the container's size");
	z->supervisor = s;
	z->facts.cpus = &s->cpus;
	return 0;
}

int sizes_fill(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	auto_fd int dir_fd = -1;

	if ((!b->plan->fs.size_cpus && !b->plan->fs.size_memory) || s->scratch_fd < 0)
		return 0;
	dir_fd = openat(s->scratch_fd, TREE_SIZE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "open the files of the container's size");
	if (open_sizes(s, err) < 0)
		return -1;
	find_memory(s);
	for (size_t i = 0; i < COUNT(sized_files); i++) {
		int *fd = &s->sizes->files[i].fd;

		*fd = openat(dir_fd, sized_files[i].name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
		if (*fd < 0 && errno == ENOENT)
			continue;
		if (*fd < 0 || write_size(s, i) < 0)
			return sl_err_set(err, errno, "write %s", sized_files[i].name);
	}
	return 0;
}

static void on_refresh(struct loop_timer *t);

static void write_changing(struct supervisor *s)
{
	struct sizes *z = s->sizes;
	const int64_t now = clock_now_ms();

	size_look_load(&z->facts.load, &s->members, now - z->looked_ms);
	z->looked_ms = now;
	find_memory(s);
	for (size_t i = 0; i < COUNT(sized_files); i++)
		if (z->files[i].fd >= 0 && sized_files[i].changes)
			write_size(s, i);
	z->asked = false;
	loop_set_timer(&s->loop, &z->timer, now + SIZE_STEP_MS - HELD_MS, on_refresh);
}

static void on_refresh(struct loop_timer *t)
{
	struct sizes *z = LOOP_OWNER(t, struct sizes, timer);
	struct supervisor *s = z->supervisor;
	uint64_t spent_ns;

	if (z->asked) {
		write_changing(s);
		return;
	}
	spent_ns = spent_look(&z->spent, &s->members);
	z->asked = spent_ns - z->spent_ns >= ASLEEP_NS;
	z->spent_ns = spent_ns;
	if (z->asked && s->memory)
		memory_look(s->memory);
	loop_set_timer(&s->loop, t,
		z->asked ? clock_now_ms() + HELD_MS : clock_next_ms(LIMITS_SLEEP_MS), on_refresh);
}

void sizes_begin(struct supervisor *s)
{
	s->sizes->looked_ms = clock_now_ms();
	loop_set_timer(&s->loop, &s->sizes->timer, s->sizes->looked_ms + SIZE_STEP_MS, on_refresh);
}

void sizes_change(struct supervisor *s)
{
	for (size_t i = 0; i < COUNT(sized_files); i++)
		if (s->sizes->files[i].fd >= 0)
			write_size(s, i);
}
