/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/notify.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* A message has a few lines; a longer one is dropped. */
#define MESSAGE_MAX 4096

/* The time for the caller to receive the message; systemd-notify(1) waits as long. */
#define HOST_WAIT_S 5

/* systemd-notify(1) sends a barrier after READY and fails if nobody receives it. */
#define BARRIER_WAIT_MS 100
#define BARRIER_TRIES   16 /* messages; more than the socket holds (net.unix.max_dgram_qlen) */

const char *notify_host(void)
{
	const char *host = getenv("NOTIFY_SOCKET");

	return host && *host ? host : NULL;
}

static int connect_host(const char *host)
{
	const struct timeval limit = { .tv_sec = HOST_WAIT_S };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t n = strlen(host);
	auto_fd int fd = -1;

	if (n >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, host, n);
	if (host[0] == '@')
		addr.sun_path[0] = '\0'; /* an abstract name (unix(7)) */
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
		connect(fd, (struct sockaddr *)&addr,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n +
				    (host[0] != '@'))) < 0)
		return -1;
	return take_fd(&fd);
}

/* Sends the write end of a pipe as a barrier: the receiver closes it after it has read all
 * earlier messages. */
static int wait_heard(int host_fd)
{
	auto_fd int read_fd = -1, write_fd = -1;
	struct pollfd p = { .events = POLLIN };
	int pair[2], rc;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	read_fd = pair[0];
	write_fd = pair[1];
	rc = io_send_fds(host_fd, "BARRIER=1", strlen("BARRIER=1"), &write_fd, 1);
	drop_fd(&write_fd);
	p.fd = read_fd;
	return rc < 0 ? -1 : poll(&p, 1, HOST_WAIT_S * 1000);
}

static int tell_host(pid_t tracked, bool wait)
{
	auto_fd int host_fd = connect_host(notify_host());
	char main_pid[32];

	snprintf(main_pid, sizeof(main_pid), "MAINPID=%d\n", tracked);
	if (host_fd < 0 || io_send_fds(host_fd, "READY=1\n", strlen("READY=1\n"), NULL, 0) < 0 ||
		io_send_fds(host_fd, main_pid, strlen(main_pid), NULL, 0) < 0)
		return -1;
	return wait ? wait_heard(host_fd) : 0;
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	while (text) {
		if (strncmp(text, line, n) == 0 && (text[n] == '\n' || text[n] == '\0'))
			return true;
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return false;
}

/* Receives a message of the container. Descriptors in it are closed; SO_LINGER is set to 0
 * first, so that closing a socket does not block (socket(7)). */
static bool take_message(int fd, char text[MESSAGE_MAX + 1])
{
	const struct linger at_once = { 0 };
	int fds[IO_MAX_FDS];
	size_t n_fds = 0;
	ssize_t n = io_recv_fds(fd, text, MESSAGE_MAX, fds, IO_MAX_FDS, &n_fds);

	if (n < 0)
		return false;
	for (size_t i = 0; i < n_fds; i++) {
		setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fds[i]);
	}
	text[n] = '\0';
	return true;
}

bool notify_is_ready(int fd)
{
	char text[MESSAGE_MAX + 1];

	return take_message(fd, text) && has_line(text, "READY=1");
}

void notify_tell(struct cli *cli, pid_t tracked, bool wait)
{
	if (tell_host(tracked, wait) < 0)
		cmd_warn(cli, arena_printf(cli->rt.arena, "NOTIFY_SOCKET: tell %s: %s",
				      notify_host(), strerror(errno)));
}

static void let_barrier_pass(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[MESSAGE_MAX + 1];

	for (int i = 0; i < BARRIER_TRIES && poll(&p, 1, BARRIER_WAIT_MS) > 0; i++)
		if (take_message(fd, text) && has_line(text, "BARRIER=1"))
			return;
}

void notify_wait(struct cli *cli, int fd, int tracked_fd, pid_t tracked)
{
	for (;;) {
		struct pollfd p[2] = {
			{ .fd = fd, .events = POLLIN },
			{ .fd = tracked_fd, .events = POLLIN },
		};

		if (poll(p, 2, -1) < 0)
			continue;
		if (p[0].revents && notify_is_ready(fd)) {
			notify_tell(cli, tracked, true);
			let_barrier_pass(fd);
			return;
		}
		if (p[1].revents && !p[0].revents)
			return;
	}
}
