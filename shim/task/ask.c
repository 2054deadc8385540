/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "shim/task/inside.h"

static void answered(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct ask *a = ctx;
	struct task *t = a->id ? task_find(a->shim, a->id) : NULL;

	if (!err && a->changed && t)
		a->changed(t);
	if (err && r && r->died && a->changed && t)
		look_begin(t, a->call, LOOK_AFTER_PAUSE, err);
	else if (err)
		answer_error(a->call, err);
	else
		ttrpc_answer_bytes(a->call, r->bytes, r->n_bytes);
	free(a->id);
	free(a);
}

void ask_begin(struct task *t, struct ttrpc_call *call, const struct ask *what)
{
	struct ask *a = malloc(sizeof(*a));
	struct sl_err err;

	if (!a) {
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "no memory");
		return;
	}
	*a = *what;
	a->shim = t->shim;
	a->task = t;
	a->call = call;
	a->id = strdup(t->id);

	const struct worker_job job = {
		.run = a->run,
		.arg = a,
		.keep_fds = { t->shim->log_fd },
		.n_keep = 1,
		.done = answered,
		.ctx = a,
	};

	if (!a->id)
		sl_err_set(&err, ENOMEM, "ask");
	else if (worker_start(&t->shim->workers, &job, &err) == 0)
		return;
	answered(a, NULL, &err);
}
