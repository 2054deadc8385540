/* SPDX-License-Identifier: Apache-2.0
 *
 * Enters the sandbox: one ordered table of steps, each with the reason for its position. The second
 * thread of init calls this once. Landlock, seccomp, credentials and keyrings are per thread, so
 * the leader stays outside. The steps only make system calls. If a step fails, the rest is skipped
 * and the error names the step. No step is optional.
 */
#ifndef SANDLOCK_CONFINE_STEPS_H
#define SANDLOCK_CONFINE_STEPS_H

#include <linux/filter.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct confine_input {
	int root_fd;    /* the detached tree */
	int ruleset_fd; /* Landlock; -1 only when the node waives all of it */
	const struct sock_filter *filter;
	size_t n_filter;
	/* the bundle's profile, if it can be installed here (needs.h) */
	const struct sock_filter *profile;
	size_t n_profile; /* 0: none */
	unsigned int profile_flags;
	bool no_new_privs;
	bool new_keyring;
	bool has_personality;
	uint32_t personality;
	const cpu_set_t *memory_nodes; /* NULL: linux.memoryPolicy is not set */
	int memory_mode;               /* with its flags */
	uint64_t caps_bounding;        /* the container's bounding set */
	uint64_t caps_ceiling;         /* the permitted set, which children can get */
	/* a live process outside the container, for the test of the signal scope */
	pid_t outsider;
	bool scope_signals; /* false only when the node waives landlock.signal */
	int outside_fd;     /* set by the first step, for the test of the file rules */
	int listener_fd;    /* set by the filter step */
};

struct confine_step {
	const char *name;
	const char *why;
	int (*run)(struct confine_input *in); /* 0, or -1 with errno */
};

extern const struct confine_step confine_steps[];
extern const size_t confine_n_steps;

/* On success *ret_listener_fd is the notification descriptor (close-on-exec). */
int confine_enforce(struct confine_input *in, int *ret_listener_fd, struct sl_err *err);

#endif
