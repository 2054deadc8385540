/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs that systemd starts do with the environment: sd_notify(3), sd_listen_fds(3).
 */
#include "tests/helpers/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int send_one(int sock, const char *text, int fd)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)text, .iov_len = strlen(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		msg.msg_control = control.space;
		msg.msg_controllen = sizeof(control.space);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	}
	return sendmsg(sock, &msg, 0) < 0 ? -1 : 0;
}

/* As sd_notify_barrier(3): a pipe whose other end is closed by who has read all before it. */
static int barrier(int sock)
{
	struct pollfd p = { 0 };
	int pair[2], rc;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	rc = send_one(sock, "BARRIER=1", pair[1]);
	close(pair[1]);
	p.fd = pair[0];
	if (rc == 0 && poll(&p, 1, 5000) != 1)
		rc = -1;
	close(pair[0]);
	return rc;
}

/* notify MESSAGE...: sends each to NOTIFY_SOCKET; "barrier" waits as systemd-notify(1) does. */
int probe_notify(int argc, char **argv)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_DGRAM, 0), rc = 0;

	if (!path)
		return puts("NOTIFY_SOCKET is not set"), 1;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	rc = connect(sock, (struct sockaddr *)&addr, sizeof(addr));
	for (int i = 0; rc == 0 && i < argc; i++)
		rc = strcmp(argv[i], "barrier") == 0 ? barrier(sock) : send_one(sock, argv[i], -1);
	return probe_result(rc);
}

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : -1;
}

/* activated: as sd_listen_fds(3) looks at it; then one connection to each socket is answered with
 * its number. */
int probe_activated(int argc, char **argv)
{
	long n = number("LISTEN_FDS");

	(void)argc, (void)argv;
	printf("for me: %s\n", number("LISTEN_PID") == getpid() ? "yes" : "no");
	printf("fds: %ld names: %s\n", n, getenv("LISTEN_FDNAMES") ?: "none");
	fflush(stdout);
	for (int fd = 3; fd < 3 + n; fd++) {
		int conn = accept(fd, NULL, NULL);

		if (conn < 0)
			return probe_result(-1);
		dprintf(conn, "served by %d\n", fd);
		close(conn);
	}
	return 0;
}
