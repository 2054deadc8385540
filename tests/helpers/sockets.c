/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets by command line: each argument is a step, done on the current socket; what a step
 * says is a line. Static, so that it runs in any root.
 *
 *	tcp4 tcp6 udp4 udp6 unix unixd	a new socket, numbered from 0, which becomes the current one
 *	use N				another one becomes it
 *	reuseaddr reuseport v6only dual	options
 *	range FIRST LAST		IP_LOCAL_PORT_RANGE: "range ok"
 *	bind IP PORT | bind PATH	"bind ok", or "bind EADDRINUSE"
 *	listen, connect IP PORT, close
 *	name, peer			"name 127.0.0.1 8080"
 *	accept				"accept 127.0.0.1 40000"; the connection becomes the current
 *one to IP PORT TEXT			sendto
 *	from, frommsg, frommmsg		recvfrom, recvmsg, recvmmsg: "from TEXT 127.0.0.1 8080"
 *	send TEXT, recv			"recv TEXT"
 *	msgs PATH N			N times sendmsg
 *	bulk N				sendmsg of N bytes to the other end of a new pair, which is
 *					read slowly
 *	shut MS				in so many milliseconds, shutdown(SHUT_RD)
 *	nonblock			O_NONBLOCK
 *	hold IP FIRST LAST N		N sockets with SO_REUSEPORT listen on each port
 *	flip IP PORT PORT N		binds N new sockets of the current one's kind with
 *					SO_REUSEPORT while a thread flips the port; says how
 *					often it was the second
 *	touch PATH, wait PATH, sleep MS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKETS_MAX 64
#define WORDS       5 /* of a step */

static int sockets[SOCKETS_MAX];
static int count;
static int current = -1;

static int fd(void)
{
	return current < 0 ? -1 : sockets[current];
}

static void add(int made)
{
	if (count == SOCKETS_MAX)
		exit(2);
	current = count;
	sockets[count++] = made;
}

static const char *outcome(long rc)
{
	return rc < 0 ? strerrorname_np(errno) : "ok";
}

static socklen_t parse(const char *ip, const char *port, struct sockaddr_storage *a)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)a;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)a;
	struct sockaddr_un *un = (struct sockaddr_un *)a;

	memset(a, 0, sizeof(*a));
	if (!*port) {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", ip);
		return sizeof(*un);
	}
	if (strchr(ip, ':')) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)atoi(port));
		return inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1 ? sizeof(*v6) : 0;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons((uint16_t)atoi(port));
	return inet_pton(AF_INET, ip, &v4->sin_addr) == 1 ? sizeof(*v4) : 0;
}

static uint16_t port_of(const struct sockaddr_storage *a)
{
	struct sockaddr_in v4 = { 0 };

	memcpy(&v4, a, sizeof(v4)); /* at the same place in both families */
	return ntohs(v4.sin_port);
}

static void print_address(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	char text[INET6_ADDRSTRLEN] = "?";

	if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
	else if (a->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
	printf(" %s %u\n", text, port_of(a));
}

static void answer(const char *step, long rc, const struct sockaddr_storage *a)
{
	if (rc < 0) {
		printf("%s %s\n", step, outcome(rc));
		return;
	}
	printf("%s", step);
	print_address(a);
}

static void set(int level, int name, int value)
{
	if (setsockopt(fd(), level, name, &value, sizeof(value)) < 0)
		printf("option %s\n", outcome(-1));
}

static void do_accept(void)
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);
	int got = accept(fd(), (struct sockaddr *)&a, &len);

	answer("accept", got, &a);
	if (got >= 0)
		add(got);
}

static void do_name(bool peer)
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);
	int rc = peer ? getpeername(fd(), (struct sockaddr *)&a, &len)
		      : getsockname(fd(), (struct sockaddr *)&a, &len);

	answer(peer ? "peer" : "name", rc, &a);
}

static void do_from(const char *step)
{
	char buf[256] = "";
	struct sockaddr_storage a = { 0 };
	struct iovec iov = { buf, sizeof(buf) - 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_name = &a,
				     .msg_namelen = sizeof(a),
				     .msg_iov = &iov,
				     .msg_iovlen = 1 } };
	socklen_t len = sizeof(a);
	long rc;

	if (strcmp(step, "from") == 0)
		rc = recvfrom(fd(), buf, sizeof(buf) - 1, 0, (struct sockaddr *)&a, &len);
	else if (strcmp(step, "frommsg") == 0)
		rc = recvmsg(fd(), &m.msg_hdr, 0);
	else
		rc = recvmmsg(fd(), &m, 1, 0, NULL);
	if (rc < 0) {
		printf("%s %s\n", step, outcome(rc));
		return;
	}
	printf("%s %s", step, buf);
	print_address(&a);
}

