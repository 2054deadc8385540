/* SPDX-License-Identifier: Apache-2.0
 *
 * What init's two threads share. Everything behind lock, except what is set before the
 * second thread starts.
 */
#ifndef SANDLOCK_INIT_STATE_H
#define SANDLOCK_INIT_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "runtime/init/proto.h"

struct init_child {
	pid_t pid;
	bool is_main;
	struct init_child *next;
};

struct init_state {
	int channel_fd;
	int wake_fd;      /* eventfd: the leader asks the domain thread to kill again */
	int end_fd;       /* eventfd: the domain thread tells the leader to look at `ending` (not
			   * a signal: the filter shields the leader from this thread too) */
	int listener_fd;  /* once confined: until the supervisor has fetched it */
	pid_t supervisor; /* our parent at the start: an outsider with our user id */
	pthread_mutex_t lock;
	struct init_child *children; /* those whose end must be reported */
	bool confined;               /* the domain thread is inside: it may signal everything */
	bool has_profile; /* and under the bundle's profile, which its children inherit */
	bool ending;      /* everything is being killed */
};

/* The domain thread's whole life. */
void *domain_main(void *arg);

/* Sends one message to the supervisor; a supervisor that is gone is no error here, the
 * end of file will be seen by the domain thread. */
void init_report(struct init_state *s, const struct init_msg *m);

#endif
