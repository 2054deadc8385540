/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share. A task is a container with its processes. A process goes
 * through the stages below in this order.
 */
#ifndef SANDLOCK_SHIM_TASK_INSIDE_H
#define SANDLOCK_SHIM_TASK_INSIDE_H

#include "runtime/container/container.h"
#include "shim/proto/sandbox.pb-c.h"
#include "shim/proto/task.pb-c.h"
#include "shim/stdio/stdio.h"
#include "shim/task/shim.h"

enum process_stage {
	PROCESS_MAKING, /* a worker creates it; clients cannot use it yet */
	PROCESS_CREATED,
	PROCESS_STARTING, /* a worker is at it */
	PROCESS_RUNNING,
	PROCESS_STOPPED,  /* and the exit event was sent */
	PROCESS_DELETING, /* its output is passed on, then a worker deletes it */
};

struct process {
	struct task *task;
	char *exec_id; /* "": the main process of the task */
	enum process_stage stage;
	pid_t pid;  /* 0: none yet */
	bool ended; /* the process has ended */
	bool told;  /* the exit event was sent, after the start event */
	int status; /* as of wait(2) */
	struct timespec ended_at;
	char *paths[STDIO_STREAMS];
	bool terminal;
	struct stdio stdio;
	struct ttrpc_call *waiters; /* calls of Wait */
	struct ttrpc_call *call;    /* the call that the current stage answers */
	struct loop_timer limit;    /* for passing on the rest of the output */
	struct loop_waste waste;
	struct process *next;
	/* Of exec'd processes only: */
	struct loop_source end; /* the connection on which the supervisor sends the exit status */
	int pid_fd;
	char *spec; /* an OCI Process as JSON */
	size_t n_spec;
};

struct task {
	struct shim *shim;
	char *id, *bundle;
	char *root;   /* the state root */
	char *config; /* the node's configuration; NULL: the default one */
	bool callers_keyring;
	uid_t io_uid;
	gid_t io_gid;
	Task__CreateRequest *request; /* while the container is created */
	bool paused;
	struct process main;
	struct process *execs;
	size_t n_execs;
	struct loop_waste waste;
	struct task *next;
};

enum pod_stage { POD_MAKING, POD_CREATED, POD_READY, POD_STOPPED };

/* A sandbox without a container (sandbox.c). */
struct pod {
	char *id, *bundle;
	char *netns; /* "": the host's */
	Sandbox__PodConfig *config;
	enum pod_stage stage;
	pid_t pid;
	bool holder_ended; /* the process that keeps the namespaces was reaped */
	uint32_t exit_status;
	struct timespec created_at, exited_at;
	struct ttrpc_call *waiters, *call;
};

struct method {
	const char *name; /* NULL: the end */
	/* A handler that keeps the request sets *request to NULL. */
	void (*run)(struct shim *s, struct ttrpc_call *call, void **request);
	const ProtobufCMessageDescriptor *type;
};

extern const struct method sandbox_methods[];
void sandbox_stop(struct shim *s, uint32_t exit_status);

/* table.c */
struct task *task_find(struct shim *s, const char *id);
struct process *task_find_process(struct task *t, const char *exec_id);
/* Returns NULL when there is no such task or process; the call is answered then. */
struct task *task_of_call(struct shim *s, struct ttrpc_call *call, const char *id);
struct process *process_of_call(
	struct shim *s, struct ttrpc_call *call, const char *id, const char *exec_id);
/* Return NULL when there is no memory. */
struct task *task_new(struct shim *s, const char *id, const char *bundle);
struct process *task_new_exec(struct task *t, const char *exec_id);
int process_take_stdio(struct process *p, char *const paths[STDIO_STREAMS], bool terminal);
int process_open_stdio(struct process *p, struct sl_err *err);
void task_forget(struct task *t);
void task_forget_exec(struct process *p);

/* answer.c: errors in containerd's codes (its package errdefs). */
void answer_error(struct ttrpc_call *call, const struct sl_err *err);
void answer_empty(struct ttrpc_call *call);
uint32_t answer_status(int status); /* as of wait(2): 128 + the signal */

/* tell.c: events */
void tell_created(const struct task *t, const Task__CreateRequest *r);
void tell_started(const struct process *p);
void tell_exec_added(const struct process *p);
void tell_exited(const struct process *p);
void tell_deleted(const struct process *p);
/* Tells it when it has changed. */
void task_set_paused(struct task *t, bool paused);

/* exits.c: exit events in order: a process' exit after its start, the main process' exit last. */
void exits_of_main(struct task *t, int status);
void exits_watch_exec(struct process *p, int conn_fd);
void exits_settle(struct task *t);
/* Reaps every child that has ended. */
void exits_reap(struct shim *s);

/* work.c: in a worker */
struct runtime work_runtime(const struct task *t);
/* Returns 0 at once where the process has no logger. */
int work_await_logger(const struct process *p, struct sl_err *err);

/* ask.c: methods that a worker carries out with one function of runtime/container. The bytes of its
 * result are the answer. */
struct ask {
	int (*run)(const void *arg, struct worker_result *ret, struct sl_err *err);
	void (*changed)(struct task *t); /* called after success if the task still exists */
	const char *resources;           /* valid as long as the call */
	size_t n_resources;
	int signal;
	bool everyone;
	/* Set by ask_begin(): */
	struct shim *shim;
	const struct task *task; /* for the worker; the shim may have freed it */
	char *id;
	struct ttrpc_call *call;
};

void ask_begin(struct task *t, struct ttrpc_call *call, const struct ask *what);

/* look.c: fails the call with the reason, after the task has got the container's true status. */
enum look_after { LOOK_AFTER_START, LOOK_AFTER_PAUSE };
void look_begin(
	struct task *t, struct ttrpc_call *call, enum look_after after, const struct sl_err *why);

/* One method of the task service in each file: */
void task_create(
	struct shim *s, struct ttrpc_call *call, Task__CreateRequest **r); /* may keep it */
void task_start(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r);
void task_exec(struct shim *s, struct ttrpc_call *call, const Task__ExecRequest *r);
void task_delete(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r);
void task_kill(struct shim *s, struct ttrpc_call *call, const Task__KillRequest *r);
void task_pause(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r);
void task_resume(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r);
void task_update(struct shim *s, struct ttrpc_call *call, const Task__UpdateRequest *r);
void task_state(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r);
void task_pids(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r);
void task_stats(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r);
void task_wait(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r);
void task_connect(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r);
void task_resize(struct shim *s, struct ttrpc_call *call, const Task__ResizePtyRequest *r);
void task_close_io(struct shim *s, struct ttrpc_call *call, const Task__CloseIORequest *r);
/* Removes the socket. The shim ends when its last answer was read. */
enum shutdown_pace { SHUTDOWN_AT_ONCE, SHUTDOWN_SLOWLY };
void shutdown_begin(struct shim *s, enum shutdown_pace pace);
void task_shutdown(struct shim *s, struct ttrpc_call *call, const Task__ShutdownRequest *r);

/* service.c */
void service_call(struct ttrpc_server *server, struct ttrpc_call *call, const char *service,
	const char *method, const uint8_t *payload, size_t n);

#endif
