/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/container/inside.h"
#include "runtime/members/members.h"

struct collector {
	pid_t *pids;
	size_t n;
	size_t cap;
	bool failed;
};

static void collect(pid_t pid, void *ctx)
{
	struct collector *c = ctx;

	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 64;
		pid_t *bigger = realloc(c->pids, cap * sizeof(*bigger));

		if (!bigger) {
			c->failed = true;
			return;
		}
		c->pids = bigger;
		c->cap = cap;
	}
	c->pids[c->n++] = pid;
}

static int list(struct arena *a, const struct container *c, struct container_processes *ret,
	struct sl_err *err)
{
	const struct members m = {
		.proc_fd = c->proc_fd,
		.mount_ids = c->record.mount_ids,
		.n_mount_ids = c->record.n_mount_ids,
		.except = { c->record.supervisor.pid, c->record.init.pid },
	};
	struct collector k = { 0 };
	int n = members_each(&m, collect, &k);

	if (n < 0 || k.failed) {
		free(k.pids);
		return sl_err_set(
			err, k.failed ? ENOMEM : errno, "list the processes of %s", c->id);
	}
	ret->pids = arena_array(a, k.n + 1, sizeof(*ret->pids));
	if (k.n)
		memcpy(ret->pids, k.pids, k.n * sizeof(*k.pids));
	ret->n = k.n;
	free(k.pids);
	return 0;
}

static uint64_t pss_bytes(int proc_fd, pid_t pid)
{
	char path[48], buf[4096], *p;

	snprintf(path, sizeof(path), "%d/smaps_rollup", pid);
	if (io_slurp(proc_fd, path, buf, sizeof(buf)) < 0)
		return 0;
	p = strstr(buf, "\nPss:");
	return p ? strtoull(p + 5, NULL, 10) * 1024 : 0;
}

static struct container_usage use(const struct container *c, const struct container_processes *p)
{
	const uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	struct container_usage u = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		struct proc_stat s;

		if (proc_read_stat(c->proc_fd, p->pids[i], &s) < 0)
			continue;
		u.user_ns += s.user_ticks * tick_ns;
		u.system_ns += s.system_ticks * tick_ns;
		u.memory_bytes += pss_bytes(c->proc_fd, p->pids[i]);
	}
	return u;
}

int container_processes(const struct runtime *rt, const struct container *c,
	struct container_processes *ret, struct sl_err *err)
{
	*ret = (struct container_processes){ 0 };
	if (c->status == RECORD_STOPPED)
		return 0;
	return container_need_alive(c, err) < 0 ? -1 : list(rt->arena, c, ret, err);
}

int container_stats(const struct runtime *rt, const struct container *c,
	struct container_stats *ret, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_STATS };
	struct container_processes p;
	struct control_reply reply;

	if (container_need_alive(c, err) < 0 || control_call(c->dir_fd, &req, &reply, err) < 0 ||
		list(rt->arena, c, &p, err) < 0)
		return -1;
	*ret = (struct container_stats){
		.usage = use(c, &p),
		.n_processes = p.n,
		.supervisor = reply.stats,
	};
	return 0;
}
