/* SPDX-License-Identifier: Apache-2.0
 *
 * What init's three threads share. The leader alone acts by itself. The other two do what
 * the job says, one job at a time, while the leader waits: so nothing here needs a lock.
 */
#ifndef SANDLOCK_INIT_INTERNAL_H
#define SANDLOCK_INIT_INTERNAL_H

#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/io.h"
#include "runtime/init/proto.h"

struct init_child {
	pid_t pid;
	bool is_main;
	bool settled;  /* it may be reaped */
	bool reported; /* its end */
	struct init_child *next;
};

enum init_job_kind { JOB_CONFINE, JOB_SPAWN, JOB_SIGNAL };

struct init_job {
	enum init_job_kind kind;
	const struct init_msg *request; /* CONFINE, SPAWN */
	int signal;                     /* SIGNAL */
	int fds[IO_MAX_FDS];            /* SPAWN: the leader's, then those of the table below */
	size_t n_fds;
	int listener_fd; /* what CONFINE has made */
	pid_t pid;       /* what SPAWN has made */
	int result;      /* 0, or -1 with err */
	struct sl_err err;
};

struct init_state {
	int channel_fd;   /* the leader's alone once the domain thread is confined */
	int listener_fd;  /* the same; until the main process is settled */
	pid_t supervisor; /* our parent at the start: an outsider with our user id */
	pid_t domain_tid; /* these two each thread writes before its first `done` */
	pid_t fetcher_tid;
	sem_t to_domain;
	sem_t to_fetcher;
	sem_t done;
	struct init_job job;
	struct init_child *children; /* those whose end must be reported */
	bool gone;                   /* the supervisor */
	bool confined;               /* the domain thread is inside */
	bool is_scoped;              /* and its signals stay inside: it has been tried */
	bool has_profile; /* and under the bundle's profile, which its children inherit */
	bool ending;      /* everything is being killed */
};

/* domain.c, fetch.c: the whole lives of the two threads. */
void *domain_main(void *arg);
void *fetch_main(void *arg);

/* Waits; a signal that stops and continues init is no reason to come back. */
void init_wait(sem_t *sem);

#endif
