/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runtime/container/internal.h"

struct collector {
	pid_t *pids;
	size_t n;
	size_t cap;
	bool failed;
};

static void collect_member(struct member *p, void *ctx)
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
	c->pids[c->n++] = p->pid;
}

static int list(struct arena *a, const struct container *c, struct container_processes *ret,
	struct sl_err *err)
{
	struct members_mounts mounts;
	const struct members m = container_members(c, &mounts);
	struct collector k = { 0 };
	int n = members_each(&m, MEMBERS_ANYWHERE, collect_member, &k);

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

static struct container_reported *add_reported(
	struct arena *a, struct container_processes *p, size_t n)
{
	struct container_reported *bigger = arena_array(a, p->n_reported + n, sizeof(*bigger));

	if (p->n_reported)
		memcpy(bigger, p->reported, p->n_reported * sizeof(*bigger));
	p->reported = bigger;
	p->n_reported += n;
	return bigger + p->n_reported - n;
}

/* If the container ends meanwhile, it has no exec'd processes. */
static int list_reported(struct arena *a, const struct container *c,
	struct container_processes *ret, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_EXECS };
	struct control_reply reply;

	*add_reported(a, ret, 1) = (struct container_reported){
		c->record.supervisor.pid,
		c->record.workload.pid,
	};
	do {
		struct container_reported *rows;

		if (control_call(c->dir_fd, &req, &reply, err) < 0)
			return proc_alive(c->proc_fd, &c->record.supervisor) ? -1 : 0;
		rows = add_reported(a, ret, reply.execs.n_rows);
		for (uint32_t i = 0; i < reply.execs.n_rows; i++)
			rows[i] = (struct container_reported){
				reply.execs.rows[i].reported,
				req.pid = reply.execs.rows[i].pid,
			};
	} while (reply.execs.n_rows == CONTROL_EXECS_ROWS);
	return 0;
}

int container_processes(const struct runtime *rt, const struct container *c,
	struct container_processes *ret, struct sl_err *err)
{
	*ret = (struct container_processes){ 0 };
	if (c->status == RECORD_STOPPED)
		return 0;
	if (container_need_alive(c, err) < 0 || list(rt->arena, c, ret, err) < 0)
		return -1;
	return list_reported(rt->arena, c, ret, err);
}
