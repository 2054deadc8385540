/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/task/inside.h"

static const char *exec_id_of(const struct task *t, pid_t pid)
{
	for (const struct process *p = t->execs; p; p = p->next)
		if (p->pid == pid && p->stage == PROCESS_RUNNING)
			return p->exec_id;
	return NULL;
}

static int add_pid(struct arena *a, const struct task *t, pid_t pid, Task__PidsResponse *ret)
{
	const char *exec_id = exec_id_of(t, pid);
	Task__ProcessInfo *info = arena_alloc(a, sizeof(*info));

	task__process_info__init(info);
	info->pid = (uint32_t)pid;
	ret->processes[ret->n_processes++] = info;
	if (exec_id) {
		Task__ProcessDetails d = TASK__PROCESS_DETAILS__INIT;
		struct proto_bytes b;

		d.exec_id = (char *)exec_id;
		if (proto_pack(&d, &b) < 0)
			return -1;
		info->info = arena_alloc(a, sizeof(*info->info));
		common__any__init(info->info);
		info->info->type_url = (char *)"containerd.runc.v1.ProcessDetails";
		info->info->value.data = b.data;
		info->info->value.len = b.n;
	}
	return 0;
}

/* The supervisor's pid comes first: it is the pid of the task for clients. */
static int list_pids(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *ask = arg;
	const struct task *t = ask->task;
	const struct runtime rt = work_runtime(t);
	auto_container struct container c = CONTAINER_NONE;
	struct container_processes p;
	Task__PidsResponse r = TASK__PIDS_RESPONSE__INIT;
	struct proto_bytes b;

	if (container_open(&rt, t->id, CONTAINER_READ, &c, err) < 0 ||
		container_processes(&rt, &c, &p, err) < 0)
		return -1;
	r.processes = arena_array(rt.arena, p.n + 1, sizeof(Task__ProcessInfo *));
	if (add_pid(rt.arena, t, t->main.pid, &r) < 0)
		return sl_err_set(err, ENOMEM, "pids");
	for (size_t i = 0; i < p.n; i++)
		if (add_pid(rt.arena, t, p.pids[i], &r) < 0)
			return sl_err_set(err, ENOMEM, "pids");
	if (proto_pack(&r, &b) < 0)
		return sl_err_set(err, ENOMEM, "pids");
	ret->bytes = b.data;
	ret->n_bytes = b.n;
	return 0;
}

void task_pids(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	const struct ask ask = { .run = list_pids };

	if (t)
		ask_begin(t, call, &ask);
}
