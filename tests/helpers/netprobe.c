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
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool over;
static atomic_int waiting;

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static struct sockaddr_in address(const char *ip, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (inet_pton(AF_INET, ip, &a.sin_addr) != 1)
		exit(2);
	return a;
}

static const char *result(int rc)
{
	return rc >= 0 ? "ok" : strerrorname_np(errno);
}

/* The socket is reset at once: the other end is counted when it is accepted. */
static void drop(int fd)
{
	const struct linger now = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

struct flip {
	volatile uint32_t *where;
	uint32_t values[2];
};

static void *flip(void *arg)
{
	struct flip *f = arg;

	for (unsigned int i = 0; !over; i++)
		*f->where = f->values[i & 1];
	return NULL;
}

static int cmd_swap(char **v)
{
	struct sockaddr_in a = address(v[0], v[2]), bad = address(v[1], v[2]);
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = now_us() + atof(v[3]) * 1e6;
	int good = 0, refused = 0;
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (now_us() < end) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		int rc = connect(fd, (struct sockaddr *)&a, sizeof(a));

		good += rc == 0;
		refused += rc < 0 && errno == ECONNREFUSED;
		drop(fd);
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d refused %d\n", good, refused);
	return 0;
}

#define SEGMENT  100
#define SEGMENTS 3

/* udp(7), UDP_SEGMENT: one call, three datagrams. Returns 1 for all of it. */
static int send_segments(int fd, struct msghdr *h)
{
	_Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
	const struct cmsghdr head = {
		.cmsg_len = CMSG_LEN(sizeof(uint16_t)), .cmsg_level = IPPROTO_UDP, .cmsg_type = 103
	};
	const uint16_t size = SEGMENT;
	static char bytes[SEGMENT * SEGMENTS];
	struct iovec iov = { bytes, sizeof(bytes) };
	ssize_t rc;

	memcpy(control, &head, sizeof(head));
	memcpy(control + CMSG_LEN(0), &size, sizeof(size));
	h->msg_iov = &iov;
	h->msg_control = control;
	h->msg_controllen = sizeof(control);
	rc = sendmsg(fd, h, 0);
	return rc == (ssize_t)sizeof(bytes) ? 1 : (int)rc;
}

static int send_kind(const char *kind, int fd, struct sockaddr_in *a)
{
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_name = a,
				     .msg_namelen = sizeof(*a),
				     .msg_iov = &iov,
				     .msg_iovlen = 1 } };

	if (strcmp(kind, "segments") == 0)
		return send_segments(fd, &m.msg_hdr);
	if (strcmp(kind, "sendto") == 0)
		return (int)sendto(fd, &byte, 1, 0, (struct sockaddr *)a, sizeof(*a));
	if (strcmp(kind, "sendmsg") == 0)
		return (int)sendmsg(fd, &m.msg_hdr, 0);
	return sendmmsg(fd, &m, 1, 0);
}

static int cmd_swapsend(char **v)
{
	struct sockaddr_in a = address(v[1], v[3]), bad = address(v[2], v[3]);
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = now_us() + atof(v[4]) * 1e6;
	int good = 0, refused = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (now_us() < end) {
		int rc = send_kind(v[0], fd, &a);

		good += rc == 1;
		refused += rc < 0 && errno == ECONNREFUSED;
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d refused %d\n", good, refused);
	return 0;
}

struct fds {
	int slot;
	int unix_fd;
	int udp_fd;
};

static void *flip_fd(void *arg)
{
	struct fds *f = arg;

	for (unsigned int i = 0; !over; i++)
		dup2(i & 1 ? f->udp_fd : f->unix_fd, f->slot);
	return NULL;
}

static int cmd_swapfd(char **v)
{
	struct sockaddr_in bad = address(v[1], v[2]);
	struct fds f = { 100, socket(AF_UNIX, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0) };
	int n = atoi(v[3]), connected = 0;
	bool process = strcmp(v[0], "process") == 0;
	pid_t child = 0;
	pthread_t t;

	dup2(f.unix_fd, f.slot);
	if (process) {
		child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
		if (child == 0)
			flip_fd(&f);
		if (child < 0)
			return 1;
	} else {
		pthread_create(&t, NULL, flip_fd, &f);
	}
	for (int i = 0; i < n; i++) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);

		/* An internet address on what looks like a unix socket. */
		connect(f.slot, (struct sockaddr *)&bad, sizeof(bad));
		if (getpeername(f.udp_fd, (struct sockaddr *)&peer, &len) == 0) {
			connected++;
			send(f.udp_fd, "x", 1, 0);
		}
	}
	over = true;
	if (process) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	} else {
		pthread_join(t, NULL);
	}
	printf("connected %d of %d\n", connected, n);
	return 0;
}

