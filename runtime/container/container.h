/* SPDX-License-Identifier: Apache-2.0
 *
 * The containers of one state root, for a program that manages them: the command line, or a
 * process with many containers. Each function is one operation on one container. It returns an
 * error and never prints, never ends the process, and keeps no state between two calls. Other
 * messages go to the log callback. The arguments of container_x() are a struct container_x.
 * tests/helpers/containers.c is an example.
 */
#ifndef SANDLOCK_CONTAINER_CONTAINER_H
#define SANDLOCK_CONTAINER_CONTAINER_H

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/control/control.h"
#include "runtime/limits/usage.h"
#include "runtime/store/record.h"
#include "spec/state_doc.h"

struct plan_given;
struct plan_process;
struct rlimit;

/* Whom a message is for. */
enum runtime_level {
	RUNTIME_DEBUG, /* for finding a mistake */
	RUNTIME_NOTE,  /* for the readers of the log */
	/* a warning while the stdio of this process is about to become the container's */
	RUNTIME_MAKING,
	RUNTIME_WARNING, /* for whoever made the call */
};

struct runtime {
	struct arena *arena; /* the caller's; results of the call live in it */
	const char *root;    /* the state root */
	const char *config;  /* the node's configuration; NULL: NODE_CONFIG_PATH */
	/* the directory in which the runtime's other programs are looked for first; NULL: only
	 * where they are installed */
	const char *programs;
	/* NULL: messages are dropped */
	void (*log)(void *ctx, enum runtime_level level, const char *text);
	void *log_ctx;
};

/* Returns the path of the HTTP proxy, or NULL if it is not installed. */
const char *container_proxy_program(const struct runtime *rt);

/* Says how a memory limit would be enforced by this process on this host. */
#define CONTAINER_WATCH_SIZE 384
void container_memory_watch(char *ret, size_t size);

struct container {
	const char *id;
	int root_fd; /* the state root */
	int dir_fd;  /* the container's directory; locked for CONTAINER_CHANGE */
	int proc_fd;
	struct record record;
	enum record_status status; /* the current status; the record may be older */
};

/* A struct without open descriptors, as auto_container needs at its declaration. */
#define CONTAINER_NONE                                                                             \
	{                                                                                          \
		.root_fd = -1, .dir_fd = -1, .proc_fd = -1                                         \
	}

enum container_access {
	CONTAINER_READ,
	/* exclusive: another call that changes the container waits, for ten seconds at most */
	CONTAINER_CHANGE,
};

/* Opens a container and finds its status. If the supervisor was killed, this first kills the
 * processes that are left of the container. */
int container_open(const struct runtime *rt, const char *id, enum container_access access,
	struct container *ret, struct sl_err *err);

/* Closes the descriptors, which releases the lock; the record stays readable. */
void container_close(struct container *c);
#define auto_container auto_with(container_close)

/* How a caller is told of the tracked process; NULL: not in this way. The pidfd is sent like a
 * terminal's master: one connection, one message. */
struct container_notice {
	/* only digits, without a newline; the file appears complete, after everything else */
	const char *pid_file;
	const char *pidfd_socket;
};

int container_tell(const struct container_notice *n, pid_t pid, struct sl_err *err);

enum container_release {
	CONTAINER_PARK, /* the process waits for container_start() */
	/* the process runs as soon as possible: nobody has to know of it before */
	CONTAINER_RUN,
	CONTAINER_RUN_ATTACHED, /* the same, and the caller waits until the end */
	/* The same, and the calling process may become the supervisor if it has nothing else to
	 * do. Afterwards it is confined, paths name other files than before, and all that it can
	 * do is exit (supervisor_run_here()). For a process with one container only. */
	CONTAINER_RUN_HERE,
};

enum container_terminal {
	CONTAINER_TERMINAL_SENT, /* the master goes to the console socket, which must be given */
	CONTAINER_TERMINAL_KEPT, /* without a console socket the caller gets the master */
};

enum container_notify {
	CONTAINER_NO_NOTIFY,
	/* the process gets a socket on which it reports that it is ready (sd_notify(3)) */
	CONTAINER_NOTIFY,
};

enum container_keyring { CONTAINER_KEYRING_NEW, CONTAINER_KEYRING_CALLERS };

/* For CONTAINER_RUN_HERE: whether the state directory is removed at the end. */
enum container_remains { CONTAINER_STATE_GOES, CONTAINER_STATE_STAYS };

