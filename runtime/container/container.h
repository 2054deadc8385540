/* SPDX-License-Identifier: Apache-2.0
 *
 * The containers of one state root, as whoever commands them sees them: the command line today, a
 * shim of containerd as well. Each function is one call about one container. It returns an error
 * and never prints, never ends the process, and keeps nothing between two calls, so that one
 * process can serve many containers. What has to be told beside the error goes to the log sink.
 */
#ifndef SANDLOCK_CONTAINER_CONTAINER_H
#define SANDLOCK_CONTAINER_CONTAINER_H

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/store/record.h"
#include "spec/state_doc.h"

/* Who a line is for. */
enum runtime_level {
	RUNTIME_DEBUG,   /* whoever looks for a mistake */
	RUNTIME_NOTE,    /* whoever reads the log later */
	RUNTIME_MAKING,  /* a warning while our stdio is about to become a container's */
	RUNTIME_WARNING, /* whoever made the call */
};

struct runtime {
	struct arena *arena; /* of this call: what it returns lives there */
	const char *root;    /* the state root */
	const char *config;  /* the node's configuration; NULL: NODE_CONFIG_PATH */
	void (*log)(void *ctx, enum runtime_level level, const char *text); /* NULL: nobody */
	void *log_ctx;
};

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

/* Refuses a container that is neither created, running nor paused, in runc's words. */
int container_need_alive(const struct container *c, struct sl_err *err);

void container_state(const struct runtime *rt, const struct container *c, struct spec_state *ret);

/* Adds what it has bound, where its ports may be replaced. */
void container_ports(const struct runtime *rt, const struct container *c, struct spec_state *state);

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

enum container_delete {
	CONTAINER_DELETE_STOPPED, /* refuses one that runs */
	CONTAINER_DELETE_ANY,     /* kills it first; one that is not there is no error */
};

/* Idempotent in every state: a container that runs, has stopped, lost its supervisor, or whose
 * create was killed half-way. Runs its poststop hooks. */
int container_delete(
	const struct runtime *rt, const char *id, enum container_delete what, struct sl_err *err);

#endif
