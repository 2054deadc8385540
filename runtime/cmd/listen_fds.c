/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/listen_fds.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* -1: the variable is not set or not a number. */
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

struct container_listen listen_fds_given(void)
{
	long n = number("LISTEN_FDS");

	if (n <= 0 || number("LISTEN_PID") != getpid())
		return (struct container_listen){ 0 };
	return (struct container_listen){ .n = n, .names = getenv("LISTEN_FDNAMES") };
}
