/* SPDX-License-Identifier: Apache-2.0
 *
 * The containers of one state root, as whoever commands them sees them: the command line, or a
 * process that has many of them. Each function is one call about one container. It returns an error
 * and never prints, never ends the process, and keeps nothing between two calls. What has to be
 * told beside the error goes to the log sink. What container_x() is asked for is a struct
 * container_x. tests/helpers/containers.c is an example.
 */
#ifndef SANDLOCK_CONTAINER_CONTAINER_H
#define SANDLOCK_CONTAINER_CONTAINER_H

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/control/control.h"
#include "runtime/limits/usage.h"
#include "runtime/store/record.h"
#include "spec/state_doc.h"

struct plan_process;
struct rlimit;

/* Who a line is for. */
enum runtime_level {
	RUNTIME_DEBUG,   /* whoever looks for a mistake */
	RUNTIME_NOTE,    /* whoever reads the log later */
	RUNTIME_MAKING,  /* a warning while our stdio is about to become a container's */
	RUNTIME_WARNING, /* whoever made the call */
};

struct runtime {
	struct arena *arena;  /* of this call: what it returns lives there */
	const char *root;     /* the state root */
	const char *config;   /* the node's configuration; NULL: NODE_CONFIG_PATH */
	const char *programs; /* where the runtime's other programs are looked for first; NULL: only
			       * where they are installed */
	void (*log)(void *ctx, enum runtime_level level, const char *text); /* NULL: nobody */
	void *log_ctx;
};

/* The program that reads HTTP for containers whose rules ask for it: where it is, or NULL. */
const char *container_proxy_program(const struct runtime *rt);

struct container {
	const char *id;
	int root_fd; /* the state root */
	int dir_fd;  /* the container's directory; locked when asked for */
	int proc_fd;
	struct record record;
	enum record_status status; /* as it is now, not as it was written */
};

/* A struct that nothing was opened into; what auto_container needs to start with. */
#define CONTAINER_NONE                                                                             \
	{                                                                                          \
		.root_fd = -1, .dir_fd = -1, .proc_fd = -1                                         \
	}

enum container_access {
	CONTAINER_READ,
	CONTAINER_CHANGE, /* alone: whoever changes it as well waits, for ten seconds at most */
};

/* Opens, reads and looks. When the supervisor is gone without having ended in order, what
 * is left of the container is swept first. */
int container_open(const struct runtime *rt, const char *id, enum container_access access,
	struct container *ret, struct sl_err *err);

/* Closes the descriptors, and with them the lock; the record stays readable. */
void container_close(struct container *c);
#define auto_container auto_with(container_close)

/* How a caller wants to be told of the process that it tracks; NULL: not. A pidfd is sent as a
 * terminal's master is: one connection, one message. */
struct container_notice {
	const char *pid_file; /* digits only, without a newline; it appears at once, and last */
	const char *pidfd_socket;
};

int container_tell(const struct container_notice *n, pid_t pid, struct sl_err *err);

enum container_release {
	CONTAINER_PARK,         /* its process waits for container_start() */
	CONTAINER_RUN,          /* it need not wait: nobody has to hear of it while it is parked */
	CONTAINER_RUN_ATTACHED, /* the same, and the caller stays until the end */
	/* The same, and the calling process may become the supervisor, where nothing else is asked
	 * of it. It is confined then, and a path means another file than before: it can do nothing
	 * but end (supervisor_run_here()). For a process with one container only. */
	CONTAINER_RUN_HERE,
};

enum container_terminal {
	CONTAINER_TERMINAL_SENT, /* its master goes to the console socket, which must be there */
	CONTAINER_TERMINAL_KEPT, /* where there is no console socket the caller gets the master */
};

enum container_notify {
	CONTAINER_NO_NOTIFY,
	CONTAINER_NOTIFY, /* the process gets a socket to say that it is ready (sd_notify(3)) */
};

enum container_keyring { CONTAINER_KEYRING_NEW, CONTAINER_KEYRING_CALLERS };

/* CONTAINER_RUN_HERE: what becomes of the state directory at the end. */
enum container_remains { CONTAINER_STATE_GOES, CONTAINER_STATE_STAYS };

/* Descriptors for socket activation (sd_listen_fds(3)). */
struct container_listen {
	long n;
	const char *names; /* LISTEN_FDNAMES; NULL: not set */
};

/* What making a container opens at a time, with room for a bundle of many mounts. Where it ran out
 * in the middle, nothing could be cleaned up either. */
#define CONTAINER_OPEN_FILES_MIN 64

struct container_create {
	const char *id;
	const char *bundle; /* absolute */
	const char *console_socket;
	struct container_notice notice;
	struct container_listen listen; /* the first of those below */
	/* 0, 1 and 2 of the process, each above 2 or in its place; NULL: the caller's. */
	const int *stdio_fds;
	long n_preserve;                 /* so many descriptors from 3 on go to the process */
	const struct rlimit *open_files; /* of the process, where the bundle names none; NULL: the
					  * caller's */
	int image_fd;                    /* base/image.h, taken; -1: none */
	enum container_release release;
	enum container_terminal terminal;
	enum container_notify notify;
	enum container_keyring keyring;
	enum container_remains remains;
};

enum container_stage {
	CONTAINER_WAITS, /* parked */
	CONTAINER_RUNS,
	CONTAINER_ENDED, /* CONTAINER_RUN_HERE: all is over, and status tells how (wait(2)) */
};

