/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages between supervisor and init, over one SOCK_SEQPACKET pair. No process of the
 * container has a descriptor of it, not even one that has not executed a single instruction
 * (fetch.c). As a second line of defence each side takes messages only from the pid of the other
 * (SO_PASSCRED, unix(7)), and drops the rest.
 *
 * The messages in order:
 *   init -> HELLO: the thread id of its domain thread, which the filter and the tree protect
 *   sup -> CONFINE: the tree, the Landlock ruleset, what the filter allows, perhaps the profile;
 *       sent as soon as the tree has a root
 *   init -> CONFINED: the listener; or FAILED with the step that did not work
 *   sup -> SPAWN: a process description, its stdio, its sync socket
 *   init -> SPAWNED: its pid; or FAILED
 *   sup -> SETTLED: the process is set up, or was given up; the supervisor does not use its pid
 *       any more. Until then init does not reap the process, so that the kernel cannot reuse the
 *       pid. For the main process it also says that the supervisor has fetched the listener
 *   sup -> SIGNAL_ALL: every process of the domain gets a signal
 *   init -> EXITED: a spawned process has ended
 *   sup -> END: kill everything (also implied by the main process' end and by end of file)
 *   init -> EMPTY: no process of the container is left; init exits
 */
#ifndef SANDLOCK_INIT_PROTO_H
#define SANDLOCK_INIT_PROTO_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/confine/filter.h"

enum init_msg_type {
	INIT_HELLO = 1,
	INIT_CONFINE,
	INIT_CONFINED,
	INIT_SPAWN,
	INIT_SPAWNED,
	INIT_SETTLED,
	INIT_SIGNAL_ALL,
	INIT_EXITED,
	INIT_END,
	INIT_EMPTY,
	INIT_FAILED,
};

struct init_confine {
	uint64_t caps_ceiling; /* capabilities that the domain thread may keep for its children */
	uint64_t caps_bounding;
	uint32_t personality;
	uint8_t has_personality;
	uint8_t has_memory_policy;
	uint8_t new_keyring;
	/* 0 only if the kernel has no Landlock and the node waives all of it */
	uint8_t has_landlock;
	uint8_t scope_signals; /* 0 only when the node waives landlock.signal */
	uint8_t no_new_privs;
	uint8_t has_profile; /* the domain thread installs linux.seccomp; its children inherit it */
	uint32_t profile_flags;
	int32_t memory_mode; /* mode of set_mempolicy(2) */
	cpu_set_t memory_nodes;
	struct filter_params filter; /* init fills in its own thread ids */
};

/* the descriptors of CONFINE, in this order */
enum { CONFINE_FD_ROOT, CONFINE_FD_RULESET, CONFINE_FD_PROFILE, CONFINE_FDS };

struct init_spawn {
	uint8_t is_main;    /* the container ends with this process */
	uint8_t n_preserve; /* that many descriptors, from 3 on */
};

/* the descriptors of SPAWN, in this order; preserved ones follow */
enum { SPAWN_FD_BLOB, SPAWN_FD_SYNC, SPAWN_FD_STDIN, SPAWN_FD_STDOUT, SPAWN_FD_STDERR, SPAWN_FDS };

struct init_msg {
	enum init_msg_type type;
	union {
		pid_t tid;    /* HELLO */
		int listener; /* CONFINED: number of a descriptor of init, for pidfd_getfd(2) */
		struct init_confine confine;
		struct init_spawn spawn;
		pid_t pid;  /* SPAWNED, SETTLED */
		int signal; /* SIGNAL_ALL */
		struct {
			pid_t pid;
			int status; /* as of wait(2) */
		} exited;
		struct sl_err err; /* FAILED */
	};
};

/* The sync socket of one process (SOCK_SEQPACKET). The child sends SETUP while it still has the
 * runtime's user, so that the supervisor can set its limits from outside, and PARKED when
 * everything but execve(2) is done; after each it waits for GO. A failure at any point is a
 * message with an error. End of file after the second GO means that execve has succeeded (the
 * socket is close-on-exec). */
enum sync_type { SYNC_SETUP = 1, SYNC_PARKED, SYNC_GO, SYNC_FAILED };

struct sync_msg {
	enum sync_type type;
	struct sl_err err;
};

#endif
