/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "shim/proto/events.pb-c.h"
#include "shim/task/inside.h"

#define TELL(shim, topic, type, message)                                                           \
	publisher_add(&(shim)->events, "/tasks/" topic, "containerd.events." type, message)

void tell_created(const struct task *t, const Task__CreateRequest *r)
{
	Events__TaskCreate e = EVENTS__TASK_CREATE__INIT;
	Events__TaskIO io = EVENTS__TASK_IO__INIT;

	io.input = r->input;
	io.output = r->output;
	io.errors = r->errors;
	io.terminal = r->terminal;
	e.container_id = t->id;
	e.bundle = t->bundle;
	e.n_rootfs = r->n_rootfs;
	e.rootfs = r->rootfs;
	e.io = &io;
	e.pid = (uint32_t)t->main.pid;
	TELL(t->shim, "create", "TaskCreate", &e);
}

static void tell_exec_started(const struct process *p)
{
	Events__TaskExecStarted e = EVENTS__TASK_EXEC_STARTED__INIT;

	e.container_id = p->task->id;
	e.exec_id = p->exec_id;
	e.pid = (uint32_t)p->pid;
	TELL(p->task->shim, "exec-started", "TaskExecStarted", &e);
}

void tell_started(const struct process *p)
{
	Events__TaskStart e = EVENTS__TASK_START__INIT;

	if (*p->exec_id) {
		tell_exec_started(p);
		return;
	}
	e.container_id = p->task->id;
	e.pid = (uint32_t)p->pid;
	TELL(p->task->shim, "start", "TaskStart", &e);
}

void tell_exec_added(const struct process *p)
{
	Events__TaskExecAdded e = EVENTS__TASK_EXEC_ADDED__INIT;

	e.container_id = p->task->id;
	e.exec_id = p->exec_id;
	TELL(p->task->shim, "exec-added", "TaskExecAdded", &e);
}

/* Whether the memory limit was exceeded: the supervisor then makes this file in the bundle. */
static bool lacked_memory(const struct process *p)
{
	char path[PATH_MAX];

	return !*p->exec_id &&
	       snprintf(path, sizeof(path), "%s/oom", p->task->bundle) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

static void tell_named(const struct task *t, const char *topic, const char *type)
{
	Events__TaskNamed e = EVENTS__TASK_NAMED__INIT;

	e.container_id = t->id;
	publisher_add(&t->shim->events, topic, type, &e);
}

void tell_exited(const struct process *p)
{
	Events__TaskExit e = EVENTS__TASK_EXIT__INIT;
	Common__Timestamp at = proto_time(p->ended_at);

	if (lacked_memory(p))
		tell_named(p->task, "/tasks/oom", "containerd.events.TaskOOM");
	e.container_id = p->task->id;
	e.id = *p->exec_id ? p->exec_id : p->task->id;
	e.pid = (uint32_t)p->pid;
	e.exit_status = answer_status(p->status);
	e.exited_at = &at;
	TELL(p->task->shim, "exit", "TaskExit", &e);
}

void tell_deleted(const struct process *p)
{
	Events__TaskDelete e = EVENTS__TASK_DELETE__INIT;
	Common__Timestamp at = proto_time(p->ended_at);

	e.container_id = p->task->id;
	e.pid = (uint32_t)p->pid;
	e.exit_status = answer_status(p->status);
	e.exited_at = &at;
	TELL(p->task->shim, "delete", "TaskDelete", &e);
}

void task_set_paused(struct task *t, bool paused)
{
	if (t->paused == paused)
		return;
	t->paused = paused;
	if (paused)
		tell_named(t, "/tasks/paused", "containerd.events.TaskPaused");
	else
		tell_named(t, "/tasks/resumed", "containerd.events.TaskResumed");
}
