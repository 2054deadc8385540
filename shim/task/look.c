/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker that was killed may have done its work or not. Its call fails, and before that the
 * container is asked for its status, so that the shim goes on with the true one.
 */
#include <stdlib.h>
#include <string.h>

#include "shim/task/inside.h"

struct task_look {
	struct shim *shim;
	const struct task *task; /* for the worker; the shim may have freed it */
	char *id;
	struct ttrpc_call *call;
	enum look_after after;
	struct sl_err why;
};

static int look_read(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct task_look *l = arg;
	const struct runtime rt = work_runtime(l->task);
	auto_container struct container c = CONTAINER_NONE;
	enum record_status *status = arena_alloc(rt.arena, sizeof(*status));

	if (container_open(&rt, l->task->id, CONTAINER_READ, &c, err) < 0)
		return -1;
	*status = c.status;
	ret->bytes = status;
	ret->n_bytes = sizeof(*status);
	return 0;
}

/* A container whose status could not be read counts as one that does not run: Kill and Delete still
 * end it. */
static void look_apply(struct task *t, enum look_after after, enum record_status status)
{
	const bool runs = status == RECORD_RUNNING || status == RECORD_PAUSED;

	if (runs)
		task_set_paused(t, status == RECORD_PAUSED);
	if (after == LOOK_AFTER_PAUSE)
		return;
	t->main.stage = runs ? PROCESS_RUNNING : PROCESS_CREATED;
	if (runs)
		tell_started(&t->main);
	exits_settle(t);
}

static void looked(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct task_look *l = ctx;
	struct task *t = l->id ? task_find(l->shim, l->id) : NULL;
	enum record_status status = RECORD_STOPPED;

	if (!err && r->n_bytes == sizeof(status))
		memcpy(&status, r->bytes, sizeof(status));
	if (t)
		look_apply(t, l->after, status);
	answer_error(l->call, &l->why);
	free(l->id);
	free(l);
}

void look_begin(
	struct task *t, struct ttrpc_call *call, enum look_after after, const struct sl_err *why)
{
	struct task_look *l = malloc(sizeof(*l));
	struct sl_err err;

	if (!l) {
		if (after == LOOK_AFTER_START)
			look_apply(t, after, RECORD_STOPPED);
		answer_error(call, why);
		return;
	}
	*l = (struct task_look){ t->shim, t, strdup(t->id), call, after, *why };

	const struct worker_job job = {
		.run = look_read,
		.arg = l,
		.keep_fds = { t->shim->log_fd },
		.n_keep = 1,
		.done = looked,
		.ctx = l,
	};

	if (!l->id)
		sl_err_set(&err, ENOMEM, "look");
	else if (worker_start(&t->shim->workers, &job, &err) == 0)
		return;
	looked(l, NULL, &err);
}