struct flip {
	struct sockaddr_in *a;
	uint16_t ports[2];
	atomic_bool over;
};

static void *flip_ports(void *arg)
{
	struct flip *f = arg;
	volatile in_port_t *port = &f->a->sin_port;

	while (!atomic_load(&f->over))
		for (int i = 0; i < 2; i++)
			*port = htons(f->ports[i]);
	return NULL;
}

static void do_flip(const char *ip, const char *good, const char *bad, int n)
{
	struct sockaddr_storage a, got = { 0 };
	struct flip f = { .a = (struct sockaddr_in *)&a,
		.ports = { (uint16_t)atoi(good), (uint16_t)atoi(bad) } };
	socklen_t len = parse(ip, good, &a);
	int type = SOCK_STREAM, on = 1, second = 0, bound = 0;
	pthread_t thread;

	getsockopt(fd(), SOL_SOCKET, SO_TYPE, &type, &(socklen_t){ sizeof(type) });
	pthread_create(&thread, NULL, flip_ports, &f);
	for (int i = 0; i < n; i++) {
		int s = socket(a.ss_family, type, 0);
		socklen_t size = sizeof(got);

		setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(s, (struct sockaddr *)&a, len) == 0 &&
			getsockname(s, (struct sockaddr *)&got, &size) == 0) {
			bound++;
			second += port_of(&got) == f.ports[1];
		}
		close(s);
	}
	atomic_store(&f.over, true);
	pthread_join(thread, NULL);
	printf("flip %s %d\n", bound > 0 ? "bound" : "nothing", second);
}

