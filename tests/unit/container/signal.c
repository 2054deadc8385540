/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals as callers write them: names with and without SIG in any case, second names, numbers,
 * real-time ones from both ends.
 */
#include <signal.h>

#include "runtime/container/container.h"
#include "tests/unit/check.h"

static int number(const char *text)
{
	struct sl_err err;
	int sig = -1;

	return container_parse_signal(text, &sig, &err) == 0 ? sig : -1;
}

int main(void)
{
	CHECK(number("KILL") == SIGKILL && number("SIGKILL") == SIGKILL && number("sigkill") == 9);
	CHECK(number("IOT") == SIGABRT && number("CLD") == SIGCHLD && number("IO") == SIGIO);
	CHECK(number("0") == 0 && number("15") == SIGTERM && number("64") == SIGRTMAX);
	CHECK(number("RTMIN") == SIGRTMIN && number("SIGRTMIN+3") == SIGRTMIN + 3);
	CHECK(number("RTMAX") == SIGRTMAX && number("RTMAX-1") == SIGRTMAX - 1);
	CHECK(number("") == -1 && number("SIG") == -1 && number("65") == -1 && number("-1") == -1);
	CHECK(number("RTMIN-1") == -1 && number("RTMAX+1") == -1 && number("9x") == -1);
	return check_done();
}