struct container_created {
	enum container_stage stage;
	pid_t pid; /* the tracked process, a child of the caller; it ends as the main one does */
	int master_fd; /* CONTAINER_TERMINAL_KEPT; otherwise -1 */
	int notify_fd; /* CONTAINER_NOTIFY, unless parked; otherwise -1 */
	int conn_fd;   /* attached: the end is told there (CONTROL_EXITED); -1 also when hooks need
			* more than that */
	int status;
};

/* Makes a container. On failure nothing is left, the id included. What is handed out, and hooks,
 * come between the making and the start: with them its process waits, whatever release says. */
int container_create(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err);
void container_created_close(struct container_created *c);

/* The same, and start it where it waits. */
int container_run(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err);

struct container_start {
	const char *id;
	enum container_notify notify; /* as it was created */
};

struct container_started {
	pid_t pid;
	int pid_fd;    /* CONTAINER_NOTIFY: of the tracked process; otherwise -1 */
	int notify_fd; /* the same: where its process says that it is ready */
};

/* Releases the process of a created container and runs its poststart hooks. */
int container_start(const struct runtime *rt, const struct container_start *req,
	struct container_started *ret, struct sl_err *err);

/* Waits for the end of what the calling process has made. ETIMEDOUT: it has not come,
 * EINTR: a signal has come first. */
int container_wait(
	const struct container_created *c, int timeout_ms, int *ret_status, struct sl_err *err);

/* Waits for the end of any container and tells how its main process ended (wait(2)), also later.
 * -1 as timeout: for ever; errors as of container_wait(). */
int container_wait_end(
	const struct container *c, int timeout_ms, int *ret_status, struct sl_err *err);

/* Refuses a container that is neither created, running nor paused, in runc's words. */
int container_need_alive(const struct container *c, struct sl_err *err);

void container_state(const struct runtime *rt, const struct container *c, struct spec_state *ret);

/* Adds what it has bound, where its ports may be replaced. */
void container_ports(const struct runtime *rt, const struct container *c, struct spec_state *state);

enum container_paused { CONTAINER_PAUSED_NOT, CONTAINER_PAUSED_TOO };

struct container_exec {
	struct spec_process process;        /* as the main one was planned; the caller changes it */
	const struct plan_process *planned; /* what create has kept, for the rest */
	const char *console_socket;
	int stdio_fds[3];     /* 0, 1 and 2 of the process, unless it has a terminal */
	const int *extra_fds; /* from 3 on */
	size_t n_extra;
	const struct rlimit *open_files; /* of the process, where it names none; NULL: init's */
	enum container_terminal terminal;
	enum container_paused paused; /* whether one that is paused takes it */
};

struct container_execed {
	pid_t pid;
	int master_fd; /* CONTAINER_TERMINAL_KEPT; otherwise -1 */
	int conn_fd;   /* the end is told there; to close it before kills the process */
};

/* What exec starts from: neither the bundle nor the node's configuration is read again. */
int container_exec_base(const struct runtime *rt, const struct container *c,
	struct container_exec *ret, struct sl_err *err);

int container_exec(const struct runtime *rt, const struct container *c,
	const struct container_exec *req, struct container_execed *ret, struct sl_err *err);

/* Tells, once, that callers know the process by another one: one of the caller's, which ends as it
 * does. container_processes() has both. */
int container_exec_report(int conn_fd, pid_t pid, struct sl_err *err);

/* Waits for the end over the connection of container_exec(); errors as of container_wait(). */
int container_exec_wait(int conn_fd, int timeout_ms, int *ret_status, struct sl_err *err);

enum container_target {
	CONTAINER_MAIN,     /* the main process */
	CONTAINER_EVERYONE, /* every process; nobody is left to signal: no error */
};

/* "container not running" when the main process has ended. */
int container_signal(
	const struct container *c, int sig, enum container_target target, struct sl_err *err);

/* "KILL", "SIGKILL", "9", "RTMIN+3" -> number. */
int container_parse_signal(const char *text, int *ret, struct sl_err *err);

/* Stops every process of it until it is resumed. */
int container_pause(const struct runtime *rt, const char *id, struct sl_err *err);
int container_resume(const struct runtime *rt, const char *id, struct sl_err *err);

/* A process that callers were told of, and the one of the container that it ends with: the
 * supervisor and the main process, and what stands for a detached exec. */
struct container_reported {
	pid_t pid;
	pid_t stands_for;
};

struct container_processes {
	pid_t *pids; /* of the container */
	size_t n;
	struct container_reported *reported; /* the main process' first */
	size_t n_reported;
};

/* A container that has stopped has none, which is no error. */
int container_processes(const struct runtime *rt, const struct container *c,
	struct container_processes *ret, struct sl_err *err);

struct container_process_usage {
	pid_t pid;
	struct usage_memory memory;
};

/* Processor time, bytes read and written never decrease, and what has ended is in them. */
struct container_stats {
	struct control_stats counted; /* by the supervisor; of a stopped container as of its end */
	struct usage_memory memory;   /* of all its processes; shared pages once */
	struct container_process_usage *processes;
	size_t n_processes;
};

/* Of a stopped container too; "container not running" where its supervisor could leave nothing. */
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
	CONTAINER_DELETE_STOPPED, /* refuses one that runs */
	CONTAINER_DELETE_ANY,     /* kills it first; one that is not there is no error */
};

/* Idempotent in every state: a container that runs, has stopped, lost its supervisor, or whose
 * create was killed half-way. Runs its poststop hooks. */
int container_delete(
	const struct runtime *rt, const char *id, enum container_delete what, struct sl_err *err);

/* The Features structure (features.md of the runtime specification), JSON. */
const char *container_features(struct arena *a, size_t *ret_len);

/* Removes the state of one whose supervisor has said that nothing of it runs any more. */
int container_forget(const struct runtime *rt, const char *id, struct sl_err *err);

#endif
