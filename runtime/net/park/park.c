/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that would block. The caller's socket is blocking, and the supervisor must not set
 * O_NONBLOCK, because the flag would change the caller's own descriptor too. So a blocking connect
 * is begun and interrupted after a short time by a signal of the supervisor (connect(2) continues
 * in the kernel, as after any signal). When the socket is ready, the supervisor calls connect(2)
 * again, which returns what the first call would have returned. Sends use MSG_DONTWAIT.
 *
 * A call that waits for data or connections is tried again when the socket is readable. The handler
 * that has parked the call gives a callback for this; this file knows no other part of the handler.
 *
 * A parked call ends early when the caller was killed, when the caller has a signal to handle, or
 * when SO_SNDTIMEO or SO_RCVTIMEO has expired.
 */
#include "runtime/net/park/park.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"

/* Each parked call holds a descriptor. */
#define PARKED_MAX 4096
/* The memory for parked messages that one container can make the supervisor keep. */
#define PARKED_BYTES_MAX ((size_t)64 << 20)
#define DESCRIPTORS_KEPT 64 /* for everything else the supervisor does */

/* A check of a caller reads a file of procfs and makes the kernel search its list of notifications,
 * which takes tens of microseconds. Each tick checks only some of many callers, so that other calls
 * are answered meanwhile. */
#define LOOKS_PER_TICK 64
/* Each attempt to bind asks the kernel for its table of sockets. */
#define TURNS_PER_TICK 8

/* The kernel's own number: the kernel repeats the call if the signal handler has SA_RESTART, and
 * otherwise the call ends with EINTR (signal(7)). To be used only if the thread has a pending
 * signal. */
#define ERESTARTSYS 512

enum waits_for {
	WAITS_TO_CONNECT,
	WAITS_TO_SEND,
	WAITS_TO_RECEIVE,
	WAITS_FOR_TURN,
	WAITS_FOR_ROOM
};

struct parked {
	struct notif_call call;
	struct mat_socket sock;
	enum waits_for kind;
	size_t number;          /* decides in which ticks the call is looked at */
	struct mat_addr addr;   /* WAITS_TO_CONNECT */
	struct mat_message msg; /* WAITS_TO_SEND */
	park_sender send;       /* WAITS_TO_SEND */
	park_attempt attempt;   /* WAITS_TO_RECEIVE, WAITS_FOR_TURN, WAITS_FOR_ROOM */
	int64_t deadline_ms;    /* 0: none */
	struct parked *next;
};

static int raise_descriptors(size_t *ret_max)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return -1;
	if (r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max < PARKED_MAX + DESCRIPTORS_KEPT
				     ? r.rlim_max
				     : PARKED_MAX + DESCRIPTORS_KEPT;
		if (setrlimit(RLIMIT_NOFILE, &r) < 0)
			return -1;
	}
	*ret_max = r.rlim_cur > 2 * DESCRIPTORS_KEPT ? r.rlim_cur - DESCRIPTORS_KEPT
						     : DESCRIPTORS_KEPT;
	if (*ret_max > PARKED_MAX)
		*ret_max = PARKED_MAX;
	return 0;
}

int park_open(struct park *pk)
{
	return raise_descriptors(&pk->max);
}

static int connect_briefly(struct park *pk, int fd, const struct mat_addr *a)
{
	return a->near ? guard_connect_near(fd, a) : guard_connect(pk->guard, fd, a);
}

/* SO_SNDTIMEO limits blocking connects as well as sends, SO_RCVTIMEO limits accept and receive
 * (socket(7)). */
static void set_deadline(struct parked *p)
{
	struct timeval tv = { 0 };
	socklen_t len = sizeof(tv);

	if (p->kind == WAITS_FOR_TURN ||
		getsockopt(p->sock.fd, SOL_SOCKET,
			p->kind == WAITS_TO_RECEIVE ? SO_RCVTIMEO : SO_SNDTIMEO, &tv, &len) < 0 ||
		(tv.tv_sec == 0 && tv.tv_usec == 0) || tv.tv_sec > INT32_MAX)
		return; /* there is no timeout, or it is longer than 68 years */
	/* The call must not end too early, so 2 ms make up for the fractions that are cut off. */
	p->deadline_ms = clock_now_ms() + (int64_t)tv.tv_sec * 1000 + tv.tv_usec / 1000 + 2;
}

/* Sets the interval of the tick to what the parked calls need. */
static void set_park_pace(struct park *pk)
{
	enum tick_pace pace = TICK_USUAL;

	if (pk->n == 0)
		pace = TICK_OFF;
	else if (pk->n_turns > 0)
		pace = TICK_FAST;
	else if (pk->n_receivers == pk->n)
		pace = TICK_SLOW;
	tick_want(pk->tick, TICK_PARKED, pace);
}

/* A socket can be reported as ready all the time without being ready, for example with an error in
 * its queue (IP_RECVERR). Therefore the epoll is edge-triggered: each change allows one attempt. */
