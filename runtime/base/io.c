/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "runtime/base/cleanup.h"

int io_write_all(int fd, const void *buf, size_t n)
{
	const char *p = buf;

	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

int io_read_all(
	struct arena *a, int fd, size_t max, char **ret_buf, size_t *ret_len, struct sl_err *err)
{
	size_t cap = 16384, len = 0;
	auto_free char *buf = malloc(cap);

	while (buf) {
		ssize_t r = read(fd, buf + len, cap - len);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return sl_err_set(err, errno, "read");
		if (r == 0) {
			*ret_buf = arena_strndup(a, buf, len);
			*ret_len = len;
			return *ret_buf ? 0 : sl_err_set(err, ENOMEM, "read");
		}
		len += (size_t)r;
		if (len > max)
			return sl_err_set(err, EFBIG, "read: more than %zu bytes", max);
		if (len == cap) {
			char *bigger = realloc(buf, cap * 2);

			if (!bigger)
				break;
			buf = bigger;
			cap *= 2;
		}
	}
	return sl_err_set(err, ENOMEM, "read");
}

int io_read_file(struct arena *a, int dir_fd, const char *path, size_t max, char **ret_buf,
	size_t *ret_len, struct sl_err *err)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return sl_err_set(err, errno, "open %s", path);
	if (io_read_all(a, fd, max, ret_buf, ret_len, err) < 0)
		return sl_err_wrap(err, "%s", path);
	return 0;
}

int io_replace_file(
	int dir_fd, const char *name, const void *buf, size_t n, mode_t mode, struct sl_err *err)
{
	char tmp[256];
	auto_fd int fd = -1;

	snprintf(tmp, sizeof(tmp), ".%s.%d", name, getpid());
	unlinkat(dir_fd, tmp, 0);
	fd = openat(dir_fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return sl_err_set(err, errno, "create %s", tmp);
	if (io_write_all(fd, buf, n) < 0 || fsync(fd) < 0 ||
		renameat(dir_fd, tmp, dir_fd, name) < 0) {
		int saved = errno;

		unlinkat(dir_fd, tmp, 0);
		return sl_err_set(err, saved, "write %s", name);
	}
	if (fsync(dir_fd) < 0 && errno != EINVAL)
		return sl_err_set(err, errno, "sync the directory of %s", name);
	return 0;
}

int io_send_fds(int sock, const void *buf, size_t n, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * IO_MAX_FDS)];
	} control;
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t r;

	if (n_fds > IO_MAX_FDS) {
		errno = EMSGSIZE;
		return -1;
	}
	if (n_fds > 0) {
		struct cmsghdr *c = &control.align;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.space;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	do
		r = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	if (r >= 0 && (size_t)r != n) {
		errno = EMSGSIZE;
		return -1;
	}
	return r < 0 ? -1 : 0;
}

int io_name_senders(int sock)
{
	const int on = 1;

	return setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
}

/* Reads the control messages. The runtime never sends more than IO_MAX_FDS descriptors. */
static size_t read_control(struct msghdr *msg, int *fds, pid_t *ret_sender)
{
	size_t n_fds = 0;

	*ret_sender = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS) {
			struct ucred who;

			memcpy(&who, CMSG_DATA(c), sizeof(who));
			*ret_sender = who.pid;
		}
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count && n_fds < IO_MAX_FDS; i++)
			memcpy(&fds[n_fds++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return n_fds;
}

ssize_t io_recv_fds(int sock, void *buf, size_t n, int *ret_fds, size_t max_fds, size_t *ret_n_fds)
{
	pid_t sender;

	return io_recv_from(sock, buf, n, ret_fds, max_fds, ret_n_fds, &sender);
}

ssize_t io_recv_from(int sock, void *buf, size_t n, int *ret_fds, size_t max_fds, size_t *ret_n_fds,
	pid_t *ret_sender)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * IO_MAX_FDS) + CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { .iov_base = buf, .iov_len = n };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.space,
		.msg_controllen = sizeof(control.space),
	};
	int fds[IO_MAX_FDS];
	size_t n_fds;
	pid_t sender;
	ssize_t r;

	/* ECONNRESET: the peer closed the socket with unread data. The kernel reports this once,
	 * and keeps the data that the peer had sent; that or the end of file comes next. */
	do
		r = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (r < 0 && (errno == EINTR || errno == ECONNRESET));
	if (r < 0)
		return -1;
	n_fds = read_control(&msg, fds, &sender);
	if (n_fds > max_fds || (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		for (size_t i = 0; i < n_fds; i++)
			close(fds[i]);
		errno = EMSGSIZE;
		return -1;
	}
	if (n_fds > 0)
		memcpy(ret_fds, fds, n_fds * sizeof(int));
	*ret_n_fds = n_fds;
	*ret_sender = sender;
	return r;
}

/* sun_path holds 107 bytes, and a state root may be longer. Therefore the address names the
 * directory by its descriptor. The name is short, because the runtime chooses it. */
static int unix_address(int dir_fd, const char *name, struct sockaddr_un *ret)
{
	int n;

	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", dir_fd, name);
	if (n < 0 || (size_t)n >= sizeof(ret->sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

int io_unix_connect(int dir_fd, const char *name, int type)
{
	struct sockaddr_un addr;
	auto_fd int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || unix_address(dir_fd, name, &addr) < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -1;
	return take_fd(&fd);
}

int io_unix_bind(int dir_fd, const char *name, int type)
{
	struct sockaddr_un addr;
	auto_fd int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || unix_address(dir_fd, name, &addr) < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -1;
	return take_fd(&fd);
}

int io_unix_listen(int dir_fd, const char *name, int type)
{
	auto_fd int fd = io_unix_bind(dir_fd, name, type);

	if (fd < 0 || listen(fd, 128) < 0)
		return -1;
	return take_fd(&fd);
}

ssize_t io_slurp(int dir_fd, const char *path, char *buf, size_t size)
{
	auto_fd int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	if (fd < 0)
		return -1;
	while (len < size - 1) {
		ssize_t r = read(fd, buf + len, size - 1 - len);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		len += (size_t)r;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}
