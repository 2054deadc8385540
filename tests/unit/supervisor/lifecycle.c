/* SPDX-License-Identifier: Apache-2.0
 *
 * Every state with every event: where it leads, or the words of the refusal. The table is
 * written again here on purpose: a change of the lifecycle is made twice or it is a slip.
 */
#include "runtime/supervisor/lifecycle.h"

#include <stdlib.h>

#include "tests/unit/check.h"

struct want {
	enum life from;
	enum life_event event;
	enum life to;
	const char *refusal;
};

static const struct want wants[] = {
	{ LIFE_CREATED, EVENT_START, LIFE_STARTING, NULL },
	{ LIFE_CREATED, EVENT_HELD, LIFE_CREATED, "the container is not being started" },
	{ LIFE_CREATED, EVENT_EXECUTED, LIFE_CREATED, "the container was not started" },
	{ LIFE_CREATED, EVENT_EXEC, LIFE_CREATED, NULL },
	{ LIFE_CREATED, EVENT_PAUSE, LIFE_CREATED, "container not running" },
	{ LIFE_CREATED, EVENT_RESUME, LIFE_CREATED, "container not paused" },
	{ LIFE_CREATED, EVENT_ENDED, LIFE_ENDING, NULL },

	{ LIFE_STARTING, EVENT_START, LIFE_STARTING, "cannot start an already running container" },
	{ LIFE_STARTING, EVENT_HELD, LIFE_CREATED, NULL },
	{ LIFE_STARTING, EVENT_EXECUTED, LIFE_RUNNING, NULL },
	{ LIFE_STARTING, EVENT_EXEC, LIFE_STARTING, NULL },
	{ LIFE_STARTING, EVENT_PAUSE, LIFE_STARTING, "container not running" },
	{ LIFE_STARTING, EVENT_RESUME, LIFE_STARTING, "container not paused" },
	{ LIFE_STARTING, EVENT_ENDED, LIFE_ENDING, NULL },

	{ LIFE_RUNNING, EVENT_START, LIFE_RUNNING, "cannot start an already running container" },
	{ LIFE_RUNNING, EVENT_HELD, LIFE_RUNNING, "the container is not being started" },
	{ LIFE_RUNNING, EVENT_EXECUTED, LIFE_RUNNING, NULL },
	{ LIFE_RUNNING, EVENT_EXEC, LIFE_RUNNING, NULL },
	{ LIFE_RUNNING, EVENT_PAUSE, LIFE_PAUSED, NULL },
	{ LIFE_RUNNING, EVENT_RESUME, LIFE_RUNNING, "container not paused" },
	{ LIFE_RUNNING, EVENT_ENDED, LIFE_ENDING, NULL },

	{ LIFE_PAUSED, EVENT_START, LIFE_PAUSED, "cannot start an already running container" },
	{ LIFE_PAUSED, EVENT_HELD, LIFE_PAUSED, "the container is not being started" },
	{ LIFE_PAUSED, EVENT_EXECUTED, LIFE_PAUSED, NULL },
	{ LIFE_PAUSED, EVENT_EXEC, LIFE_PAUSED, "cannot exec in a paused container" },
	{ LIFE_PAUSED, EVENT_PAUSE, LIFE_PAUSED, "container paused" },
	{ LIFE_PAUSED, EVENT_RESUME, LIFE_RUNNING, NULL },
	{ LIFE_PAUSED, EVENT_ENDED, LIFE_ENDING, NULL },

	{ LIFE_ENDING, EVENT_START, LIFE_ENDING, "cannot start a container that has stopped" },
	{ LIFE_ENDING, EVENT_HELD, LIFE_ENDING, "the container is not being started" },
	{ LIFE_ENDING, EVENT_EXECUTED, LIFE_ENDING, NULL },
	{ LIFE_ENDING, EVENT_EXEC, LIFE_ENDING, "cannot exec in a stopped container" },
	{ LIFE_ENDING, EVENT_PAUSE, LIFE_ENDING, "container not running" },
	{ LIFE_ENDING, EVENT_RESUME, LIFE_ENDING, "container not paused" },
	{ LIFE_ENDING, EVENT_ENDED, LIFE_ENDING, NULL },
};

#define N_WANTS (sizeof(wants) / sizeof(wants[0]))

int main(void)
{
	int seen[LIFE_COUNT][EVENT_COUNT] = { 0 };

	CHECK(N_WANTS == (size_t)LIFE_COUNT * EVENT_COUNT);
	for (size_t i = 0; i < N_WANTS; i++) {
		const struct want *w = &wants[i];
		enum life life = w->from;
		const char *refusal = life_step(&life, w->event);

		seen[w->from][w->event]++;
		if (!CHECK(life == w->to && !refusal == !w->refusal))
			printf("# state %d, event %d\n", (int)w->from, (int)w->event);
		if (w->refusal)
			CHECK_CONTAINS(refusal, w->refusal);
	}
	for (int s = 0; s < LIFE_COUNT; s++)
		for (int e = 0; e < EVENT_COUNT; e++)
			CHECK(seen[s][e] == 1);
	return check_done();
}
