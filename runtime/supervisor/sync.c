/* SPDX-License-Identifier: Apache-2.0
 *
 * The socket to a process that init has forked and that has not executed yet
 * (runtime/init/proto.h). Root of the container may control the process: it may lie, send
 * nothing, send too much, or pass its end of the socket to another process. That may harm the
 * process, and the client hears of it; it must not block the supervisor. So nothing here waits
 * except sync_wait() and sync_wait_result(), which only building uses, while no untrusted
 * program runs in the container.
 */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/internal.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 /* Linux 6.16 */
#endif

/* A process sends three messages at most. */
#define MESSAGES_MAX 8

/* If the process sends a descriptor along, receiving the message closes it in the supervisor,
 * which may take long (a TCP socket with SO_LINGER). From 6.16 on the kernel refuses to pass it;
 * an older kernel passes it. */
static int refuse_rights(int fd)
{
	const int off = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off)) < 0)
		return errno == ENOPROTOOPT ? 0 : -1;
	return 0;
}

int sync_open(int *ret_fd, int *ret_child_fd, struct sl_err *err)
{
	auto_fd int mine = -1, theirs = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	mine = pair[0];
	theirs = pair[1];
	if (refuse_rights(mine) < 0)
		return sl_err_set(err, errno, "a socket that takes no descriptors");
	*ret_fd = take_fd(&mine);
	*ret_child_fd = take_fd(&theirs);
	return 0;
}

/* Receives without waiting. After ECONNRESET the earlier messages of the child can still be
 * read, so the call is repeated. */
static ssize_t receive(int sync_fd, struct sync_msg *ret)
{
	ssize_t r;

	do
		r = recv(sync_fd, ret, sizeof(*ret), MSG_DONTWAIT);
	while (r < 0 && (errno == EINTR || errno == ECONNRESET));
	if (r == (ssize_t)sizeof(*ret))
		ret->err.msg[sizeof(ret->err.msg) - 1] = '\0';
	return r;
}

int sync_hear(int sync_fd, enum sync_type want, struct sl_err *err)
{
	struct sync_msg m;
	ssize_t r = receive(sync_fd, &m);

	if (r != (ssize_t)sizeof(m))
		return sl_err_set(err, r < 0 ? errno : 0, "the process ended before it was ready");
	if (m.type == SYNC_FAILED) {
		*err = m.err;
		return -1;
	}
	if (m.type != want)
		return sl_err_set(err, EPROTO, "the process said %d where %d was expected",
			(int)m.type, (int)want);
	return 0;
}

static int await_sync_word(int sync_fd, struct sl_err *err)
{
	struct pollfd p = { .fd = sync_fd, .events = POLLIN };
	const int64_t until = clock_now_ms() + SYNC_CHILD_MS;
	int64_t left = SYNC_CHILD_MS;
	int r;

	do {
		r = left > 0 ? poll(&p, 1, (int)left) : 0;
		left = until - clock_now_ms();
	} while (r < 0 && errno == EINTR);
	return r > 0 ? 0 : sl_err_set(err, r < 0 ? errno : 0, SYNC_TOO_LATE);
}

int sync_wait(int sync_fd, enum sync_type want, struct sl_err *err)
{
	return await_sync_word(sync_fd, err) < 0 ? -1 : sync_hear(sync_fd, want, err);
}

int sync_wait_result(int sync_fd, struct sl_err *err)
{
	return await_sync_word(sync_fd, err) < 0 ? -1 : sync_result(sync_fd, err);
}

bool sync_has_failed(int sync_fd, struct sl_err *err)
{
	struct sync_msg m;

	for (int i = 0; i < MESSAGES_MAX; i++) {
		if (receive(sync_fd, &m) != (ssize_t)sizeof(m))
			return false;
		if (m.type == SYNC_FAILED) {
			*err = m.err;
			return true;
		}
	}
	return false;
}

void sync_failure(int sync_fd, struct sl_err *err)
{
	if (!sync_has_failed(sync_fd, err))
		sl_err_fill(err, 0, "the process was killed before it was executed");
}

int sync_release(int sync_fd)
{
	struct sync_msg m = { .type = SYNC_GO };

	return send(sync_fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

int sync_result(int sync_fd, struct sl_err *err)
{
	struct sync_msg m;
	ssize_t r = receive(sync_fd, &m);

	/* The process has ended, but another process holds its end of the socket. */
	if (r < 0 && errno == EAGAIN)
		return sl_err_set(err, 0, "the process was killed before it was executed");
	if (r < 0)
		return sl_err_set(err, errno, "hear whether the process was executed");
	if (r == (ssize_t)sizeof(m) && m.type == SYNC_FAILED) {
		*err = m.err;
		return -1;
	}
	return 0;
}
