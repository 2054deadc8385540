/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "runtime/container/internal.h"
#include "runtime/hooks/hooks.h"

static const char *hook_state(const struct runtime *rt, const struct container *c)
{
	struct spec_state state;
	size_t len;

	container_state(rt, c, &state);
	return spec_state_render(rt->arena, &state, false, &len);
}

int container_poststart(const struct runtime *rt, const struct container *c, struct sl_err *err)
{
	const struct spec_hook_list *list = &c->record.hooks.poststart;
	const struct hooks_place where = HOOKS_HERE(c->record.bundle);

	if (list->n == 0 || hooks_run(list, "poststart", hook_state(rt, c), &where, err) == 0)
		return 0;
	proc_signal(c->proc_fd, &c->record.workload, SIGKILL);
	return -1;
}

static void warn(const struct sl_err *err, void *ctx)
{
	container_log(ctx, RUNTIME_WARNING, err->msg);
}

void container_poststop(const struct runtime *rt, const struct container *c)
{
	const struct spec_hook_list *list = &c->record.hooks.poststop;
	const struct hooks_place where = HOOKS_HERE(c->record.bundle);

	if (list->n)
		hooks_run_all(list, "poststop", hook_state(rt, c), &where, warn, (void *)rt);
}
