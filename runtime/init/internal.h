/* SPDX-License-Identifier: Apache-2.0
 *
 * What init's three threads share. The leader decides what is done. The other two do what the
 * job says, one job at a time, while the leader waits; so nothing here needs a lock.
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
	bool reported; /* the leader has reported the end */
	struct init_child *next;
};

enum init_job_kind { JOB_CONFINE, JOB_SPAWN, JOB_SIGNAL };

struct init_job {
	enum init_job_kind kind;
	const struct init_msg *request; /* CONFINE, SPAWN */
	int signal;                     /* SIGNAL */
	/* SPAWN: numbers in the leader's table, then in the domain thread's */
	int fds[IO_MAX_FDS];
	size_t n_fds;
	int listener_fd; /* result of CONFINE */
	pid_t pid;       /* result of SPAWN */
	int result;      /* 0, or -1 with err */
	struct sl_err err;
};

struct init_state {
	int channel_fd;  /* only in the leader's table once the domain thread is confined */
	int listener_fd; /* the same; open until the main process is settled */
	/* init's parent at the start: a process outside the domain with the same user id */
	pid_t supervisor;
	pid_t domain_tid; /* each thread writes its own id before its first `done` */
	pid_t fetcher_tid;
	sem_t to_domain;
	sem_t to_fetcher;
	sem_t done;
	struct init_job job;
	struct init_child *children; /* those whose end must be reported */
	bool gone;                   /* the supervisor is gone */
	bool confined;               /* the domain thread is in the domain */
	bool is_scoped;              /* the domain limits signals, which has been tested */
	/* the domain thread has the bundle's profile, which its children inherit */
	bool has_profile;
	bool ending; /* all processes are being killed */
};

/* domain.c, fetch.c: the functions of the two threads. */
void *domain_main(void *arg);
void *fetch_main(void *arg);

/* Waits for the semaphore, also when signals that stop and continue init interrupt the wait. */
void init_wait(sem_t *sem);

#endif
