/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/supervisor/lifecycle.h"

#include <stddef.h>

struct step {
	enum life next;
	const char *refusal; /* NULL: the event is possible */
};

#define TO(state)                                                                                  \
	{                                                                                          \
		.next = LIFE_##state                                                               \
	}
#define NO(text)                                                                                   \
	{                                                                                          \
		.refusal = text                                                                    \
	}

static const struct step steps[LIFE_COUNT][EVENT_COUNT] = {
	[LIFE_CREATED] = {
		[EVENT_START] = TO(STARTING),
		[EVENT_HELD] = NO("the container is not being started"),
		[EVENT_EXECUTED] = NO("the container was not started"),
		[EVENT_EXEC] = TO(CREATED),
		[EVENT_PAUSE] = NO("container not running"),
		[EVENT_RESUME] = NO("container not paused"),
		[EVENT_ENDED] = TO(ENDING),
	},
	[LIFE_STARTING] = {
		[EVENT_START] = NO("cannot start an already running container"),
		[EVENT_HELD] = TO(CREATED),
		[EVENT_EXECUTED] = TO(RUNNING),
		[EVENT_EXEC] = TO(STARTING),
		[EVENT_PAUSE] = NO("container not running"),
		[EVENT_RESUME] = NO("container not paused"),
		[EVENT_ENDED] = TO(ENDING),
	},
	[LIFE_RUNNING] = {
		[EVENT_START] = NO("cannot start an already running container"),
		[EVENT_HELD] = NO("the container is not being started"),
		[EVENT_EXECUTED] = TO(RUNNING),
		[EVENT_EXEC] = TO(RUNNING),
		[EVENT_PAUSE] = TO(PAUSED),
		[EVENT_RESUME] = NO("container not paused"),
		[EVENT_ENDED] = TO(ENDING),
	},
	[LIFE_PAUSED] = {
		[EVENT_START] = NO("cannot start an already running container"),
		[EVENT_HELD] = NO("the container is not being started"),
		[EVENT_EXECUTED] = TO(PAUSED),
		[EVENT_EXEC] = NO("cannot exec in a paused container "
				  "(use --ignore-paused to override)"),
		[EVENT_PAUSE] = NO("container paused"),
		[EVENT_RESUME] = TO(RUNNING),
		[EVENT_ENDED] = TO(ENDING),
	},
	[LIFE_ENDING] = {
		[EVENT_START] = NO("cannot start a container that has stopped"),
		[EVENT_HELD] = NO("the container is not being started"),
		[EVENT_EXECUTED] = TO(ENDING),
		[EVENT_EXEC] = NO("cannot exec in a stopped container"),
		[EVENT_PAUSE] = NO("container not running"),
		[EVENT_RESUME] = NO("container not paused"),
		[EVENT_ENDED] = TO(ENDING),
	},
};

const char *life_step(enum life *life, enum life_event event)
{
	const struct step *s = &steps[*life][event];

	if (s->refusal)
		return s->refusal;
	*life = s->next;
	return NULL;
}
