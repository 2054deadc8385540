/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a process that a timer interrupts all the time: signal(7) lists none of them among
 * those that end with EINTR after a handler with SA_RESTART.
 */
#include "tests/helpers/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

#define CALLS_MAX 20000

static void nothing(int sig)
{
	(void)sig;
}

static int once_uname(int sock)
{
	struct utsname u;

	(void)sock;
	return uname(&u);
}

static int once_socket(int sock)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)sock;
	return fd < 0 ? -1 : close(fd);
}

static struct sockaddr_in loopback(in_port_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* One that ended with EINTR has done nothing: a second one would fail otherwise. */
static int once_bind(int sock)
{
	struct sockaddr_in a = loopback(0);
	int fd, rc, code;

	(void)sock;
	while ((fd = socket(AF_INET, SOCK_STREAM, 0)) < 0 && errno == EINTR)
		;
	rc = bind(fd, (struct sockaddr *)&a, sizeof(a));
	code = errno;
	if (rc < 0 && code == EINTR) {
		while ((rc = bind(fd, (struct sockaddr *)&a, sizeof(a))) < 0 && errno == EINTR)
			;
		code = rc < 0 ? errno : EINTR;
		rc = -1;
	}
	close(fd);
	errno = code;
	return rc;
}

static int once_getifaddrs(int sock)
{
	struct ifaddrs *list = NULL;

	(void)sock;
	if (getifaddrs(&list) < 0)
		return -1;
	freeifaddrs(list);
	return 0;
}

static int once_ioctl(int sock)
{
	struct ifreq r = { .ifr_name = "lo" };

	return ioctl(sock, SIOCGIFFLAGS, &r);
}

static int once_sendto(int sock)
{
	struct sockaddr_in a = loopback(9);
	ssize_t n = sendto(sock, "x", 1, 0, (struct sockaddr *)&a, sizeof(a));

	return n < 0 && errno != ECONNREFUSED ? -1 : 0;
}

static int once_connect(int sock)
{
	struct sockaddr_in a = loopback(9);

	return connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0 && errno != ECONNREFUSED ? -1
											    : 0;
}

static int once_msgget(int sock)
{
	(void)sock;
	return msgget(0x73616e64, 0600) < 0 && errno != ENOENT ? -1 : 0;
}

static const struct {
	const char *name;
	int (*once)(int sock);
} calls[] = {
	{ "uname", once_uname },
	{ "socket", once_socket },
	{ "bind", once_bind },
	{ "getifaddrs", once_getifaddrs },
	{ "ioctl", once_ioctl },
	{ "sendto", once_sendto },
	{ "connect", once_connect },
	{ "msgget", once_msgget },
};

static void many(size_t which, double seconds)
{
	const double end = clock_us() + seconds * 1e6;
	int n = 0, interrupted = 0, failed = 0, code = 0, sock;

	while ((sock = socket(AF_INET, SOCK_DGRAM, 0)) < 0 && errno == EINTR)
		;
	for (; n < CALLS_MAX && clock_us() < end; n++) {
		if (calls[which].once(sock) == 0)
			continue;
		if (errno == EINTR)
			interrupted++;
		else
			failed++, code = errno;
	}
	close(sock);
	printf("%s EINTR %d failed %d %s of %s\n", calls[which].name, interrupted, failed,
		code ? strerror(code) : "", n < 100 ? "too few" : "many");
}

/* timer restart|interrupt SECONDS: each call for so long, or 20000 times, with a timer at 500 us
 * whose handler restarts calls, or does not. */
int probe_timer(int argc, char **argv)
{
	const struct itimerval every = { { 0, 500 }, { 0, 500 } };
	struct sigaction sa = { .sa_handler = nothing };

	if (argc != 2)
		return 2;
	sa.sa_flags = strcmp(argv[0], "restart") == 0 ? SA_RESTART : 0;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		many(i, strtod(argv[1], NULL));
	return 0;
}