static int cmd_mmsg(char **v)
{
	struct sockaddr_in a[3] = { address(v[0], v[2]), address(v[1], v[2]), address(v[0], v[2]) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), rc;
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr m[3] = { 0 };

	for (int i = 0; i < 3; i++)
		m[i].msg_hdr = (struct msghdr){ .msg_name = &a[i],
			.msg_namelen = sizeof(a[i]),
			.msg_iov = &iov,
			.msg_iovlen = 1 };
	rc = sendmmsg(fd, m, 3, 0);
	printf("sent %d first %u\n", rc, m[0].msg_len);
	rc = sendmmsg(fd, m + 1, 2, 0);
	printf("bad first %s\n", result(rc));
	return 0;
}

static int cmd_unspec(char **v)
{
	struct sockaddr_in good = address(v[0], v[2]), bad = address(v[1], v[2]);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	printf("%s", result(connect(fd, (struct sockaddr *)&good, sizeof(good))));
	printf(" %s", result(connect(fd, &none, sizeof(none))));
	printf(" %s", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	printf(" %s\n", result(connect(fd, (struct sockaddr *)&good, sizeof(good))));
	return 0;
}

static void try_option(int fd, int level, int name, const void *p, socklen_t n, const char *what)
{
	printf("%s %s\n", what, result(setsockopt(fd, level, name, p, n)));
}

static int cmd_options(char **v)
{
	/* Loose source routing over the address. */
	unsigned char lsrr[12] = { 1, 131, 7, 4 };
	struct sockaddr_in bad = address(v[0], v[1]);
	struct sockaddr_in6 mapped = { .sin6_family = AF_INET6, .sin6_port = bad.sin_port };
	int fd = socket(AF_INET, SOCK_STREAM, 0), fd6 = socket(AF_INET6, SOCK_STREAM, 0);
	int on = 1;

	memcpy(lsrr + 4, &bad.sin_addr, 4);
	try_option(fd, IPPROTO_IP, IP_OPTIONS, lsrr, sizeof(lsrr), "IP_OPTIONS");
	try_option(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3, "SO_BINDTODEVICE");
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	printf("fastopen %s\n", result((int)sendto(fd, "x", 1, MSG_FASTOPEN,
					(struct sockaddr *)&bad, sizeof(bad))));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	try_option(fd, IPPROTO_TCP, 30 /* TCP_FASTOPEN_CONNECT */, &on, sizeof(on), "deferred");
	printf("connect %s\n", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
	memcpy(mapped.sin6_addr.s6_addr + 12, &bad.sin_addr, 4);
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	printf("mapped %s\n", result(connect(fd6, (struct sockaddr *)&mapped, sizeof(mapped))));
	bad.sin_addr.s_addr = 0;
	printf("zero %s\n", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	memset(&mapped.sin6_addr, 0, sizeof(mapped.sin6_addr));
	close(fd6);
	fd6 = socket(AF_INET6, SOCK_STREAM, 0);
	printf("zero6 %s\n", result(connect(fd6, (struct sockaddr *)&mapped, sizeof(mapped))));
	printf("short %s\n", result(connect(fd, (struct sockaddr *)&bad, 8)));
	printf("long %s\n", result(connect(fd, (struct sockaddr *)&bad, 4096)));
	printf("fault %s\n", result(connect(fd, (struct sockaddr *)8, sizeof(bad))));
	printf("badfd %s\n", result(connect(999, (struct sockaddr *)&bad, sizeof(bad))));
	printf("notsock %s\n", result(connect(0, (struct sockaddr *)&bad, sizeof(bad))));
	return 0;
}

static void *connect_once(void *arg)
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

/* Returns the microseconds of all; prints median and maximum. */
static double series(struct sockaddr_in *a, int n)
{
	double *us = calloc((size_t)n, sizeof(*us)), begin = now_us();
	int bad = 0;

	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		double t = now_us();

		bad += connect(fd, (struct sockaddr *)a, sizeof(*a)) < 0;
		us[i] = now_us() - t;
		drop(fd);
	}
	begin = now_us() - begin;
	qsort(us, (size_t)n, sizeof(*us), compare);
	printf("median %.1f max %.0f failed %d\n", us[n / 2], us[n - 1], bad);
	free(us);
	return begin;
}

static int cmd_hang(char **v)
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

static int cmd_crowd(char **v)
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

/* Without SA_RESTART a signal ends it with EINTR, with it the call goes on; a kill ends it. */
static int cmd_interrupt(char **v)
{
	struct sockaddr_in dead = address(v[0], v[1]);
	const struct itimerval often = { { 0, 200000 }, { 0, 200000 } }, off = { 0 };
	struct sigaction act = { .sa_handler = on_signal };
	int fd = socket(AF_INET, SOCK_STREAM, 0), status = 0;
	double t = now_us();
	pid_t child;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	printf("%s", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf(" %d\n", now_us() - t > 150000 && now_us() - t < 400000);
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
	t = now_us();
	kill(child, SIGKILL);
	wait4(child, &status, 0, NULL);
	printf("killed %d\n", now_us() - t < 100000);
	return 0;
}

static int cmd_nonblock(char **v)
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

static int cmd_timeout(char **v)
{
	struct sockaddr_in dead = address(v[0], v[1]);
	const struct timeval bound = { .tv_usec = 300000 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	double t = now_us();

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound));
	printf("%s", result(connect(fd, (struct sockaddr *)&dead, sizeof(dead))));
	printf(" %d\n", now_us() - t > 250000 && now_us() - t < 600000);
	return 0;
}

static int cmd_many(char **v)
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
	double us = now_us();

	for (int i = 0; i < n; i++)
		sent += sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&good, sizeof(good)) >
			0;
	us = now_us() - us;
	printf("sent %d rate %.0f\n", sent, n / us * 1e6);
	return 0;
}