/* Descriptors for socket activation (sd_listen_fds(3)). */
struct container_listen {
	long n;
	const char *names; /* LISTEN_FDNAMES; NULL: not set */
};

/* The number of descriptors that making a container has open at the same time, enough for a
 * bundle of many mounts. It is checked first: after a failure in the middle, cleaning up could
 * fail too. */
#define CONTAINER_OPEN_FILES_MIN 64

struct container_create {
	const char *id;
	const char *bundle; /* absolute */
	/* NULL: the bundle and the node's configuration are read (runtime/plan/plan.h) */
	const struct plan_given *given;
	const char *console_socket;
	struct container_notice notice;
	struct container_listen listen; /* they are the first of those of n_preserve */
	/* Descriptors that become 0, 1 and 2 of the process: each is above 2 or already the
	 * right one. NULL: the caller's own. */
	const int *stdio_fds;
	/* the number of descriptors, from 3 on, that go to the process */
	long n_preserve;
	/* RLIMIT_NOFILE of the process if the bundle has none; NULL: the caller's */
	const struct rlimit *open_files;
	int image_fd; /* base/image.h; container_create() takes it; -1: none */
	enum container_release release;
	enum container_terminal terminal;
	enum container_notify notify;
	enum container_keyring keyring;
	enum container_remains remains;
};

/* Raises the caller's soft limit of open files as far as is needed and possible;
 * container_create() fails if that is not enough. Then sets req->open_files, so that the process of
 * the container keeps the limit that the caller had. */
int container_raise_open_files(struct arena *a, struct container_create *req, struct sl_err *err);

enum container_stage {
	CONTAINER_WAITS, /* the process waits for container_start() */
	CONTAINER_RUNS,
	/* CONTAINER_RUN_HERE: the container has ended, and status is that of wait(2) */
	CONTAINER_ENDED,
};

struct container_created {
	enum container_stage stage;
	/* the tracked process, a child of the caller; it ends as the main process does */
	pid_t pid;
	int master_fd; /* with CONTAINER_TERMINAL_KEPT; otherwise -1 */
	int notify_fd; /* with CONTAINER_NOTIFY, unless the process waits; otherwise -1 */
	/* gets CONTROL_EXITED at the end, if release is CONTAINER_RUN_ATTACHED or _HERE and the
	 * bundle has neither poststart nor poststop hooks; otherwise -1 */
	int conn_fd;
	int status;
};

/* Makes a container. On failure nothing is left, and the id is free. If the caller is to be told
 * something before the start (notice, console socket), or if the bundle has hooks at the start,
 * the process waits for container_start() whatever release says. */
int container_create(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err);
void container_created_close(struct container_created *c);

/* The same, and starts the process if it waits. */
int container_run(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err);

struct container_start {
	const char *id;
	enum container_notify notify; /* the same as at container_create() */
};

struct container_started {
	pid_t pid;
	int pid_fd; /* with CONTAINER_NOTIFY: of the tracked process; otherwise -1 */
	/* with CONTAINER_NOTIFY: the process reports here that it is ready; otherwise -1 */
	int notify_fd;
};

/* Releases the process of a created container and runs its poststart hooks. */
int container_start(const struct runtime *rt, const struct container_start *req,
	struct container_started *ret, struct sl_err *err);

/* Waits for the end of a container that the calling process has made. ETIMEDOUT: it has not
 * ended in time; EINTR: a signal has interrupted the wait. */
int container_wait(
	const struct container_created *c, int timeout_ms, int *ret_status, struct sl_err *err);

/* Waits for the end of any container and returns the status of its main process (wait(2)), also
 * when the container has already ended. timeout_ms -1: without limit; errors as of
 * container_wait(). */
int container_wait_end(
	const struct container *c, int timeout_ms, int *ret_status, struct sl_err *err);

/* Refuses a container that is neither created, running nor paused, in runc's words. */
int container_need_alive(const struct container *c, struct sl_err *err);

void container_state(const struct runtime *rt, const struct container *c, struct spec_state *ret);

/* Adds the ports that the container has bound, if its ports may be replaced. */
void container_ports(const struct runtime *rt, const struct container *c, struct spec_state *state);

enum container_paused { CONTAINER_PAUSED_NOT, CONTAINER_PAUSED_TOO };

