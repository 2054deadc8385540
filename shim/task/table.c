/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of the shim and their processes.
 */
#include <stdlib.h>
#include <string.h>

#include "shim/task/inside.h"

struct task *task_find(struct shim *s, const char *id)
{
	struct task *t = s->tasks;

	while (t && strcmp(t->id, id) != 0)
		t = t->next;
	return t;
}

struct process *task_find_process(struct task *t, const char *exec_id)
{
	struct process *p = t->execs;

	if (!*exec_id)
		return &t->main;
	while (p && strcmp(p->exec_id, exec_id) != 0)
		p = p->next;
	return p;
}

struct task *task_of_call(struct shim *s, struct ttrpc_call *call, const char *id)
{
	struct task *t = task_find(s, id);

	if (t && t->main.stage != PROCESS_MAKING)
		return t;
	ttrpc_fail(call, TTRPC_NOT_FOUND, "container does not exist");
	return NULL;
}

struct process *process_of_call(
	struct shim *s, struct ttrpc_call *call, const char *id, const char *exec_id)
{
	struct task *t = task_of_call(s, call, id);
	struct process *p;

	if (!t)
		return NULL;
	p = task_find_process(t, exec_id);
	if (!p)
		ttrpc_fail(call, TTRPC_NOT_FOUND, "process does not exist");
	return p;
}

static int init_process(struct process *p, struct task *t, const char *exec_id)
{
	p->task = t;
	p->pid_fd = -1;
	p->end.fd = -1;
	stdio_init(&p->stdio, &t->shim->loop);
	p->exec_id = strdup(exec_id);
	return p->exec_id ? 0 : -1;
}

static void clear_process(struct process *p)
{
	struct loop *l = &p->task->shim->loop;

	while (p->waiters)
		ttrpc_fail(p->waiters, TTRPC_NOT_FOUND, "the process was deleted");
	if (p->call) /* the Delete of an exec whose output is not taken yet */
		ttrpc_fail(take_ptr(p->call), TTRPC_NOT_FOUND, "the process was deleted");
	loop_stop_timer(l, &p->limit);
	loop_remove(l, &p->end);
	drop_fd(&p->end.fd);
	drop_fd(&p->pid_fd);
	stdio_close(&p->stdio);
	for (int i = 0; i < STDIO_STREAMS; i++)
		free(p->paths[i]);
	free(p->exec_id);
	free(p->spec);
}

static void free_task(struct task *t)
{
	while (t->execs)
		task_forget_exec(t->execs);
	clear_process(&t->main);
	proto_free(t->request);
	free(t->id);
	free(t->bundle);
	free(t->root);
	free(t->config);
	loop_free_later(&t->shim->loop, &t->waste, t);
}

struct task *task_new(struct shim *s, const char *id, const char *bundle)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->shim = s;
	t->id = strdup(id);
	t->bundle = strdup(bundle);
	if (init_process(&t->main, t, "") < 0 || !t->id || !t->bundle) {
		free_task(t);
		return NULL;
	}
	t->next = s->tasks;
	s->tasks = t;
	s->n_tasks++;
	return t;
}

struct process *task_new_exec(struct task *t, const char *exec_id)
{
	struct process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (init_process(p, t, exec_id) < 0) {
		clear_process(p);
		free(p);
		return NULL;
	}
	p->next = t->execs;
	t->execs = p;
	t->n_execs++;
	return p;
}

int process_take_stdio(struct process *p, char *const paths[STDIO_STREAMS], bool terminal)
{
	p->terminal = terminal;
	for (int i = 0; i < STDIO_STREAMS; i++) {
		p->paths[i] = strdup(paths[i]);
		if (!p->paths[i])
			return -1;
	}
	return 0;
}

int process_open_stdio(struct process *p, struct sl_err *err)
{
	const struct stdio_want want = {
		.paths = { p->paths[STDIO_IN], p->paths[STDIO_OUT], p->paths[STDIO_ERR] },
		.id = p->task->id,
		.namespace = p->task->shim->namespace,
		.terminal = p->terminal,
		.uid = p->task->io_uid,
		.gid = p->task->io_gid,
	};

	return stdio_open(&p->stdio, &want, err);
}

void task_forget(struct task *t)
{
	struct task **at = &t->shim->tasks;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->shim->n_tasks--;
	free_task(t);
}

void task_forget_exec(struct process *p)
{
	struct process **at = &p->task->execs;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	p->task->n_execs--;
	clear_process(p);
	loop_free_later(&p->task->shim->loop, &p->waste, p);
}
