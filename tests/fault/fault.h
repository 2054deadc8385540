/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that the wrappers and the sweep share (tests/fault/run reads it by these
 * offsets). All processes of a command count in it: the mapping is inherited over fork(2)
 * and needs neither a path nor a descriptor afterwards, so it survives chroot, close_range
 * and the sandbox.
 */
#ifndef SANDLOCK_TESTS_FAULT_FAULT_H
#define SANDLOCK_TESTS_FAULT_FAULT_H

#include <stdint.h>

#define FAULT_TRACE_MAX   32768
#define FAULT_CRASHES_MAX 8
#define FAULT_NAME_MAX    24
#define FAULT_FRAMES      2

struct fault_call {
	char name[FAULT_NAME_MAX];
	uint32_t pid;
	uint32_t frames[FAULT_FRAMES]; /* return addresses, from the program's start */
};

struct fault_file {
	uint32_t target; /* the call that fails; calls count from 1 */
	uint32_t count;
	uint32_t hit; /* the number of the call that has failed */
	uint32_t n_crashes;
	uint32_t crashes[FAULT_CRASHES_MAX]; /* wait statuses of children that crashed */
	uint32_t place[FAULT_FRAMES];        /* not 0: only calls from there count for the target */
	uint32_t place_count;
	uint32_t reserved;
	struct fault_call trace[FAULT_TRACE_MAX];
};

#endif
