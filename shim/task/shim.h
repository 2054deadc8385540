/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim of one pod: its tasks, and the services that containerd calls (runtime v2,
 * containerd.task.v2.Task and containerd.task.v3.Task). One thread, one loop, which never waits:
 * what may wait is done by a worker (shim/worker/worker.h). Each container's supervisor is a child
 * of this process.
 */
#ifndef SANDLOCK_SHIM_TASK_SHIM_H
#define SANDLOCK_SHIM_TASK_SHIM_H

#include <sys/resource.h>

#include "shim/events/publisher.h"
#include "shim/ttrpc/server.h"
#include "shim/worker/worker.h"

/* Where the containers' state is, below it a directory of each namespace of containerd; unless the
 * options or this variable of containerd's environment say otherwise. */
#define SHIM_ROOT     "/run/containerd/sandlock"
#define SHIM_ROOT_ENV "SANDLOCK_SHIM_ROOT"

/* In a bundle: the state root of its container, for `delete` when the shim is gone. */
#define SHIM_ROOT_FILE "sandlock-root"

/* More than a pod has; a bound on what a peer can make us hold. */
#define SHIM_TASKS_MAX 1024
#define SHIM_EXECS_MAX 4096 /* of one task */

struct pod;
struct task;

struct shim {
	struct loop loop;
	struct ttrpc_server server;
	struct workers workers;
	struct publisher events;
	struct loop_source signals;
	struct loop_timer leaving;
	const char *namespace;
	const char *socket_path;
	int log_fd;               /* -1: nobody listens */
	struct rlimit open_files; /* as it was given to us, for the containers */
	struct task *tasks;
	size_t n_tasks;
	struct pod *pod;     /* NULL: its sandbox is a container, if there is one */
	bool leaves_at_once; /* not when its time has come */
	bool over;           /* asked to end, and nothing is left to serve */
};

struct shim_setup {
	const char *namespace;
	const char *ttrpc_address; /* of containerd, for events; NULL: none are sent */
	const char *socket_path;   /* removed at the end */
	int listen_fd;
	int log_fd;
};

/* Serves until it is asked to end. Returns 0, or -1 with errno: it could not begin. */
int shim_run(const struct shim_setup *setup);

/* A line for containerd's log; lost when nobody reads there. */
void shim_log(const struct shim *s, const char *level, const char *id, const char *text);

/* The place above. */
const char *shim_default_root(void);

/* What is left of a container whose shim is gone is ended and removed, its root unmounted. */
int shim_clean_up(const char *namespace, const char *id, const char *bundle, struct sl_err *err);

#endif
