/* SPDX-License-Identifier: Apache-2.0
 *
 * Network and socket attempts, one system call decides each answer.
 */
#include "tests/helpers/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int parse_address(int argc, char **argv, union address *ret)
{
	union address a = { .v6.sin6_family = AF_INET6 };

	if (argc < 2)
		return -1;
	if (inet_pton(AF_INET6, argv[0], &a.v6.sin6_addr) != 1) {
		a.v4 = (struct sockaddr_in){ .sin_family = AF_INET };
		if (inet_pton(AF_INET, argv[0], &a.v4.sin_addr) != 1)
			return -1;
	}
	/* The port is at the same place in both structures. */
	a.v4.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	*ret = a;
	return 0;
}

/* tcp ADDRESS PORT: connect. */
int probe_tcp(int argc, char **argv)
{
	union address a;
	int fd;

	if (parse_address(argc, argv, &a) < 0)
		return 2;
	fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return probe_result(fd);
	return probe_result(connect(fd, &a.any, sizeof(a)));
}

/* udp ADDRESS PORT: socket, then a datagram. */
int probe_udp(int argc, char **argv)
{
	union address a;
	int fd;

	if (parse_address(argc, argv, &a) < 0)
		return 2;
	fd = socket(a.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return probe_result(fd);
	return probe_result(sendto(fd, "x", 1, 0, &a.any, sizeof(a)));
}

/* listen ADDRESS PORT [MILLISECONDS]: bind and listen; with a time, waits that long for one
 * connection and says "accepted" or "nobody". */
int probe_listen(int argc, char **argv)
{
	union address a;
	struct pollfd p = { .events = POLLIN };
	int one = 1;

	if (parse_address(argc, argv, &a) < 0)
		return 2;
	p.fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p.fd < 0)
		return probe_result(p.fd);
	setsockopt(p.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(p.fd, &a.any, sizeof(a)) < 0 || listen(p.fd, 16) < 0)
		return probe_result(-1);
	puts("ok");
	if (argc > 2)
		puts(poll(&p, 1, (int)strtol(argv[2], NULL, 10)) > 0 ? "accepted" : "nobody");
	return 0;
}

/* socket FAMILY TYPE PROTOCOL */
int probe_socket(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	return probe_result(socket((int)strtol(argv[0], NULL, 0), (int)strtol(argv[1], NULL, 0),
		(int)strtol(argv[2], NULL, 0)));
}

static socklen_t unix_address(struct sockaddr_un *a, const char *name, int abstract)
{
	size_t n = strlen(name);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (n + 2 > sizeof(a->sun_path))
		exit(2);
	memcpy(a->sun_path + abstract, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)abstract + n +
			   !abstract);
}

static int unix_pair(const char *name, int abstract)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(&a, name, abstract);
	int l = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int c = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (l < 0 || c < 0 || bind(l, (struct sockaddr *)&a, len) < 0 || listen(l, 1) < 0)
		return -1;
	return connect(c, (struct sockaddr *)&a, len);
}

/* unix: sockets between processes of one container: a pair, a path, an abstract name. */
int probe_unix(int argc, char **argv)
{
	int pair[2];

	(void)argc;
	(void)argv;
	unlink("/tmp/probe.sock");
	probe_result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
	probe_result(unix_pair("/tmp/probe.sock", 0));
	return probe_result(unix_pair("probe-own", 1));
}

/* autobind: a unix socket with a name that the kernel chooses. */
int probe_autobind(int argc, char **argv)
{
	const struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)argc;
	(void)argv;
	return probe_result(fd < 0 ? fd
				   : bind(fd, (const struct sockaddr *)&a,
					     offsetof(struct sockaddr_un, sun_path)));
}

/* abstract NAME: connect to a name that somebody else has bound. */
int probe_abstract(int argc, char **argv)
{
	struct sockaddr_un a;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc < 1)
		return 2;
	if (fd < 0)
		return probe_result(fd);
	return probe_result(connect(fd, (struct sockaddr *)&a, unix_address(&a, argv[0], 1)));
}

/* unixread PATH: connects and copies what comes until the end. */
int probe_unixread(int argc, char **argv)
{
	struct sockaddr_un a;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char buf[256];
	ssize_t n;

	if (argc < 1)
		return 2;
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, unix_address(&a, argv[0], 0)) < 0)
		return probe_result(-1);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)n, stdout);
	return 0;
}
