/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tty/attach.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>

#include "runtime/base/cleanup.h"
#include "runtime/tty/relay.h"

/* After the end of a process its terminal may hold output. It is written as long as the reader
 * takes a part of it within each LAST_WAIT_MS. A terminal holds 12 KiB; more than LAST_BYTES
 * comes only from processes that were left behind. */
#define LAST_WAIT_MS 3000
#define LAST_BYTES   ((size_t)64 * 1024)

#define POLL_END     RELAY_POLL
#define POLL_SIGNAL  (RELAY_POLL + 1)
#define POLL_ALSO    (RELAY_POLL + 2)
#define POLL_ENTRIES (RELAY_POLL + 3)

struct attached {
	const struct attach *at;
	int signal_fd;
	struct relay relay;
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

/* Returns whether the settings were changed, so that *ret_before has to be restored. */
static bool make_raw(struct termios *ret_before)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, ret_before) < 0)
		return false;
	raw = *ret_before;
	cfmakeraw(&raw);
	return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

/* Returns whether a signal was received that has to be forwarded. */
static bool next_signal(const struct attached *a, int *ret_sig)
{
	struct signalfd_siginfo si;

	if (read(a->signal_fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return false;
	*ret_sig = (int)si.ssi_signo;
	switch (si.ssi_signo) {
	case SIGCHLD:
	case SIGPIPE:
	case SIGURG: return false; /* these concern this process itself */
	case SIGWINCH:
		if (a->relay.master_fd < 0)
			return true;
		copy_size(a->relay.master_fd);
		return false;
	default: return true;
	}
}

static void until_end(struct attached *a)
{
	int sig;

	for (;;) {
		struct pollfd p[POLL_ENTRIES] = {
			[POLL_END] = { .fd = a->at->end_fd, .events = POLLIN },
			[POLL_SIGNAL] = { .fd = a->signal_fd, .events = POLLIN },
			[POLL_ALSO] = { .fd = a->at->also_fd, .events = POLLIN },
		};

		relay_poll(&a->relay, p);
		if (poll(p, POLL_ENTRIES, -1) < 0)
			continue;
		if (p[POLL_SIGNAL].revents && next_signal(a, &sig))
			a->at->on_signal(sig, a->at->ctx);
		if (p[POLL_ALSO].revents)
			a->at->on_also(a->at->ctx);
		relay_events(&a->relay, p);
		if (p[POLL_END].revents)
			return;
	}
}

/* The process has ended, so a signal now ends the client's wait for its reader. */
static void pass_on_the_rest(struct attached *a)
{
	const size_t most = a->relay.n_out + LAST_BYTES;
	int sig, n;

	relay_stop_input(&a->relay);
	while (relay_has_output(&a->relay) && a->relay.n_out < most) {
		struct pollfd p[RELAY_POLL + 1] = {
			[RELAY_POLL] = { .fd = a->signal_fd, .events = POLLIN },
		};

		relay_poll(&a->relay, p);
		n = poll(p, RELAY_POLL + 1, LAST_WAIT_MS);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		if (p[RELAY_POLL].revents && next_signal(a, &sig))
			return;
		relay_events(&a->relay, p);
	}
}

int attach_wait(const struct attach *at, struct sl_err *err)
{
	struct attached a = { .at = at };
	auto_fd int signal_fd = -1, master_fd = at->master_fd;
	struct termios before;
	sigset_t all;
	bool raw;

	sigfillset(&all);
	signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		return sl_err_set(err, errno, "signalfd");
	a.signal_fd = signal_fd;
	if (relay_open(&a.relay, take_fd(&master_fd)) < 0) {
		relay_close(&a.relay);
		return sl_err_set(err, errno, "relay the terminal");
	}
	raw = a.relay.master_fd >= 0 && make_raw(&before);
	if (raw)
		copy_size(a.relay.master_fd);
	until_end(&a);
	pass_on_the_rest(&a);
	relay_close(&a.relay);
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	return a.relay.error ? sl_err_set(err, a.relay.error, "write the terminal's output") : 0;
}