static void *connect_always(void *arg)
{
	for (;;)
		connect_once(arg);
	return NULL;
}

static int cmd_exitrace(char **v)
{
	struct sockaddr_in a[3] = { address(v[0], v[3]), address(v[1], v[3]), address(v[2], v[3]) };
	int n = atoi(v[4]), ended = 0;

	for (int i = 0; i < n; i++) {
		pid_t child = fork();
		int status = -1;

		if (child == 0) {
			pthread_t t;

			for (int k = 0; k < 8; k++)
				pthread_create(&t, NULL, connect_always, &a[k % 3]);
			usleep((useconds_t)(i * 37 % 5000));
			if (i % 3 == 0)
				raise(SIGKILL);
			_exit(0);
		}
		ended += waitpid(child, &status, 0) == child;
	}
	printf("ended %d of %d\n", ended, n);
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

/* The kernel of the destination answers: who has been reached says it himself. */
static int cmd_swapping(char **v)
{
	struct sockaddr_in a = address(v[0], "0"), bad = address(v[1], "0"), from;
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = now_us() + atof(v[2]) * 1e6;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_ICMP);
	int good = 0, other = 0, refused = 0;
	unsigned char echo[16] = { 8 }, back[64];
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (now_us() < end) {
		socklen_t len = sizeof(from);
		int rc = (int)sendto(fd, echo, sizeof(echo), 0, (struct sockaddr *)&a, sizeof(a));

		refused += rc < 0 && errno == ECONNREFUSED;
		while (recvfrom(fd, back, sizeof(back), 0, (struct sockaddr *)&from, &len) > 0)
			*(from.sin_addr.s_addr == bad.sin_addr.s_addr ? &other : &good) += 1;
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d other %d refused %d\n", good, other, refused);
	return 0;
}

static void *take_datagrams(void *arg)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char buf[2048];

	/* Without a rule for UDP it carries nothing. */
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

static const struct {
	const char *name;
	int args;
	int (*run)(char **v);
} commands[] = {
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
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0 && argc == 2 + commands[i].args)
			return commands[i].run(argv + 2);
	fputs("netprobe: what?\n", stderr);
	return 2;
}
