/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/container/internal.h"
#include "runtime/store/store.h"

struct usage_rows {
	struct container_process_usage *rows;
	size_t n, room;
};

/* Adds a process. One that cannot be read has ended; it is left out of the sums, also for want
 * of memory. */
static void add_row(struct member *p, void *ctx)
{
	struct usage_rows *c = ctx;
	struct container_process_usage row = { .pid = p->pid };

	if (usage_memory(p->dir_fd, &row.memory) < 0)
		return;
	if (c->n == c->room) {
		size_t room = c->room ? c->room * 2 : 64;
		struct container_process_usage *bigger = realloc(c->rows, room * sizeof(*bigger));

		if (!bigger)
			return;
		c->rows = bigger;
		c->room = room;
	}
	c->rows[c->n++] = row;
}

static void add_up(struct arena *a, const struct usage_rows *c, struct container_stats *st)
{
	st->processes = arena_array(a, c->n + 1, sizeof(*st->processes));
	st->n_processes = c->n;
	for (size_t i = 0; i < c->n; i++) {
		st->processes[i] = c->rows[i];
		st->memory.anon += c->rows[i].memory.anon;
		st->memory.shmem += c->rows[i].memory.shmem;
		st->memory.file += c->rows[i].memory.file;
		st->memory.rss += c->rows[i].memory.rss;
	}
}

int container_read_left(const struct container *c, struct control_stats *ret, struct sl_err *err)
{
	auto_fd int fd = openat(c->dir_fd, STORE_STATS, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct control_stats st;

	if (fd < 0 || read(fd, &st, sizeof(st)) != (ssize_t)sizeof(st) ||
		st.n_rows > CONTROL_STATS_ROWS)
		return sl_err_set(err, 0, "container not running");
	*ret = st;
	return 0;
}

int container_stats(const struct runtime *rt, const struct container *c,
	struct container_stats *ret, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_STATS };
	struct container_stats stats = { 0 };
	struct members_mounts mounts;
	const struct members m = container_members(c, &mounts);
	struct usage_rows k = { 0 };
	struct control_reply reply;

	if (c->status == RECORD_STOPPED) {
		*ret = stats;
		return container_read_left(c, &ret->counted, err);
	}
	if (container_need_alive(c, err) < 0 || control_call(c->dir_fd, &req, &reply, err) < 0)
		return -1;
	if (members_each(&m, MEMBERS_ANYWHERE, add_row, &k) < 0) {
		free(k.rows);
		return sl_err_set(err, errno, "look at the processes of %s", c->id);
	}
	add_up(rt->arena, &k, &stats);
	free(k.rows);
	stats.counted = reply.stats;
	*ret = stats;
	return 0;
}
