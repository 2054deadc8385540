/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "shim/task/inside.h"

static void write_log(void *ctx, enum runtime_level level, const char *text)
{
	const struct task *t = ctx;

	if (level != RUNTIME_DEBUG)
		shim_log(t->shim, "warning", t->id, text);
}

struct runtime work_runtime(const struct task *t)
{
	return (struct runtime){
		.arena = arena_new(),
		.root = t->root,
		.config = t->config,
		.programs = t->shim->programs,
		.log = write_log,
		.log_ctx = (void *)t,
	};
}

int work_await_logger(const struct process *p, struct sl_err *err)
{
	return p->stdio.logger.ready_fd < 0 ? 0 : logger_await(&p->stdio.logger, err);
}
