/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands at the birth of a process, as root of a container can by a lucky SIGSTOP: the next
 * child of a thread is caught before its first instruction.
 *
 *	list TID COMMAND...	prints what its descriptors lead to, and lets it go
 *	stop TID COMMAND...	leaves it stopped
 *	lie, flood, linger	the same, and speaks in its place over the socket that it has: says
 *				that it has failed, in a text without an end; says that it waits
 *				to be set up, again and again; sends a TCP socket along that
 *				takes a minute to close (prints `sent` or the reason why not)
 *
 * COMMAND is what causes the birth; its status is ours.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/helpers/tracing.h"

#define SETUP  1 /* runtime/init/proto.h */
#define FAILED 4

struct message {
	int type, code;
	char text[1024];
};

static void list(pid_t pid)
{
	char path[64], target[512];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		ssize_t n = e->d_name[0] == '.' ? -1 : readlinkat(dirfd(d), e->d_name, target, 511);

		if (n >= 0)
			printf("%s %.*s\n", e->d_name, (int)n, target);
	}
	if (d)
		closedir(d);
	fflush(stdout);
}

static int socket_of(pid_t pid)
{
	int pidfd = pidfd_open(pid, 0), fd, type;
	socklen_t len = sizeof(type);

	for (int i = 3; i < 64; i++) {
		fd = pidfd_getfd(pidfd, i, 0);
		if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
			type == SOCK_SEQPACKET)
			return fd;
		close(fd);
	}
	return -1;
}

/* A TCP socket that is connected to itself, with more bytes to send than are ever read. */
static int slow_to_close(void)
{
	const struct linger linger = { 1, 60 };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int l = socket(AF_INET, SOCK_STREAM, 0), s = socket(AF_INET, SOCK_STREAM, 0);
	static const char data[65536];
	socklen_t len = sizeof(a);

	bind(l, (struct sockaddr *)&a, len);
	listen(l, 1);
	getsockname(l, (struct sockaddr *)&a, &len);
	connect(s, (struct sockaddr *)&a, len);
	accept(l, NULL, NULL);
	setsockopt(s, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	while (send(s, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return s;
}

static void send_along(int sock, int fd)
{
	struct message m = { .type = SETUP };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .align = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { &m, sizeof(m) };
	const struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	if (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0) {
		puts(strerror(errno));
	} else {
		puts("sent");
		close(fd); /* the process that closes it last has to wait */
	}
	fflush(stdout);
}

static void speak(pid_t pid, const char *how)
{
	const bool floods = strcmp(how, "flood") == 0;
	struct message m = { .type = floods ? SETUP : FAILED };
	int sock = socket_of(pid);

	if (sock < 0)
		exit(3);
	if (strcmp(how, "linger") == 0) {
		send_along(sock, slow_to_close());
		close(sock);
		return;
	}
	memset(m.text, 'A', sizeof(m.text));
	if (fork() == 0) {
		do
			if (send(sock, &m, sizeof(m), MSG_NOSIGNAL) < 0)
				_exit(0);
		while (floods);
		_exit(0);
	}
	close(sock);
}

int main(int argc, char **argv)
{
	pid_t parent = argc > 3 ? atoi(argv[2]) : 0, command, child;
	int status;

	if (parent <= 0)
		return 2;
	child = cause_birth(parent, argv + 3, &command);
	if (child < 0) {
		perror("no birth");
		return 2;
	}
	if (strcmp(argv[1], "list") == 0)
		list(child);
	else
		kill(child, SIGSTOP);
	let_go(parent, child);
	if (strcmp(argv[1], "list") != 0 && strcmp(argv[1], "stop") != 0)
		speak(child, argv[1]);
	return waitpid(command, &status, 0) == command && WIFEXITED(status) ? WEXITSTATUS(status)
									    : 1;
}
