/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that attacks network rules or measures what they cost; static, so that it runs in
 * any root. The verdict on an attack is what the listener saw, not what this prints.
 *
 *	swap GOOD BAD PORT SECONDS	connect while a thread flips the address
 *	swapsend KIND GOOD BAD PORT SECONDS	the same with sendto, sendmsg, sendmmsg or
 *					segments (sendmsg with UDP_SEGMENT)
 *	swapfd WHO BAD PORT N		connect a unix socket while a thread, or a process that
 *					shares the descriptors, puts a datagram socket in its
 *					place, then send
 *	mmsg GOOD BAD PORT		three datagrams, the second one to BAD
 *	unspec GOOD BAD PORT		connect, dissolve, connect: the results
 *	options BAD PORT		what might lead past a rule: the results
 *	hang DEAD GOOD PORT N		N connects to GOOD while one to DEAD hangs: microseconds
 *	crowd DEAD GOOD PORT N		the same while N to DEAD hang
 *	interrupt DEAD PORT		a connect that hangs and a signal: EINTR, or restarted
 *	nonblock GOOD DEAD PORT		EINPROGRESS, POLLOUT, SO_ERROR
 *	timeout DEAD PORT		SO_SNDTIMEO bounds a connect
 *	many GOOD PORT N		N threads that connect at the same time
 *	rate GOOD PORT N		N connects one after the other: per second, median
 *	exitrace GOOD BAD DEAD PORT N	N processes that end while eight threads connect
 *	ping GOOD			one echo over an ICMP socket
 *	swapping GOOD BAD SECONDS	echoes while a thread flips the address: who answers
 *	sendrate GOOD PORT N		N datagrams: per second
 *	own ADDRESS PORT N		the same as rate, with a listener of its own
 *	idle N				N processes that do nothing until it is killed
 *	serve ADDRESS PORT		takes connections and datagrams until it is killed
 */
#include "tests/helpers/netprobe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/helpers/commands.h"

struct sockaddr_in address(const char *ip, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (inet_pton(AF_INET, ip, &a.sin_addr) != 1)
		exit(2);
	return a;
}

const char *result(int rc)
{
	return rc >= 0 ? "ok" : strerrorname_np(errno);
}

void drop(int fd)
{
	const struct linger now = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

void *connect_once(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	long rc = connect(fd, arg, sizeof(struct sockaddr_in));

	rc = rc < 0 ? errno : 0;
	drop(fd);
	return (void *)rc;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

double series(struct sockaddr_in *a, int n)
{
	double *us = calloc((size_t)n, sizeof(*us)), begin = clock_us();
	int bad = 0;

	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		double t = clock_us();

		bad += connect(fd, (struct sockaddr *)a, sizeof(*a)) < 0;
		us[i] = clock_us() - t;
		drop(fd);
	}
	begin = clock_us() - begin;
	qsort(us, (size_t)n, sizeof(*us), compare);
	printf("median %.1f max %.0f failed %d\n", us[n / 2], us[n - 1], bad);
	free(us);
	return begin;
}

static int cmd_rate(char **v)
{
	struct sockaddr_in good = address(v[0], v[1]);
	int n = atoi(v[2]);
	double us = series(&good, n);

	printf("rate %.0f\n", n / us * 1e6);
	return 0;
}

static int cmd_sendrate(char **v)
{
	struct sockaddr_in good = address(v[0], v[1]);
	int n = atoi(v[2]), sent = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
	char data[64] = "x";
	double us = clock_us();

	for (int i = 0; i < n; i++)
		sent += sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&good, sizeof(good)) >
			0;
	us = clock_us() - us;
	printf("sent %d rate %.0f\n", sent, n / us * 1e6);
	return 0;
}

static int cmd_ping(char **v)
{
	struct sockaddr_in a = address(v[0], "0");
	const struct timeval bound = { .tv_sec = 2 };
	unsigned char echo[16] = { 8 }, back[64] = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof(bound));
	printf("%s",
		result((int)sendto(fd, echo, sizeof(echo), 0, (struct sockaddr *)&a, sizeof(a))));
	printf(" %zd\n", recv(fd, back, sizeof(back), 0));
	return 0;
}

static void *take_datagrams(void *arg)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char buf[2048];

	/* Without a rule for UDP such a socket carries nothing. */
	if (bind(fd, arg, sizeof(struct sockaddr_in)) < 0)
		return NULL;
	while (recv(fd, buf, sizeof(buf), 0) >= 0)
		;
	return NULL;
}

static int cmd_serve(char **v)
{
	struct sockaddr_in a = address(v[0], v[1]);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	pthread_t t;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 4096) < 0 ||
		pthread_create(&t, NULL, take_datagrams, &a) != 0)
		return 1;
	printf("up\n");
	for (;;) {
		int c = accept(fd, NULL, NULL);

		if (c >= 0)
			close(c);
	}
}

static int cmd_own(char **v)
{
	struct sockaddr_in a = address(v[0], v[1]);
	pid_t server = fork();
	int fd;

	if (server == 0)
		return cmd_serve(v);
	for (int i = 0; i < 1000; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
			break;
		close(fd);
		usleep(1000);
	}
	cmd_rate(v);
	return kill(server, SIGKILL);
}

static int cmd_idle(char **v)
{
	for (int i = atoi(v[0]); i > 0; i--) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	printf("up\n");
	return pause();
}

static const struct probe_command commands[] = {
	{ "swap", 4, cmd_swap },
	{ "swapsend", 5, cmd_swapsend },
	{ "swapfd", 4, cmd_swapfd },
	{ "mmsg", 3, cmd_mmsg },
	{ "unspec", 3, cmd_unspec },
	{ "options", 2, cmd_options },
	{ "hang", 4, cmd_hang },
	{ "crowd", 4, cmd_crowd },
	{ "interrupt", 2, cmd_interrupt },
	{ "nonblock", 3, cmd_nonblock },
	{ "timeout", 2, cmd_timeout },
	{ "many", 3, cmd_many },
	{ "rate", 3, cmd_rate },
	{ "exitrace", 5, cmd_exitrace },
	{ "ping", 1, cmd_ping },
	{ "swapping", 3, cmd_swapping },
	{ "sendrate", 3, cmd_sendrate },
	{ "own", 3, cmd_own },
	{ "idle", 1, cmd_idle },
	{ "serve", 2, cmd_serve },
};

int main(int argc, char **argv)
{
	return run_command(commands, sizeof(commands) / sizeof(commands[0]), argc, argv);
}
