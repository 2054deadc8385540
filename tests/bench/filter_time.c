/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of the default filter, and the time to build and to install it: best and
 * median of 200, each install in a fresh process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/confine/filter.h"
#include "tests/helpers/clock.h"
#include "tests/unit/confine/child.h"

#define ROUNDS 200

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure_install(const struct sock_filter *insns, size_t n, double *ret)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		double start = clock_us();
		double took = child_filter(insns, n, 0) < 0 ? -1 : clock_us() - start;

		_exit(write(fds[1], &took, sizeof(took)) != sizeof(took));
	}
	close(fds[1]);
	if (pid < 0 || read(fds[0], ret, sizeof(*ret)) != sizeof(*ret))
		*ret = -1;
	close(fds[0]);
	waitpid(pid, NULL, 0);
	return *ret < 0 ? -1 : 0;
}

int main(void)
{
	static struct sock_filter insns[FILTER_MAX];
	const struct filter_params p = { 100, 101, 102, 103, .trap_uname = true };
	double build[ROUNDS], install[ROUNDS];
	struct sl_err err;
	size_t n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = clock_us();

		if (filter_build(&p, insns, FILTER_MAX, &n, &err) < 0)
			return 1;
		build[i] = clock_us() - start;
		if (measure_install(insns, n, &install[i]) < 0)
			return 1;
	}
	qsort(build, ROUNDS, sizeof(build[0]), by_value);
	qsort(install, ROUNDS, sizeof(install[0]), by_value);
	printf("filter: %zu instructions, build %.0f/%.0f us, install %.0f/%.0f us (best/median)\n",
		n, build[0], build[ROUNDS / 2], install[0], install[ROUNDS / 2]);
	return 0;
}