static uint32_t events_of(const struct parked *p)
{
	switch (p->kind) {
	case WAITS_TO_CONNECT: return EPOLLOUT | EPOLLONESHOT;
	case WAITS_TO_RECEIVE: return EPOLLIN | EPOLLET;
	case WAITS_FOR_TURN:
	case WAITS_FOR_ROOM: return 0;
	case WAITS_TO_SEND: break;
	}
	/* A unix socket that is not connected does not know whether its receiver has room, and each
	 * attempt wakes it. It is tried with the ticks. */
	return p->sock.domain == AF_UNIX && p->msg.name.given ? 0 : EPOLLOUT | EPOLLET;
}

static int watch_parked(struct park *pk, struct parked *p, int op)
{
	struct epoll_event e = { .events = events_of(p), .data.ptr = p };

	return epoll_ctl(pk->epoll_fd, op, p->sock.fd, &e);
}

static void park(struct park *pk, struct parked *p, struct notif_verdict *v)
{
	set_deadline(p);
	p->number = pk->n_ever++;
	p->next = pk->first;
	pk->first = p;
	pk->n++;
	pk->n_receivers += p->kind == WAITS_TO_RECEIVE;
	pk->n_turns += p->kind == WAITS_FOR_TURN;
	pk->n_fds += p->msg.n_fds;
	pk->n_bytes += p->msg.len;
	set_park_pace(pk);
	notif_later(v);
}

static bool has_room(const struct park *pk, const struct mat_message *m)
{
	return pk->n + pk->n_fds + m->n_fds < pk->max && pk->n_bytes + m->len <= PARKED_BYTES_MAX;
}

/* On success takes ownership of the socket and of the message of a send. Returns NULL with errno on
 * failure. */
static struct parked *make_parked(struct park *pk, const struct notif_call *c, struct mat_socket *s,
	enum waits_for kind, struct mat_message *m)
{
	struct parked *p = has_room(pk, m) ? calloc(1, sizeof(*p)) : NULL;

	if (!p) {
		errno = EAGAIN;
		return NULL;
	}
	p->msg = *m;
	p->call = *c;
	p->kind = kind;
	p->sock = *s;
	if (watch_parked(pk, p, EPOLL_CTL_ADD) < 0) {
		free(p);
		return NULL;
	}
	take_fd(&s->fd);
	*m = (struct mat_message){ 0 };
	return p;
}

void park_connect(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, const struct mat_addr *addr)
{
	int rc = connect_briefly(pk, s->fd, addr);
	struct mat_message none = { 0 };
	struct parked *p;

	if (rc == 0 || (errno != EINTR && errno != EALREADY && errno != EINPROGRESS)) {
		notif_result(v, rc);
		return;
	}
	p = make_parked(pk, c, s, WAITS_TO_CONNECT, &none);
	if (!p) {
		notif_deny(v, errno);
		return;
	}
	p->addr = *addr;
	park(pk, p, v);
}

int park_send(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, struct mat_message *m, park_sender send)
{
	struct parked *p = make_parked(pk, c, s, WAITS_TO_SEND, m);

	if (!p)
		return -1;
	p->send = send;
	park(pk, p, v);
	return 0;
}

static void park_attempts(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, enum waits_for kind, park_attempt attempt)
{
	struct mat_message none = { 0 };
	struct parked *p = make_parked(pk, c, s, kind, &none);

	if (!p) {
		notif_deny(v, errno);
		return;
	}
	p->attempt = attempt;
	park(pk, p, v);
}

void park_receive(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt)
{
	park_attempts(pk, c, v, s, WAITS_TO_RECEIVE, attempt);
}

void park_turn(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt)
{
	park_attempts(pk, c, v, s, WAITS_FOR_TURN, attempt);
}

void park_room(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt)
{
	park_attempts(pk, c, v, s, WAITS_FOR_ROOM, attempt);
}

static void forget_parked(struct park *pk, struct parked *p)
{
	struct parked **at = &pk->first;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	pk->n_fds -= p->msg.n_fds;
	pk->n_bytes -= p->msg.len;
	mat_message_free(&p->msg);
	mat_socket_close(&p->sock);
	pk->n--;
	pk->n_receivers -= p->kind == WAITS_TO_RECEIVE;
	pk->n_turns -= p->kind == WAITS_FOR_TURN;
	free(p);
	set_park_pace(pk);
}

static void finish_with(struct park *pk, struct parked *p, const struct notif_verdict *v)
{
	/* Closing the descriptor would not be enough: other processes hold the socket too, and then
	 * epoll keeps it. */
	epoll_ctl(pk->epoll_fd, EPOLL_CTL_DEL, p->sock.fd, NULL);
	notif_answer(&p->call, v);
	forget_parked(pk, p);
}