static void do_hold(const char *ip, int first, int last, int each)
{
	struct rlimit r;
	int held = 0, on = 1;
	char port[8];

	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	for (int i = 0; i < (last - first + 1) * each; i++) {
		struct sockaddr_storage a;
		int s = socket(AF_INET, SOCK_STREAM, 0);

		snprintf(port, sizeof(port), "%d", (first + i / each) & 0xffff);
		setsockopt(s, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
		held += bind(s, (struct sockaddr *)&a, parse(ip, port, &a)) == 0 &&
			listen(s, 1) == 0;
	}
	printf("hold %d\n", held);
}

static void do_msgs(const char *path, int n)
{
	struct sockaddr_storage a;
	struct iovec iov = { (void *)path, 1 };
	struct msghdr h = { .msg_name = &a, .msg_iov = &iov, .msg_iovlen = 1 };
	long rc = 0;

	h.msg_namelen = parse(path, "", &a);
	for (int i = 0; i < n && rc >= 0; i++)
		rc = sendmsg(fd(), &h, 0);
	printf("msgs %s\n", outcome(rc));
}

static void do_bulk(size_t n)
{
	static char text[1 << 20];
	struct iovec iov = { text, n < sizeof(text) ? n : sizeof(text) };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		exit(2);
	if (fork() == 0) {
		close(pair[0]);
		while (usleep(10000) == 0 && read(pair[1], text, 50000) > 0)
			;
		_exit(0);
	}
	close(pair[1]);
	printf("bulk %ld\n", (long)sendmsg(pair[0], &h, 0));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		exit(2);
	iov.iov_len /= 10;
	printf("dgram %ld\n", (long)sendmsg(pair[0], &h, 0));
}

static void do_shut(int ms)
{
	if (fork() != 0)
		return;
	usleep((useconds_t)ms * 1000);
	shutdown(fd(), SHUT_RD);
	_exit(0);
}

static void do_recv(void)
{
	char buf[256] = "";
	long rc = recv(fd(), buf, sizeof(buf) - 1, 0);

	printf("recv %s\n", rc < 0 ? outcome(rc) : buf);
}

static bool make(const char *step)
{
	static const struct {
		const char *name;
		int family, type;
	} kinds[] = {
		{ "tcp4", AF_INET, SOCK_STREAM },
		{ "tcp6", AF_INET6, SOCK_STREAM },
		{ "udp4", AF_INET, SOCK_DGRAM },
		{ "udp6", AF_INET6, SOCK_DGRAM },
		{ "unix", AF_UNIX, SOCK_STREAM },
		{ "unixd", AF_UNIX, SOCK_DGRAM },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int made;

		if (strcmp(step, kinds[i].name) != 0)
			continue;
		made = socket(kinds[i].family, kinds[i].type, 0);
		if (made < 0)
			printf("%s %s\n", step, outcome(made));
		add(made);
		return true;
	}
	return false;
}

static bool option(const char *step)
{
	if (strcmp(step, "reuseaddr") == 0)
		set(SOL_SOCKET, SO_REUSEADDR, 1);
	else if (strcmp(step, "reuseport") == 0)
		set(SOL_SOCKET, SO_REUSEPORT, 1);
	else if (strcmp(step, "v6only") == 0)
		set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
	else if (strcmp(step, "dual") == 0)
		set(IPPROTO_IPV6, IPV6_V6ONLY, 0);
	else if (strcmp(step, "nonblock") == 0)
		fcntl(fd(), F_SETFL, O_NONBLOCK);
	else
		return false;
	return true;
}

/* What the kernel may give for port 0. */
static void do_range(unsigned int first, unsigned int last)
{
	const uint32_t value = last << 16 | first;

	printf("range %s\n", outcome(setsockopt(fd(), IPPROTO_IP, 51, &value, sizeof(value))));
}

static bool outside(char **w)
{
	if (strcmp(w[0], "touch") == 0)
		close(open(w[1], O_CREAT | O_WRONLY, 0666));
	else if (strcmp(w[0], "wait") == 0)
		while (access(w[1], F_OK) < 0)
			usleep(10000);
	else if (strcmp(w[0], "sleep") == 0)
		usleep((useconds_t)atoi(w[1]) * 1000);
	else
		return false;
	return true;
}

static bool receiving(char **w)
{
	if (strcmp(w[0], "accept") == 0)
		do_accept();
	else if (strcmp(w[0], "name") == 0 || strcmp(w[0], "peer") == 0)
		do_name(w[0][0] == 'p');
	else if (strncmp(w[0], "from", 4) == 0)
		do_from(w[0]);
	else if (strcmp(w[0], "recv") == 0)
		do_recv();
	else
		return false;
	return true;
}

static bool acting(char **w)
{
	struct sockaddr_storage a;
	socklen_t len;

	if (strcmp(w[0], "bind") == 0) {
		len = parse(w[1], w[2], &a);
		printf("bind %s\n", outcome(bind(fd(), (struct sockaddr *)&a, len)));
	} else if (strcmp(w[0], "range") == 0) {
		do_range((unsigned int)atoi(w[1]), (unsigned int)atoi(w[2]));
	} else if (strcmp(w[0], "connect") == 0) {
		len = parse(w[1], w[2], &a);
		printf("connect %s\n", outcome(connect(fd(), (struct sockaddr *)&a, len)));
	} else if (strcmp(w[0], "listen") == 0) {
		printf("listen %s\n", outcome(listen(fd(), 16)));
	} else if (strcmp(w[0], "to") == 0) {
		len = parse(w[1], w[2], &a);
		printf("to %s\n",
			outcome(sendto(fd(), w[3], strlen(w[3]), 0, (struct sockaddr *)&a, len)));
	} else if (strcmp(w[0], "send") == 0) {
		printf("send %s\n", outcome(send(fd(), w[1], strlen(w[1]), MSG_NOSIGNAL)));
	} else if (strcmp(w[0], "close") == 0) {
		close(fd());
	} else if (strcmp(w[0], "use") == 0) {
		current = atoi(w[1]);
	} else if (strcmp(w[0], "msgs") == 0) {
		do_msgs(w[1], atoi(w[2]));
	} else if (strcmp(w[0], "bulk") == 0) {
		do_bulk((size_t)atol(w[1]));
	} else if (strcmp(w[0], "shut") == 0) {
		do_shut(atoi(w[1]));
	} else if (strcmp(w[0], "hold") == 0) {
		do_hold(w[1], atoi(w[2]), atoi(w[3]), atoi(w[4]));
	} else if (strcmp(w[0], "flip") == 0) {
		do_flip(w[1], w[2], w[3], atoi(w[4]));
	} else {
		return false;
	}
	return true;
}

static void step(char *text)
{
	static char none[] = "";
	char *w[WORDS] = { none, none, none, none, none };
	size_t n = 0;

	for (char *p = strtok(text, " "); p && n < WORDS; p = strtok(NULL, " "))
		w[n++] = p;
	if (n == 0 || !(make(w[0]) || option(w[0]) || receiving(w) || acting(w) || outside(w))) {
		fprintf(stderr, "sockets: %s?\n", w[0]);
		exit(2);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		step(argv[i]);
	return 0;
}
