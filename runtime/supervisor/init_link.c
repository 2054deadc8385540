/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's side of the channel to init (runtime/init/proto.h). The calls that wait are
 * for building and for a spawn, where init answers within one fork. If init reports the end of a
 * process meanwhile, on_exit() gets it at once and no report is lost.
 */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/supervisor/internal.h"

/* How often to try again for want of memory. */
#define TRIES_MAX 100

/* init answers within one fork. An init that was stopped does not answer, and while the
 * supervisor waits for it, it does not answer the container's trapped calls. */
#define ANSWER_MS 10000

static void serve_call(struct supervisor *s, int events)
{
	if (s->net)
		net_guard(s->net, true);
	notif_serve(&s->notif, (uint32_t)events);
	if (s->net)
		net_guard(s->net, false);
}

/* Waits for a message of init. If tasks are counted, the fork of init is a trapped call too, and
 * other calls stand before it; so trapped calls are served meanwhile. Returns false after
 * `until`; then init was killed, and the container ends. */
static bool await_init_word(struct supervisor *s, int64_t until)
{
	struct pollfd p[] = {
		{ .fd = s->channel_fd, .events = POLLIN },
		{ .fd = s->tasks ? s->notif.listener_fd : -1, .events = POLLIN },
	};

	for (;;) {
		int64_t left = until - clock_now_ms();
		int r = left > 0 ? poll(p, 2, (int)left) : 0;

		if (r > 0 && p[0].revents)
			return true;
		if (r > 0) {
			serve_call(s, p[1].revents);
			continue;
		}
		if (r < 0 && errno == EINTR)
			continue;
		/* init is a child that has not been reaped, so the pid is still its own. */
		kill(s->record.init.pid, SIGKILL);
		return false;
	}
}

int init_link_open(struct supervisor *s, int *ret_init_fd, struct sl_err *err)
{
	const struct timeval limit = { .tv_sec = ANSWER_MS / 1000 };
	auto_fd int theirs = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	s->channel_fd = pair[0];
	theirs = pair[1];
	for (int i = 0; i < 2; i++)
		if (io_name_senders(pair[i]) < 0 ||
			setsockopt(pair[i], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
			return sl_err_set(err, errno, "make the channel to init");
	*ret_init_fd = take_fd(&theirs);
	return 0;
}

int init_link_send(struct supervisor *s, const struct init_msg *m)
{
	return io_send_fds(s->channel_fd, m, sizeof(*m), NULL, 0);
}

/* Only init holds the other end; the sender is checked all the same. An empty message has a
 * sender, the end of file has none: so the two can be told apart. */
ssize_t init_link_receive(struct supervisor *s, struct init_msg *ret, int *ret_fd)
{
	size_t n_fds;
	auto_fd int fd = -1;
	pid_t sender;
	ssize_t r = io_recv_from(s->channel_fd, ret, sizeof(*ret), &fd, 1, &n_fds, &sender);

	if (r < 0) {
		/* init sends no message of another size */
		errno = errno == EMSGSIZE ? EAGAIN : errno;
		return -1;
	}
	if (sender != s->record.init.pid && (r > 0 || sender != 0)) {
		errno = EAGAIN;
		return -1;
	}
	if (ret_fd)
		*ret_fd = take_fd(&fd);
	return r;
}

int init_link_expect(struct supervisor *s, enum init_msg_type want, struct init_msg *ret,
	int *ret_fd, struct sl_err *err)
{
	const int64_t until = clock_now_ms() + ANSWER_MS;

	for (int tries = 1;; tries++) {
		auto_fd int fd = -1;
		ssize_t r;

		if (!await_init_word(s, until))
			return sl_err_set(
				err, ETIMEDOUT, "init does not answer, the container is ended");
		r = init_link_receive(s, ret, &fd);

		if (r < 0 && errno == EAGAIN)
			continue;
		/* The answer is still in the socket. If it were left there, the next request
		 * would take it for its own. */
		if (r < 0 && (errno == ENOMEM || errno == ENOBUFS) && tries < TRIES_MAX)
			continue;
		if (r < 0)
			return sl_err_set(err, errno, "hear from init");
		if (r != (ssize_t)sizeof(*ret))
			return sl_err_set(err, 0, "init ended unexpectedly");
		if (ret->type == want) {
			if (ret_fd)
				*ret_fd = take_fd(&fd);
			return 0;
		}
		if (ret->type == INIT_EXITED) {
			s->on_exit(s, ret->exited.pid, ret->exited.status);
			continue;
		}
		if (ret->type == INIT_FAILED) {
			*err = ret->err;
			return -1;
		}
		if (ret->type == INIT_EMPTY)
			return sl_err_set(err, 0, "init ended unexpectedly");
		return sl_err_set(err, EPROTO, "init said %d where %d was expected", (int)ret->type,
			(int)want);
	}
}

int init_link_spawn(struct supervisor *s, const struct init_spawn *spawn, const int *fds,
	size_t n_fds, pid_t *ret_pid, struct sl_err *err)
{
	struct init_msg m = { .type = INIT_SPAWN, .spawn = *spawn };

	if (io_send_fds(s->channel_fd, &m, sizeof(m), fds, n_fds) < 0)
		return sl_err_set(err, errno, "ask init for a process");
	if (init_link_expect(s, INIT_SPAWNED, &m, NULL, err) < 0)
		return -1;
	*ret_pid = m.pid;
	return 0;
}

/* Without this message init would never reap the process, and the container would never end. */
void init_link_settle(struct supervisor *s, pid_t pid)
{
	const struct init_msg m = { .type = INIT_SETTLED, .pid = pid };
	const struct timespec nap = { .tv_nsec = 1000000L };

	for (int tries = 1; init_link_send(s, &m) < 0 && errno != EPIPE; tries++) {
		/* EAGAIN after the timeout: init has not read its channel for long. */
		if (tries == TRIES_MAX || errno == EAGAIN) {
			kill(s->record.init.pid, SIGKILL);
			return;
		}
		nanosleep(&nap, NULL);
	}
}
