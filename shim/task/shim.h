/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim of one pod: its tasks, and the services that containerd calls (runtime v2,
 * containerd.task.v2.Task and containerd.task.v3.Task). It has one thread and one event loop, which
 * never waits: what may wait is done by a worker (shim/worker/worker.h). The supervisor of each
 * container is a child of this process.
 */
#ifndef SANDLOCK_SHIM_TASK_SHIM_H
#define SANDLOCK_SHIM_TASK_SHIM_H

#include <sys/resource.h>

#include "shim/events/publisher.h"
#include "shim/ttrpc/server.h"
#include "shim/worker/worker.h"

/* The directory of the state roots, one for each namespace of containerd. The options of a request,
 * or this variable of containerd's environment, can name another. */
#define SHIM_ROOT     "/run/containerd/sandlock"
#define SHIM_ROOT_ENV "SANDLOCK_SHIM_ROOT"

/* A file in the bundle with the state root of its container, for `delete` when the shim is gone. */
#define SHIM_ROOT_FILE "sandlock-root"

/* Bounds what a peer can make the shim keep. */
#define SHIM_TASKS_MAX 1024
#define SHIM_EXECS_MAX 4096 /* of one task */

struct pod;
struct task;

struct shim {
	const char *programs; /* as in struct runtime */
	struct loop loop;
	struct ttrpc_server server;
	struct workers workers;
	struct publisher events;
	struct loop_source signals;
	struct loop_timer leaving;
	struct loop_timer unused; /* runs while nothing is in the shim */
	const char *namespace;
	const char *socket_path;
	int log_fd;               /* -1: no log */
	struct rlimit open_files; /* the limit that the shim was started with, for the containers */
	struct task *tasks;
	size_t n_tasks;
	struct pod *pod;     /* NULL: the pod has a pause container, or is no pod */
	bool leaves_at_once; /* ends as soon as the last answer was read, not at the timer */
	bool over;           /* the loop is to end */
};

struct shim_setup {
	const char *programs; /* as in struct runtime */
	const char *namespace;
	const char *ttrpc_address; /* containerd's, for events; NULL: none are sent */
	const char *socket_path;   /* removed at the end */
	int listen_fd;
	int log_fd;
};

/* Serves until a client asks the shim to end. Returns 0, or -1 with errno: it could not begin. */
int shim_run(const struct shim_setup *setup);

/* Writes a line to containerd's log. The line is lost when nobody reads it. */
void shim_log(const struct shim *s, const char *level, const char *id, const char *text);

/* SHIM_ROOT, or what SHIM_ROOT_ENV says. */
const char *shim_default_root(void);

/* Ends and removes what is left of a container whose shim is gone, and unmounts its root. */
int shim_clean_up(const char *namespace, const char *id, const char *bundle, struct sl_err *err);

#endif
