/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways to hold up others by network calls; static, so that it runs in any root.
 *
 *	hog N M PORT SECONDS	N processes with M descriptors each, while one binds a port that
 *				somebody else holds: "binds 812 taken 812"
 *	binds N PORT		N binds of ports from PORT on, one a millisecond:
 *				"failed 0 slow 0 worst 3 ms", slow being more than 50 ms
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/helpers/clock.h"
#include "tests/helpers/commands.h"

#define SLOW_US 50000

/* Binds a new socket. Returns 0, or errno. */
static int bind_one(unsigned int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1, error = 0;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		error = errno;
	close(fd);
	return error;
}

static int cmd_hog(char **v)
{
	const double end = clock_us() + atof(v[3]) * 1e6;
	const int processes = atoi(v[0]), descriptors = atoi(v[1]);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), binds = 0, taken = 0;
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	for (int i = 0; i < descriptors; i++)
		if (dup(null) < 0)
			return 3;
	for (int i = 0; i < processes; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	puts("hogs");
	for (; clock_us() < end; binds++)
		taken += bind_one((unsigned int)atoi(v[2])) == EADDRINUSE;
	printf("binds %d taken %d\n", binds, taken);
	return 0;
}

static int cmd_binds(char **v)
{
	double worst = 0;
	int failed = 0, slow = 0, error = 0;

	for (int i = 0; i < atoi(v[0]); i++) {
		const double begin = clock_us();
		double took;
		int rc = bind_one((unsigned int)(atoi(v[1]) + i % 500));

		took = clock_us() - begin;
		failed += rc != 0;
		error = rc ? rc : error;
		slow += took > SLOW_US;
		worst = took > worst ? took : worst;
		usleep(1000);
	}
	printf("failed %d slow %d worst %ld ms%s%s\n", failed, slow, (long)(worst / 1000),
		error ? " " : "", error ? strerrorname_np(error) : "");
	return 0;
}

static const struct probe_command commands[] = {
	{ "hog", 4, cmd_hog },
	{ "binds", 2, cmd_binds },
};

int main(int argc, char **argv)
{
	return run_command(commands, sizeof(commands) / sizeof(commands[0]), argc, argv);
}
