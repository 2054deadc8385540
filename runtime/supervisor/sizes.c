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
#include <sys/sysinfo.h>
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
	const char *directory; /* below scratch_fd */
	const char *name;      /* there, and of the host's file below /proc */
	size_fn *make;
	bool changes;
} sized_files[] = {
	{ TREE_SIZE, "cpuinfo", size_cpuinfo, false },
	{ TREE_SIZE, "cpus", size_cpus, false },
	{ TREE_SIZE, "stat", size_stat, true },
	{ TREE_SIZE, "meminfo", size_meminfo, true },
	{ TREE_SIZE, "loadavg", size_loadavg, true },
	{ TREE_CGROUP, "memory.current", size_memory_current, true },
	{ TREE_CGROUP, "memory.max", size_memory_max, true },
	{ TREE_CGROUP, "pids.current", size_pids_current, true },
	{ TREE_CGROUP, "pids.max", size_pids_max, true },
	{ TREE_CGROUP, "cpu.max", size_cpu_max, false },
	{ TREE_CGROUP, "cpuset.cpus.effective", size_cpus, false },
};

struct sizes {
	struct supervisor *supervisor;
	struct loop_timer timer;
	struct size_facts facts;
	cpu_set_t usable; /* by a container that is not bound to processors */
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

static void add_own_memory(struct member *p, void *ctx)
{
	uint64_t *held = ctx, pages;

	if (usage_own_pages(p->dir_fd, &pages))
		*held += pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Without a limit nobody measures shared memory. */
static void find_memory(struct supervisor *s)
{
	struct size_facts *f = &s->sizes->facts;
	struct memory_stats m;

	if (s->memory) {
		memory_stats(s->memory, &m);
		f->memory_limit = m.limit;
		f->memory_held = m.held;
		return;
	}
	f->memory_limit = UINT64_MAX;
	f->memory_held = 0;
	members_each(&s->members, MEMBERS_BELOW_SUPERVISOR, add_own_memory, &f->memory_held);
}

static void find_limits(struct supervisor *s)
{
	struct size_facts *f = &s->sizes->facts;

	f->tasks_limit = s->tasks ? tasks_limit(s->tasks) : UINT64_MAX;
	f->quota_us = s->limits.cpu.quota_us;
	f->period_us = s->limits.cpu.period_us;
}

/* The memory lives as long as the supervisor. */
static int open_sizes(struct supervisor *s, struct sl_err *err)
{
	struct sizes *z = calloc(1, sizeof(*z));

	s->sizes = z;
	if (!z || !(z->host = malloc(SIZES_ROOM)) || !(z->text = malloc(SIZES_ROOM)))
		return sl_err_set(err, ENOMEM, "the files of the container's size");
	z->supervisor = s;
	if (!s->cpus_bound && sched_getaffinity(0, sizeof(z->usable), &z->usable) < 0)
		return sl_err_set(err, errno, "the usable processors");
	z->facts.cpus = s->cpus_bound ? &s->cpus : &z->usable;
	return 0;
}

/* Opens the files of one directory that are shown, and writes them; adds their number. */
static int fill_directory(
	struct supervisor *s, const char *directory, size_t *n, struct sl_err *err)
{
	auto_fd int dir_fd = openat(s->scratch_fd, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0 && errno != ENOENT)
		return sl_err_set(err, errno, "open %s", directory);
	for (size_t i = 0; i < COUNT(sized_files); i++) {
		int *fd = &s->sizes->files[i].fd;

		if (strcmp(sized_files[i].directory, directory) != 0)
			continue;
		*fd = dir_fd < 0 ? -1
				 : openat(dir_fd, sized_files[i].name,
					   O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
		if (*fd < 0 && errno == ENOENT)
			continue;
		if (*fd < 0 || write_size(s, i) < 0)
			return sl_err_set(err, errno, "write %s", sized_files[i].name);
		++*n;
	}
	return 0;
}

static void close_sizes(struct supervisor *s)
{
	free(s->sizes->host);
	free(s->sizes->text);
	free(s->sizes);
	s->sizes = NULL;
}

int sizes_fill(struct making *b, struct sl_err *err)
{
	const struct plan_fs *fs = &b->plan->fs;
	struct supervisor *s = b->s;
	size_t n = 0;

	if (!(fs->size_cpus || fs->size_memory || fs->size_cgroup) || s->scratch_fd < 0)
		return 0;
	if (open_sizes(s, err) < 0)
		return -1;
	find_memory(s);
	find_limits(s);
	if (fill_directory(s, TREE_SIZE, &n, err) < 0 ||
		fill_directory(s, TREE_CGROUP, &n, err) < 0)
		return sl_err_wrap(err, "the files of the container's size");
	if (n == 0)
		close_sizes(s);
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
	find_limits(s);
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
	find_memory(s);
	find_limits(s);
	for (size_t i = 0; i < COUNT(sized_files); i++)
		if (s->sizes->files[i].fd >= 0)
			write_size(s, i);
}

/* The counts are in units of mem_unit bytes, also in the kernel's answer. */
static void show_memory(const struct memory_stats *m, struct sysinfo *si)
{
	const uint64_t unit = si->mem_unit ? si->mem_unit : 1;
	const uint64_t total = m->limit / unit < si->totalram ? m->limit / unit : si->totalram;
	const uint64_t held = m->held / unit < total ? m->held / unit : total;

	si->totalram = total;
	si->freeram = total - held < si->freeram ? total - held : si->freeram;
	si->sharedram = si->bufferram = 0;
	si->totalswap = si->freeswap = 0;
	si->totalhigh = si->freehigh = 0;
}

void sizes_on_sysinfo(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	struct memory_stats m = { .limit = UINT64_MAX };
	struct sysinfo si;

	if (sysinfo(&si) < 0) {
		notif_deny(v, errno);
		return;
	}
	if (s->memory)
		memory_stats(s->memory, &m);
	if (m.limit != UINT64_MAX)
		show_memory(&m, &si);
	if (notif_write(c, c->args[0], &si, sizeof(si)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, 0);
}