/* If an error follows a partial send, the result is what was sent before. */
static ssize_t outcome_of_send(const struct parked *p, ssize_t rc)
{
	unsigned int len;

	if (p->msg.sent > 0)
		rc = (ssize_t)p->msg.sent;
	if (rc < 0 || p->call.nr != SYS_sendmmsg)
		return rc;
	/* The message was one of sendmmsg(2), and nobody has set its msg_len yet. */
	len = (unsigned int)rc;
	return notif_write(&p->call, p->call.args[1] + sizeof(struct msghdr), &len, sizeof(len)) < 0
		       ? -1
		       : 1;
}

/* If the caller is gone, the supervisor may have the last descriptor of the socket, and closing it
 * takes as long as SO_LINGER says. Therefore the guard is on. */
static void finish_parked(struct park *pk, struct parked *p, ssize_t rc)
{
	struct notif_verdict v = { 0 };

	guard_set(pk->guard, true);
	notif_result(&v, p->kind == WAITS_TO_SEND ? outcome_of_send(p, rc) : rc);
	finish_with(pk, p, &v);
}

static void attempt_again(struct park *pk, struct parked *p)
{
	struct notif_verdict v = { 0 };

	if (p->attempt(pk->net, &p->call, &p->sock, &v))
		finish_with(pk, p, &v);
}

static bool still_sends(struct parked *p, ssize_t rc)
{
	if (rc < 0)
		return errno == EAGAIN;
	if (p->sock.type != SOCK_STREAM)
		return false;
	p->msg.sent += (size_t)rc;
	return p->msg.sent < p->msg.len;
}

void park_go_on(struct park *pk, struct parked *p)
{
	ssize_t rc;

	guard_set(pk->guard, true);
	if (!notif_waits(&p->call)) {
		finish_parked(pk, p, 0);
		return;
	}
	if (p->attempt) {
		attempt_again(pk, p);
		return;
	}
	rc = p->kind == WAITS_TO_SEND ? p->send(pk->net, &p->call, &p->sock, &p->msg)
				      : connect_briefly(pk, p->sock.fd, &p->addr);
	if (p->kind == WAITS_TO_SEND && still_sends(p, rc))
		return;
	if (rc < 0 &&
		(errno == EINTR || errno == EALREADY || errno == EINPROGRESS || errno == EAGAIN) &&
		watch_parked(pk, p, EPOLL_CTL_MOD) == 0)
		return;
	/* Another thread has finished the same connection. */
	if (rc < 0 && errno == EISCONN && p->kind == WAITS_TO_CONNECT)
		rc = 0;
	finish_parked(pk, p, rc);
}

/* Returns 0 when no signal waits for the caller, otherwise the error that lets the caller handle
 * the signal. */
static int interrupted_by(const struct park *pk, pid_t tid)
{
	struct proc_status st;
	uint64_t heard;

	if (proc_read_status(pk->proc_fd, tid, &st) < 0)
		return 0;
	heard = ~(st.blocked | st.ignored);
	if ((st.pending & heard) || ((st.shared & heard) && st.threads == 1))
		return ERESTARTSYS;
	/* The signal is for the whole process. The kernel prefers the first thread, but which
	 * thread took the signal cannot be seen, and a thread without a signal of its own must not
	 * be restarted. */
	return (st.shared & heard) && st.tgid == tid ? EINTR : 0;
}

static void look_after(struct park *pk, struct parked *p, bool at_caller)
{
	int error = 0;

	if (at_caller && !notif_waits(&p->call)) {
		finish_parked(pk, p, 0);
		return;
	}
	if (at_caller)
		error = interrupted_by(pk, p->call.pid);
	if (error == 0 && p->deadline_ms && clock_now_ms() >= p->deadline_ms)
		error = p->kind == WAITS_TO_CONNECT || p->kind == WAITS_FOR_ROOM ? EINPROGRESS
										 : EAGAIN;
	if (error != 0) {
		errno = error;
		finish_parked(pk, p, -1);
	} else if (at_caller && (p->kind == WAITS_TO_SEND || p->kind == WAITS_FOR_ROOM)) {
		/* A receiver does not wake a unix socket that is not connected to it, and nothing
		 * reports that a listener's queue has room again. */
		park_go_on(pk, p);
	}
}

void park_look(struct park *pk)
{
	const size_t shares = pk->n / LOOKS_PER_TICK + 1, share = pk->n_looks % shares;
	const size_t turn_shares = pk->n_turns / TURNS_PER_TICK + 1;
	const size_t turn_share = pk->n_looks++ % turn_shares;

	for (struct parked *p = pk->first, *next; p; p = next) {
		next = p->next;
		if (p->kind != WAITS_FOR_TURN)
			look_after(pk, p, p->number % shares == share);
		else if (p->number % turn_shares == turn_share)
			park_go_on(pk, p);
	}
}

void park_drop_gone(struct park *pk)
{
	for (struct parked *p = pk->first, *next; p; p = next) {
		next = p->next;
		if (!notif_waits(&p->call))
			finish_parked(pk, p, 0);
	}
}
