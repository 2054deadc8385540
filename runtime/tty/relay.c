/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tty/relay.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include "runtime/base/cleanup.h"

#define END_OF_INPUT 4 /* ^D */

static int set_nonblock(int fd, int *ret_before)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	*ret_before = flags;
	return 0;
}

/* stdout's open file description may be shared with a shell, so O_NONBLOCK should not be set on
 * it. If the kernel can do it, the file is opened again, which gives a new description. Not for
 * a regular file: writing does not block, and the new description would start at offset 0. Not
 * for a terminal's master: opening it again would make another terminal. */
static int open_out(struct relay *r)
{
	struct termios ignored;
	struct stat st;
	int n;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return -1;
	if (S_ISREG(st.st_mode))
		return 0;
	if (S_ISFIFO(st.st_mode) ||
		(tcgetattr(STDOUT_FILENO, &ignored) == 0 && ioctl(STDOUT_FILENO, TIOCGPTN, &n) < 0))
		r->own_out_fd =
			open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (r->own_out_fd < 0)
		return set_nonblock(STDOUT_FILENO, &r->out_flags);
	r->out.to_fd = r->own_out_fd;
	return 0;
}

int relay_open(struct relay *r, int master_fd)
{
	int ignored;

	r->master_fd = master_fd;
	r->own_out_fd = r->out_flags = -1;
	r->n_out = 0;
	r->error = 0;
	r->in = (struct relay_flow){ STDIN_FILENO, master_fd, master_fd >= 0, 0, 0, { 0 } };
	r->out = (struct relay_flow){ master_fd, STDOUT_FILENO, master_fd >= 0, 0, 0, { 0 } };
	if (master_fd < 0)
		return 0;
	return set_nonblock(master_fd, &ignored) < 0 ? -1 : open_out(r);
}

void relay_close(struct relay *r)
{
	drop_fd(&r->master_fd);
	drop_fd(&r->own_out_fd);
	if (r->out_flags >= 0)
		fcntl(STDOUT_FILENO, F_SETFL, r->out_flags);
	r->out_flags = -1;
	r->in.open = r->out.open = false;
	r->in.len = r->out.len = 0;
}

static bool try_later(void)
{
	return errno == EINTR || errno == EAGAIN;
}

/* Returns false at the end of input. A master reads EIO when no process has its slave open any
 * more. */
static bool fill_flow(struct relay_flow *f)
{
	ssize_t n = read(f->from_fd, f->buf, sizeof(f->buf));

	if (n <= 0)
		return n < 0 && try_later();
	f->at = 0;
	f->len = (size_t)n;
	return true;
}

/* Returns false if the reader is gone. */
static bool empty(struct relay_flow *f, size_t *count)
{
	ssize_t n = write(f->to_fd, f->buf + f->at, f->len);

	if (n < 0)
		return try_later();
	f->at += (size_t)n;
	f->len -= (size_t)n;
	*count += (size_t)n;
	return true;
}

static void poll_flow(const struct relay_flow *f, struct pollfd *p)
{
	p[0] = (struct pollfd){ .fd = f->open && !f->len ? f->from_fd : -1, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = f->len ? f->to_fd : -1, .events = POLLOUT };
}

void relay_poll(const struct relay *r, struct pollfd *p)
{
	poll_flow(&r->out, p);
	poll_flow(&r->in, p + 2);
}

void relay_stop_input(struct relay *r)
{
	r->in.open = false;
	r->in.len = 0;
}

static void out_events(struct relay *r, const struct pollfd *p)
{
	/* The reader of the output is gone. The master is closed, as when the window of a
	 * terminal is closed, so that processes which write do not block for ever. */
	if (p[1].revents && !empty(&r->out, &r->n_out)) {
		r->error = errno == EPIPE ? 0 : errno;
		relay_close(r);
		return;
	}
	if (p[0].revents && !fill_flow(&r->out)) {
		r->out.open = false;
		relay_stop_input(r);
	}
}

static void in_events(struct relay *r, const struct pollfd *p)
{
	size_t ignored = 0;

	if (p[1].revents && !empty(&r->in, &ignored))
		relay_stop_input(r);
	if (p[0].revents && !fill_flow(&r->in)) {
		r->in.open = false;
		r->in.buf[0] = END_OF_INPUT;
		r->in.at = 0;
		r->in.len = 1;
	}
}

void relay_events(struct relay *r, const struct pollfd *p)
{
	in_events(r, p + 2);
	out_events(r, p);
}

bool relay_has_output(const struct relay *r)
{
	struct pollfd p = { .fd = r->out.open ? r->master_fd : -1, .events = POLLIN };

	return r->out.len > 0 || poll(&p, 1, 0) != 0;
}
