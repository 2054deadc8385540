/* SPDX-License-Identifier: Apache-2.0
 *
 * The restrictions of the supervisor once everything is set up: the container's tree as its root
 * (so that /proc/PID/root of a supervised process is the container's), the few capabilities that it
 * needs to answer notifications, and a list of permitted system calls. If it shows interfaces, it
 * may create one network namespace, and holds CAP_SYS_ADMIN and CAP_NET_ADMIN until then.
 */
#ifndef SANDLOCK_CONFINE_SELF_H
#define SANDLOCK_CONFINE_SELF_H

#include <stdbool.h>

#include "runtime/base/err.h"

/* The duties of a supervisor. Each needs some system calls and capabilities (the table is in
 * self.c). */
enum duty {
	DUTY_ALWAYS,  /* the event loop, answers into callers' memory, start and end of processes */
	DUTY_LOOK_UP, /* resolve the paths of callers, in directories that only they may search */
	DUTY_BIND,    /* perform bind(2) for the container */
	DUTY_CONNECT, /* perform connect(2) and sends for the container */
	DUTY_DIVERT,  /* pass connections to the HTTP proxy */
	DUTY_LISTEN,  /* perform listen(2), where the ports that may be bound are limited */
	DUTY_IPC,     /* create System V objects and POSIX queues for the container */
	DUTY_SHOW,    /* create a network namespace of its own and sockets in it */
	DUTY_SAMPLE,  /* measure the container's memory and kill processes, in a separate thread */
	DUTY_COUNT,
};

/* duties: by enum duty; DUTY_ALWAYS is always included. */
int confine_supervisor(int root_fd, const bool duties[DUTY_COUNT], struct sl_err *err);

/* Restricts the calling thread of a supervisor that is not restricted yet: the thread keeps what
 * DUTY_SAMPLE needs. Returns 0, or -1 with errno. */
int confine_sampler(void);

/* Gives up for ever the capabilities that creating the network namespace needed. Returns 0, or -1
 * with errno. */
int confine_supervisor_shows(void);

#endif
