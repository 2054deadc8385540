/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/listen_fds.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* -1: not set, or no number. */
static long number(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long v;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	v = strtol(text, &end, 10);
	return errno || *end ? -1 : v;
}

long listen_fds_count(void)
{
	long n = number("LISTEN_FDS");

	return n > 0 && number("LISTEN_PID") == getpid() ? n : 0;
}

void listen_fds_tell(struct arena *a, long n, struct plan_own_env *env)
{
	const char *names = getenv("LISTEN_FDNAMES");

	plan_own_env_add(env, arena_printf(a, "LISTEN_FDS=%ld", n));
	plan_own_env_add(env, PLAN_LISTEN_PID);
	if (names)
		plan_own_env_add(env, arena_printf(a, "LISTEN_FDNAMES=%s", names));
}
