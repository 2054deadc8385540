/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stdio/stdio.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"

/* How long the shim waits for a client that has not opened its FIFO when the process has ended, and
 * how often it looks. A client opens its FIFOs when it asks for the process, in threads of its own.
 */
#define LATE_MS      10000
#define LATE_LOOK_MS 20

void stdio_init(struct stdio *s, struct loop *loop)
{
	*s = (struct stdio){
		.loop = loop,
		.master_fd = -1,
		.hold_fd = -1,
		.logger = { .pid_fd = -1, .ready_fd = -1 },
	};
	for (int i = 0; i < STDIO_STREAMS; i++)
		s->client_fds[i] = s->pipe_fds[i] = s->child_fds[i] = s->late_fds[i] = -1;
}

/* With O_RDWR a FIFO opens without waiting for the client, and keeps working when the client closes
 * its end. */
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

/* Streams over ttrpc are io_type "streaming" of containerd 2's CRI. */
static int refuse_uri(const char *uri, const char *expected, struct sl_err *err)
{
	return sl_err_set(err, 0, "stdio: %s: expected %s%s", uri, expected,
		strstr(uri, "+unix://") || strstr(uri, "vsock://")
			? "; io_type = \"streaming\" is not offered, \"fifo\" is"
			: "");
}

static int open_in(struct stdio *s, const char *path, struct sl_err *err)
{
	struct stat st;

	if (strstr(path, "://"))
		return refuse_uri(path, "the path of a FIFO", err);
	if (open_client(path, O_RDONLY, &s->client_fds[STDIO_IN], err) < 0)
		return -1;
	if (fstat(s->client_fds[STDIO_IN], &st) < 0 || !S_ISFIFO(st.st_mode))
		return sl_err_set(err, 0, "stdio: %s is no FIFO", path);
	return open_client(path, O_WRONLY, &s->hold_fd, err);
}

/* Makes the directories of the path that do not exist. */
static int stdio_open_file(const char *path, int *ret_fd, struct sl_err *err)
{
	char dir[PATH_MAX];

	for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
		if (snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path) >=
			(int)sizeof(dir))
			return sl_err_set(err, ENAMETOOLONG, "stdio: %s", path);
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			return sl_err_set(err, errno, "stdio: mkdir %s", dir);
	}
	*ret_fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
	return *ret_fd < 0 ? sl_err_set(err, errno, "stdio: open %s", path) : 0;
}

static const char *after(const char *uri, const char *scheme)
{
	const size_t n = strlen(scheme);

	return strncmp(uri, scheme, n) == 0 ? uri + n : NULL;
}

static int open_fifo(struct stdio *s, int i, const char *path, struct sl_err *err)
{
	/* Without a reader this is ENXIO (fifo(7)). */
	auto_fd int writer_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (open_client(path, O_RDWR | O_APPEND, &s->client_fds[i], err) < 0)
		return -1;
	return writer_fd >= 0 || errno != ENXIO ? 0
						: open_client(path, O_WRONLY, &s->late_fds[i], err);
}

static int stdio_open_out(struct stdio *s, int i, const char *uri, struct sl_err *err)
{
	const char *file = after(uri, "file://"), *fifo = after(uri, "fifo://");

	if (file && *file == '/')
		return stdio_open_file(file, &s->client_fds[i], err);
	if (!fifo && strstr(uri, "://"))
		return refuse_uri(uri, "a path, fifo://, file:// or binary://", err);
	return open_fifo(s, i, fifo ? fifo : uri, err);
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
	/* The shim has to read what a process writes to its terminal, because the process would
	 * wait otherwise. */
	return *path || in ? 0 : open_null(O_WRONLY, &s->client_fds[i], err);
}

/* The logger gets the reading ends of the pipes. */
static int start_logger(struct stdio *s, const struct stdio_want *want, struct sl_err *err)
{
	struct logger_want l = {
		.uri = want->paths[STDIO_OUT],
		.id = want->id,
		.namespace = want->namespace,
	};

	if (want->terminal || strcmp(want->paths[STDIO_ERR], l.uri) != 0)
		return sl_err_set(err, 0,
			"stdio: %s takes both, what goes to stdout and to stderr, and no terminal",
			l.uri);
	if (make_pipe(s, STDIO_OUT, want, err) < 0 || make_pipe(s, STDIO_ERR, want, err) < 0)
		return -1;
	l.out_fd = s->pipe_fds[STDIO_OUT];
	l.err_fd = s->pipe_fds[STDIO_ERR];
	if (fcntl(l.out_fd, F_SETFL, 0) < 0 || fcntl(l.err_fd, F_SETFL, 0) < 0)
		return sl_err_set(err, errno, "stdio: pipe");
	if (logger_start(&l, &s->logger, err) < 0)
		return -1;
	drop_fd(&s->pipe_fds[STDIO_OUT]);
	drop_fd(&s->pipe_fds[STDIO_ERR]);
	return 0;
}

