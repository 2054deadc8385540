/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a container as a table: for each state and event the next state, or the error
 * message that runc's callers expect (runtime.md, "Lifecycle").
 */
#ifndef SANDLOCK_SUPERVISOR_LIFECYCLE_H
#define SANDLOCK_SUPERVISOR_LIFECYCLE_H

enum life {
	LIFE_CREATED,  /* the workload waits before execve */
	LIFE_STARTING, /* released, execve not yet confirmed */
	LIFE_RUNNING,
	LIFE_PAUSED,
	LIFE_ENDING, /* the main process has ended, the rest is being killed */
	LIFE_COUNT,
};

enum life_event {
	EVENT_START,
	EVENT_HELD, /* the start has failed before the release; it can be tried again */
	EVENT_EXECUTED,
	EVENT_EXEC, /* `exec` of another process */
	EVENT_PAUSE,
	EVENT_RESUME,
	EVENT_ENDED,
	EVENT_COUNT,
};

/* Returns NULL and sets *life, or returns the reason for which the event is refused. */
const char *life_step(enum life *life, enum life_event event);

#endif
