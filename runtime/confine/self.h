/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's own confinement once everything is built: the container's tree as its
 * root (so that /proc/<tracked pid>/root is the container's), the few capabilities that
 * answering needs, and a list of allowed system calls. Where it shows interfaces it can make
 * one network namespace and holds CAP_SYS_ADMIN and CAP_NET_ADMIN until it has.
 */
#ifndef SANDLOCK_CONFINE_SELF_H
#define SANDLOCK_CONFINE_SELF_H

#include <stdbool.h>

#include "runtime/base/err.h"

/* What a supervisor is there for, each with the system calls and capabilities that it takes
 * (self.c has the table). */
enum duty {
	DUTY_ALWAYS,  /* the loop, answers into callers' memory, set-up and end of processes */
	DUTY_LOOK_UP, /* paths of callers, in directories that only they may search */
	DUTY_BIND,    /* on behalf of the container */
	DUTY_CONNECT, /* and send */
	DUTY_DIVERT,  /* connections to who reads HTTP */
	DUTY_LISTEN,  /* where the ports that may be bound are limited */
	DUTY_IPC,     /* make System V objects and POSIX queues for the container */
	DUTY_SHOW,    /* make a network namespace of its own and sockets in it */
	DUTY_SAMPLE, /* look at what the container holds of memory, and kill: a thread of its own */
	DUTY_COUNT,
};

/* duties: by enum duty; DUTY_ALWAYS is understood. */
int confine_supervisor(int root_fd, const bool duties[DUTY_COUNT], struct sl_err *err);

/* The calling thread of a supervisor that has not been confined yet: it keeps what DUTY_SAMPLE
 * takes. Returns 0, or -1 with errno. */
int confine_sampler(void);

/* Gives back for good what making that namespace takes. Returns 0, or -1 with errno. */
int confine_supervisor_shows(void);

#endif