struct container_exec {
	/* a copy of the planned main process; the caller changes it */
	struct spec_process process;
	const struct plan_process *planned; /* what create has stored about the main process */
	const char *console_socket;
	int stdio_fds[3];     /* 0, 1 and 2 of the process, unless it has a terminal */
	const int *extra_fds; /* they become 3 and following of the process */
	size_t n_extra;
	/* RLIMIT_NOFILE of the process if it has none itself; NULL: as init */
	const struct rlimit *open_files;
	enum container_terminal terminal;
	enum container_paused paused; /* whether a paused container accepts it */
};

struct container_execed {
	pid_t pid;
	int master_fd; /* with CONTAINER_TERMINAL_KEPT; otherwise -1 */
	int conn_fd;   /* gets the end of the process; closing it earlier kills the process */
};

/* Returns the defaults of exec, as create has stored them: neither the bundle nor the node's
 * configuration is read again. */
int container_exec_base(const struct runtime *rt, const struct container *c,
	struct container_exec *ret, struct sl_err *err);

int container_exec(const struct runtime *rt, const struct container *c,
	const struct container_exec *req, struct container_execed *ret, struct sl_err *err);

/* Tells the supervisor, once, that callers know the process by the pid of another one: a process
 * of the caller, which ends as the exec'd process does. container_processes() returns both. */
int container_exec_report(int conn_fd, pid_t pid, struct sl_err *err);

/* Waits for the end of a process of container_exec(); errors as of container_wait(). */
int container_exec_wait(int conn_fd, int timeout_ms, int *ret_status, struct sl_err *err);

enum container_target {
	CONTAINER_MAIN,     /* the main process */
	CONTAINER_EVERYONE, /* every process; it is no error if there is none */
};

/* Returns "container not running" if the main process has ended. */
int container_signal(
	const struct container *c, int sig, enum container_target target, struct sl_err *err);

/* Parses "KILL", "SIGKILL", "9", "RTMIN+3". */
int container_parse_signal(const char *text, int *ret, struct sl_err *err);

/* Stops every process of the container until container_resume(). */
int container_pause(const struct runtime *rt, const char *id, struct sl_err *err);
int container_resume(const struct runtime *rt, const char *id, struct sl_err *err);

/* A process that callers know, and the process of the container whose end it follows: the
 * supervisor for the main process, and the process that stands for a detached exec. */
struct container_reported {
	pid_t pid;
	pid_t stands_for;
};

struct container_processes {
	pid_t *pids; /* the processes of the container */
	size_t n;
	struct container_reported *reported; /* the first one is that of the main process */
	size_t n_reported;
};

/* A stopped container has no processes, which is no error. */
int container_processes(const struct runtime *rt, const struct container *c,
	struct container_processes *ret, struct sl_err *err);

struct container_process_usage {
	pid_t pid;
	struct usage_memory memory;
};

/* Processor time and the bytes read and written never decrease: they include processes that have
 * ended. */
struct container_stats {
	struct control_stats counted; /* by the supervisor; for a stopped container, at its end */
	struct usage_memory memory;   /* of all its processes; shared pages count once */
	struct container_process_usage *processes;
	size_t n_processes;
};

/* Works for a stopped container too. Returns "container not running" if its supervisor could not
 * store the statistics. */
int container_stats(const struct runtime *rt, const struct container *c,
	struct container_stats *ret, struct sl_err *err);

struct container_update {
	const char *id;
	const char *resources; /* an OCI resources object; NULL: none */
	size_t n_resources;    /* bytes */
};

int container_update(
	const struct runtime *rt, const struct container_update *req, struct sl_err *err);

enum container_delete {
	CONTAINER_DELETE_STOPPED, /* refuses a container that is running */
	CONTAINER_DELETE_ANY,     /* kills the container first; it is no error if there is none */
};

/* Idempotent in every state: a container may be running, have stopped or lost its supervisor, or
 * its `create` may have been killed. Runs the poststop hooks. */
int container_delete(
	const struct runtime *rt, const char *id, enum container_delete what, struct sl_err *err);

/* Returns the Features structure (features.md of the runtime specification) as JSON. */
const char *container_features(struct arena *a, size_t *ret_len);

/* Removes the state of a container whose supervisor has reported the end of its processes. */
int container_forget(const struct runtime *rt, const char *id, struct sl_err *err);

#endif
