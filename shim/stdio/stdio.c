/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stdio/stdio.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

void stdio_init(struct stdio *s, struct loop *loop)
{
	*s = (struct stdio){ .loop = loop, .master_fd = -1, .hold_fd = -1 };
	for (int i = 0; i < STDIO_STREAMS; i++)
		s->client_fds[i] = s->pipe_fds[i] = s->child_fds[i] = -1;
}

/* Both directions: it opens at once, and stays whole when the client closes its end. */
static int open_client(const char *path, int flags, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "stdio: open %s", path);
	if (!S_ISFIFO(st.st_mode) && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return sl_err_set(err, 0, "stdio: %s is neither a FIFO nor a file", path);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int open_in(struct stdio *s, const char *path, struct sl_err *err)
{
	struct stat st;

	if (open_client(path, O_RDONLY, &s->client_fds[STDIO_IN], err) < 0)
		return -1;
	if (fstat(s->client_fds[STDIO_IN], &st) < 0 || !S_ISFIFO(st.st_mode))
		return sl_err_set(err, 0, "stdio: %s is no FIFO", path);
	return open_client(path, O_WRONLY, &s->hold_fd, err);
}

static int stdio_open_out(struct stdio *s, int i, const char *path, struct sl_err *err)
{
	return open_client(path, O_RDWR | O_APPEND, &s->client_fds[i], err);
}

static int make_pipe(struct stdio *s, int i, const struct stdio_want *want, struct sl_err *err)
{
	const int ours = i == STDIO_IN ? 1 : 0;
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return sl_err_set(err, errno, "stdio: pipe");
	s->pipe_fds[i] = pair[ours];
	s->child_fds[i] = pair[!ours];
	if (fcntl(pair[ours], F_SETFL, O_NONBLOCK) < 0)
		return sl_err_set(err, errno, "stdio: pipe");
	if ((want->uid || want->gid) && fchown(pair[!ours], want->uid, want->gid) < 0)
		return sl_err_set(err, errno, "stdio: give the pipe to its user");
	return 0;
}

static int open_null(int flags, int *ret_fd, struct sl_err *err)
{
	*ret_fd = open("/dev/null", flags | O_CLOEXEC);
	return *ret_fd < 0 ? sl_err_set(err, errno, "stdio: open /dev/null") : 0;
}

static int open_stream(struct stdio *s, int i, const struct stdio_want *want, struct sl_err *err)
{
	const bool in = i == STDIO_IN;
	const char *path = want->paths[i];

	if (want->terminal && i == STDIO_ERR)
		return 0;
	if (*path && (in ? open_in(s, path, err) : stdio_open_out(s, i, path, err)) < 0)
		return -1;
	if (!want->terminal)
		return *path ? make_pipe(s, i, want, err)
			     : open_null(in ? O_RDONLY : O_WRONLY, &s->child_fds[i], err);
	/* Somebody has to read what goes to a terminal, or its process waits. */
	return *path || in ? 0 : open_null(O_WRONLY, &s->client_fds[i], err);
}

int stdio_open(struct stdio *s, const struct stdio_want *want, struct sl_err *err)
{
	for (int i = 0; i < STDIO_STREAMS; i++) {
		if (open_stream(s, i, want, err) < 0) {
			stdio_close(s);
			return -1;
		}
	}
	return 0;
}

static void stdio_drained(struct stdio *s, int i)
{
	drop_fd(&s->pipe_fds[i]);
	drop_fd(&s->client_fds[i]); /* the client reads to its end now */
	if (--s->n_copying == 0 && s->on_drained)
		s->on_drained(s);
}

static void out_ended(struct stream *st)
{
	stdio_drained(LOOP_OWNER(st, struct stdio, streams[STDIO_OUT]), STDIO_OUT);
}

static void err_ended(struct stream *st)
{
	stdio_drained(LOOP_OWNER(st, struct stdio, streams[STDIO_ERR]), STDIO_ERR);
}

/* A terminal goes on: its process may read what comes otherwise. */
static void in_ended(struct stream *st)
{
	struct stdio *s = LOOP_OWNER(st, struct stdio, streams[STDIO_IN]);

	drop_fd(&s->pipe_fds[STDIO_IN]);
	drop_fd(&s->client_fds[STDIO_IN]);
	drop_fd(&s->hold_fd);
}

static int begin_stream(struct stdio *s, int i)
{
	static void (*const ended[])(struct stream *) = { in_ended, out_ended, err_ended };
	const int client_fd = s->client_fds[i], pipe_fd = s->pipe_fds[i];
	const bool in = i == STDIO_IN;

	if (client_fd < 0)
		return 0;
	s->streams[i].on_end = ended[i];
	if (stream_start(&s->streams[i], s->loop, in ? client_fd : pipe_fd,
		    in ? pipe_fd : client_fd) < 0)
		return -1;
	s->n_copying += !in;
	return 0;
}

/* One descriptor can be waited for in one way at a time. */
static int take_master(struct stdio *s, int master_fd)
{
	s->master_fd = master_fd;
	if (master_fd < 0)
		return 0;
	for (int i = STDIO_IN; i <= STDIO_OUT; i++) {
		s->pipe_fds[i] = fcntl(master_fd, F_DUPFD_CLOEXEC, 3);
		if (s->pipe_fds[i] < 0)
			return -1;
	}
	return fcntl(master_fd, F_SETFL, O_NONBLOCK);
}

int stdio_begin(struct stdio *s, int master_fd, struct sl_err *err)
{
	for (int i = 0; i < STDIO_STREAMS; i++)
		drop_fd(&s->child_fds[i]);
	if (take_master(s, master_fd) < 0)
		return sl_err_set(err, errno, "stdio: the terminal");
	for (int i = 0; i < STDIO_STREAMS; i++)
		if (begin_stream(s, i) < 0)
			return sl_err_set(err, errno, "stdio: copy");
	return 0;
}

void stdio_close_in(struct stdio *s)
{
	drop_fd(&s->hold_fd);
}

int stdio_resize(struct stdio *s, uint16_t width, uint16_t height, struct sl_err *err)
{
	const struct winsize size = { .ws_col = width, .ws_row = height };

	if (s->master_fd >= 0 && ioctl(s->master_fd, TIOCSWINSZ, &size) < 0)
		return sl_err_set(err, errno, "resize the terminal");
	return 0;
}

void stdio_close(struct stdio *s)
{
	for (int i = 0; i < STDIO_STREAMS; i++) {
		stream_stop(&s->streams[i]);
		drop_fd(&s->client_fds[i]);
		drop_fd(&s->pipe_fds[i]);
		drop_fd(&s->child_fds[i]);
	}
	drop_fd(&s->master_fd);
	drop_fd(&s->hold_fd);
	s->n_copying = 0;
}
