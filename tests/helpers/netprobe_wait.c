/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that wait, are interrupted, or come many at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/helpers/netprobe.h"

static atomic_int waiting;

int cmd_hang(char **v)
{
	struct sockaddr_in dead = address(v[0], v[2]), good = address(v[1], v[2]);
	pthread_t t;

	series(&good, atoi(v[3]));
	pthread_create(&t, NULL, connect_once, &dead);
	usleep(100000);
	series(&good, atoi(v[3]));
	fflush(stdout);
	_exit(0);
}

static void *connect_waiting(void *arg)
{
	waiting++;
	connect_once(arg);
	waiting--;
	return NULL;
}

int cmd_crowd(char **v)
{
	struct sockaddr_in dead = address(v[0], v[2]), good = address(v[1], v[2]);
	int n = atoi(v[3]);
	pthread_attr_t small;
	pthread_t t;

	series(&good, 500);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, &small, connect_waiting, &dead) != 0)
			return 3;
	usleep(1000000);
	series(&good, 500);
	printf("waiting %d\n", waiting);
	fflush(stdout);
	_exit(0);
}

static void on_signal(int sig)
{
	(void)sig;
}

/* Without SA_RESTART a signal ends the call with EINTR; with it the call goes on, and a kill ends
 * it. */
int cmd_interrupt(char **v)
{
	struct sockaddr_in dead = address(v[0], v[1]);
	const struct itimerval often = { { 0, 200000 }, { 0, 200000 } }, off = { 0 };
	struct sigaction act = { .sa_handler = on_signal };
	int fd = socket(AF_INET, SOCK_STREAM, 0), status = 0;
	double t = clock_us();
	pid_t child;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	printf("%s", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf(" %d\n", clock_us() - t > 150000 && clock_us() - t < 400000);
	setitimer(ITIMER_REAL, &off, NULL);
	close(fd);
	act.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &act, NULL);
	child = fork();
	if (child == 0) {
		setitimer(ITIMER_REAL, &often, NULL);
		fd = socket(AF_INET, SOCK_STREAM, 0);
		_exit(connect(fd, (struct sockaddr *)&dead, sizeof(dead)) < 0);
	}
	usleep(900000);
	printf("restarted %s\n", wait4(child, &status, WNOHANG, NULL) == 0 ? "waits" : "ended");
	t = clock_us();
	kill(child, SIGKILL);
	wait4(child, &status, 0, NULL);
	printf("killed %d\n", clock_us() - t < 100000);
	return 0;
}

int cmd_nonblock(char **v)
{
	struct sockaddr_in good = address(v[0], v[2]), dead = address(v[1], v[2]);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = -1;
	socklen_t len = sizeof(error);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int rc = connect(fd, (struct sockaddr *)&good, sizeof(good));

	printf("%s", rc < 0 && errno == EINPROGRESS ? "ok" : result(rc));
	poll(&p, 1, 1000);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	printf(" %d %d\n", (p.revents & POLLOUT) != 0, error);
	drop(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	printf("%s", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf(" %s\n", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf("flags %d\n", (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
	return 0;
}

int cmd_timeout(char **v)
{
	struct sockaddr_in dead = address(v[0], v[1]);
	const struct timeval bound = { .tv_usec = 300000 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	double t = clock_us();

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound));
	printf("%s", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf(" %d\n", clock_us() - t > 250000 && clock_us() - t < 600000);
	return 0;
}

int cmd_many(char **v)
{
	struct sockaddr_in good = address(v[0], v[1]);
	int n = atoi(v[2]), ok = 0;
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], &small, connect_once, &good) != 0)
			return 3;
	for (int i = 0; i < n; i++) {
		void *rc;

		pthread_join(t[i], &rc);
		ok += rc == NULL;
	}
	printf("ok %d of %d\n", ok, n);
	return 0;
}
