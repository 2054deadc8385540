/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tty/attach.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

struct relay {
	const struct attach *at;
	int signal_fd;
	bool in_open;
	bool out_open;
	bool raw;
	struct termios before;
};

void attach_block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
}

static void copy_size(int master_fd)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
		ioctl(master_fd, TIOCSWINSZ, &size);
}

static void make_raw(struct relay *r)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &r->before) < 0)
		return;
	raw = r->before;
	cfmakeraw(&raw);
	r->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	copy_size(r->at->master_fd);
}

static void restore(struct relay *r)
{
	if (r->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &r->before);
}

static void on_signal(struct relay *r)
{
	struct signalfd_siginfo si;

	if (read(r->signal_fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	switch (si.ssi_signo) {
	case SIGCHLD:
	case SIGPIPE:
	case SIGURG: return; /* ours */
	case SIGWINCH:
		if (r->at->master_fd >= 0) {
			copy_size(r->at->master_fd);
			return;
		}
		break;
	default: break;
	}
	r->at->on_signal((int)si.ssi_signo, r->at->ctx);
}

/* Returns false at the end of what can be read. */
static bool copy(int from, int to)
{
	char buf[16384];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	/* EIO is how a terminal says that nobody holds its other side any more. */
	return n > 0 && io_write_all(to, buf, (size_t)n) == 0;
}

static void drain(struct relay *r)
{
	struct pollfd p = { .fd = r->at->master_fd, .events = POLLIN };

	while (r->out_open && poll(&p, 1, 0) > 0)
		r->out_open = copy(r->at->master_fd, STDOUT_FILENO);
}

static void loop(struct relay *r)
{
	int master = r->at->master_fd;

	for (;;) {
		struct pollfd p[4] = {
			{ .fd = r->at->end_fd, .events = POLLIN },
			{ .fd = r->signal_fd, .events = POLLIN },
			{ .fd = r->in_open ? STDIN_FILENO : -1, .events = POLLIN },
			{ .fd = r->out_open ? master : -1, .events = POLLIN },
		};

		if (poll(p, 4, -1) < 0)
			continue;
		if (p[1].revents)
			on_signal(r);
		if (p[3].revents)
			r->out_open = copy(master, STDOUT_FILENO);
		if (p[2].revents && !copy(STDIN_FILENO, master)) {
			char eof = 4; /* ^D: the end of input, as a terminal has it */

			r->in_open = false;
			io_write_all(master, &eof, 1);
		}
		if (p[0].revents)
			break;
	}
	if (master >= 0)
		drain(r);
}

int attach_wait(const struct attach *at, struct sl_err *err)
{
	struct relay r = {
		.at = at, .in_open = at->master_fd >= 0, .out_open = at->master_fd >= 0
	};
	auto_fd int signal_fd = -1;
	sigset_t all;

	sigfillset(&all);
	signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		return sl_err_set(err, errno, "signalfd");
	r.signal_fd = signal_fd;
	if (at->master_fd >= 0)
		make_raw(&r);
	loop(&r);
	restore(&r);
	return 0;
}
