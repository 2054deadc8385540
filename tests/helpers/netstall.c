/* SPDX-License-Identifier: Apache-2.0
 *
 * Connects that would hold whoever does them for the caller: the listener's queue is full, and
 * what bounds the call on the socket is taken away by another thread in its moment. Static.
 *
 *	netstall bound|flag|unix in	for ever: a container's threads, whose calls are trapped
 *	netstall bound|flag|unix alone	by itself, with the bound that a supervisor would lend;
 *					"held" as soon as a call stays in the kernel, or "free"
 *	netstall bound room		the errno of three connects that must not wait, the queue
 *					having room for one, and of one that waits for room
 *
 *	netstall linger in		its number, and then sends for ever, with SO_LINGER
 *	netstall linger alone		"held" when closing such a socket takes long
 *
 * bound: SO_SNDTIMEO of a TCP socket is reset; flag: O_NONBLOCK is cleared; unix: as bound, on a
 * unix socket with a path.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define HELD_MS     1000 /* longer than any call that the supervisor bounds */
#define CALL_MS     150
#define JUDGING_NS  20000L
#define TRIES_ALONE 400

static struct sockaddr_storage there;
static socklen_t there_len;
static bool clears_flag;
static atomic_int current = -1;
static atomic_int done;

static void nothing(int sig)
{
	(void)sig;
}

static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static int new_socket(int flags)
{
	return socket(there.ss_family, SOCK_STREAM | flags, 0);
}

static int connect_there(int fd)
{
	return connect(fd, (const struct sockaddr *)&there, there_len);
}

/* The right moment cannot be known, so it changes the socket all the time. */
static void *lift(void *arg)
{
	const struct timeval none = { 0 };

	(void)arg;
	for (unsigned int i = 0;; i++) {
		int fd = current;

		if (fd < 0)
			continue;
		if (!clears_flag) {
			setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof(none));
			continue;
		}
		for (volatile unsigned int wait = i * 7919 % 100000; wait > 0; wait--)
			;
		fcntl(fd, F_SETFL, 0);
	}
	return NULL;
}

static void *make_room(void *arg)
{
	pause_ns(300000000L);
	for (;;)
		accept(*(int *)arg, NULL, NULL);
	return NULL;
}

static void say(int rc)
{
	puts(rc == 0 ? "ok" : strerrorname_np(errno));
}

static void fill(const char *kind, bool room)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&there;
	struct sockaddr_un *un = (struct sockaddr_un *)&there;
	static int fd;
	pthread_t t;

	if (strcmp(kind, "unix") == 0) {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "/tmp/stall.%d", getpid());
		there_len = sizeof(*un);
	} else {
		v4->sin_family = AF_INET;
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		there_len = sizeof(*v4);
	}
	fd = new_socket(0);
	if (bind(fd, (struct sockaddr *)&there, there_len) < 0 ||
		getsockname(fd, (struct sockaddr *)&there, &there_len) < 0 || listen(fd, 0) < 0) {
		perror("netstall: listen");
		exit(3);
	}
	for (int i = 0; i < 3; i++) {
		int rc = connect_there(new_socket(SOCK_NONBLOCK));

		if (room)
			say(rc);
	}
	if (room) {
		pthread_create(&t, NULL, make_room, &fd);
		say(connect_there(new_socket(0)));
		exit(0);
	}
}

/* Acts like a supervisor that trusts the socket: checks it, sets a timeout, and connects. */
static void *act_alone(void *arg)
{
	const struct timeval moment = { .tv_usec = 1 };
	int fd = *(int *)arg;

	current = fd;
	if (!clears_flag) {
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof(moment));
		connect_there(fd);
	} else if (fcntl(fd, F_GETFL) & O_NONBLOCK) {
		pause_ns(JUDGING_NS);
		connect_there(fd);
	}
	done = 1;
	return NULL;
}

static void *act_trapped(void *arg)
{
	current = *(int *)arg;
	connect_there(*(int *)arg);
	done = 1;
	return NULL;
}

/* Returns whether the call went on until it was interrupted. */
static bool attempt(void *(*act)(void *), long limit_ms)
{
	int fd = new_socket(clears_flag ? SOCK_NONBLOCK : 0);
	pthread_t t;
	bool held;

	done = 0;
	pthread_create(&t, NULL, act, &fd);
	for (long ms = 0; !done && ms < limit_ms; ms += 1)
		pause_ns(1000000);
	current = -1;
	held = !done;
	while (!done) {
		pthread_kill(t, SIGUSR1);
		pause_ns(1000000);
	}
	pthread_join(t, NULL);
	close(fd);
	return held;
}

static void *sleep_beside(void *arg)
{
	pause();
	return arg;
}

static pid_t taker;

/* Makes a socket that is connected to a process that reads nothing. */
static int lingering_socket(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct linger long_time = { 1, 600 };
	socklen_t len = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&a, len) < 0 || listen(listener, 1) < 0 ||
		getsockname(listener, (struct sockaddr *)&a, &len) < 0)
		return -1;
	taker = fork();
	if (taker == 0) {
		close(fd);
		accept(listener, NULL, NULL);
		pause();
	}
	close(listener);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &long_time, sizeof(long_time)) < 0)
		return -1;
	return connect(fd, (struct sockaddr *)&a, len) < 0 ? -1 : fd;
}

static int send_all(int fd, int flags)
{
	static char block[1 << 16];
	struct iovec iov = { block, sizeof(block) };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };

	while (sendmsg(fd, &h, flags) > 0)
		;
	return errno;
}

static int linger(bool alone)
{
	const time_t began = time(NULL);
	int fd = lingering_socket();
	pthread_t t;

	if (fd < 0)
		return 3;
	if (!alone) {
		/* For a process with a second thread the supervisor sends. */
		pthread_create(&t, NULL, sleep_beside, NULL);
		printf("%d\n", getpid());
		return send_all(fd, 0);
	}
	/* Data in flight does not make room any more. */
	for (int i = 0; i < 20; i++) {
		send_all(fd, MSG_DONTWAIT);
		pause_ns(10000000);
	}
	alarm(2);
	signal(SIGALRM, nothing);
	close(fd);
	puts(time(NULL) > began ? "held" : "free");
	return kill(taker, SIGKILL);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = nothing };
	pthread_t t;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGUSR1, &act, NULL);
	if (strcmp(argv[1], "linger") == 0)
		return linger(strcmp(argv[2], "alone") == 0);
	clears_flag = strcmp(argv[1], "flag") == 0;
	fill(argv[1], strcmp(argv[2], "room") == 0);
	pthread_create(&t, NULL, lift, NULL);
	if (strcmp(argv[2], "in") == 0) {
		puts("begun");
		for (;;)
			attempt(act_trapped, CALL_MS);
	}
	for (int i = 0; i < TRIES_ALONE; i++) {
		if (attempt(act_alone, HELD_MS)) {
			puts("held");
			return 0;
		}
	}
	puts("free");
	return 1;
}
