/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runtime/store/store.h"
#include "shim/task/inside.h"

static int take_spec(struct process *p, const Common__Any *spec)
{
	p->spec = malloc(spec->value.len + 1);
	if (!p->spec)
		return -1;
	memcpy(p->spec, spec->value.data, spec->value.len);
	p->n_spec = spec->value.len;
	return 0;
}

static int exec_add(struct task *t, const Task__ExecRequest *r, struct sl_err *err)
{
	char *const paths[] = { r->input, r->output, r->errors };
	struct process *p = task_new_exec(t, r->exec_id);

	if (!p)
		return sl_err_set(err, ENOMEM, "exec");
	p->stage = PROCESS_CREATED;
	if (take_spec(p, r->spec) == 0 && process_take_stdio(p, paths, r->terminal) == 0)
		return 0;
	task_forget_exec(p);
	return sl_err_set(err, ENOMEM, "exec");
}

void task_exec(struct shim *s, struct ttrpc_call *call, const Task__ExecRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	struct sl_err err;

	if (!t)
		return;
	if (store_check_id(r->exec_id, &err) < 0 || !r->spec)
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT,
			r->spec ? err.msg : "spec: the process is missing");
	else if (task_find_process(t, r->exec_id))
		ttrpc_fail(call, TTRPC_ALREADY_EXISTS, "a process with that id exists already");
	else if (t->main.stage >= PROCESS_STOPPED)
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "cannot exec in a stopped container");
	else if (t->n_execs >= SHIM_EXECS_MAX)
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "too many processes in the container");
	else if (exec_add(t, r, &err) < 0)
		answer_error(call, &err);
	else {
		tell_exec_added(task_find_process(t, r->exec_id));
		answer_empty(call);
	}
}