static int open_all(struct stdio *s, const struct stdio_want *want, struct sl_err *err)
{
	if (open_stream(s, STDIO_IN, want, err) < 0)
		return -1;
	if (logger_is(want->paths[STDIO_OUT]))
		return start_logger(s, want, err);
	if (open_stream(s, STDIO_OUT, want, err) < 0)
		return -1;
	return open_stream(s, STDIO_ERR, want, err);
}

int stdio_open(struct stdio *s, const struct stdio_want *want, struct sl_err *err)
{
	if (open_all(s, want, err) == 0)
		return 0;
	stdio_close(s);
	return -1;
}

static void stdio_drained(struct stdio *s, int i)
{
	drop_fd(&s->pipe_fds[i]);
	drop_fd(&s->client_fds[i]);
	drop_fd(&s->late_fds[i]); /* the client reads end of file now */
	if (--s->n_copying == 0 && s->on_drained)
		s->on_drained(s);
}

/* client_fds has been closed, so that the shim is no reader itself. */
static bool client_has_come(const struct stdio *s, int i)
{
	struct pollfd p = { .fd = s->late_fds[i], .events = POLLOUT };

	return poll(&p, 1, 0) >= 0 && !(p.revents & POLLERR);
}

static bool stdio_is_late(const struct stdio *s, int i)
{
	return s->late_fds[i] >= 0 && s->client_fds[i] < 0;
}

static void look_for_clients(struct loop_timer *t)
{
	struct stdio *s = LOOP_OWNER(t, struct stdio, late);
	bool over[STDIO_STREAMS] = { 0 };
	bool wait = false;

	for (int i = STDIO_OUT; i <= STDIO_ERR; i++) {
		over[i] = stdio_is_late(s, i) &&
			  (clock_now_ms() >= s->late_until_ms || client_has_come(s, i));
		wait |= stdio_is_late(s, i) && !over[i];
	}
	if (wait)
		loop_set_timer(s->loop, t, clock_now_ms() + LATE_LOOK_MS, look_for_clients);
	for (int i = STDIO_OUT; i <= STDIO_ERR; i++) /* the last one may free s */
		if (over[i])
			stdio_drained(s, i);
}

static void out_stream_ended(struct stdio *s, int i)
{
	if (s->late_fds[i] < 0) {
		stdio_drained(s, i);
		return;
	}
	drop_fd(&s->pipe_fds[i]);
	drop_fd(&s->client_fds[i]);
	s->late_until_ms = clock_now_ms() + LATE_MS;
	look_for_clients(&s->late);
}

static void logger_ended(struct loop_source *src, uint32_t events)
{
	struct stdio *s = LOOP_OWNER(src, struct stdio, logger_end);

	(void)events;
	loop_remove(s->loop, src);
	drop_fd(&s->logger.pid_fd);
	stdio_drained(s, STDIO_OUT);
}

static void out_ended(struct stream *st)
{
	out_stream_ended(LOOP_OWNER(st, struct stdio, streams[STDIO_OUT]), STDIO_OUT);
}

static void err_ended(struct stream *st)
{
	out_stream_ended(LOOP_OWNER(st, struct stdio, streams[STDIO_ERR]), STDIO_ERR);
}

/* Only the client's input has ended: with a terminal the other descriptors stay open. */
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

/* The loop waits for one direction of a descriptor only, so each direction gets a duplicate. */
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
	drop_fd(&s->logger.ready_fd);
	if (s->logger.pid_fd < 0)
		return 0;
	if (loop_add(s->loop, &s->logger_end, s->logger.pid_fd, logger_ended) < 0)
		return sl_err_set(err, errno, "stdio: watch the logger");
	s->n_copying++;
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

void stdio_hurry(struct stdio *s)
{
	if (s->logger.pid_fd >= 0)
		pidfd_send_signal(s->logger.pid_fd, SIGTERM, NULL, 0);
}

void stdio_close(struct stdio *s)
{
	loop_remove(s->loop, &s->logger_end);
	loop_stop_timer(s->loop, &s->late);
	if (s->logger.pid_fd >= 0)
		pidfd_send_signal(s->logger.pid_fd, SIGKILL, NULL, 0);
	drop_fd(&s->logger.pid_fd);
	drop_fd(&s->logger.ready_fd);
	for (int i = 0; i < STDIO_STREAMS; i++) {
		stream_stop(&s->streams[i]);
		drop_fd(&s->client_fds[i]);
		drop_fd(&s->pipe_fds[i]);
		drop_fd(&s->child_fds[i]);
		drop_fd(&s->late_fds[i]);
	}
	drop_fd(&s->master_fd);
	drop_fd(&s->hold_fd);
	s->n_copying = 0;
}
