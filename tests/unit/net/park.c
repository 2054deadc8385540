/* SPDX-License-Identifier: Apache-2.0
 *
 * What waits and for how long: how much there is room for, how fast it is looked at, when it goes
 * on and what it is answered. Callers are children of ours in a trapped call.
 */
#include "runtime/net/park/park.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "tests/unit/notif/trap.h"

/* As park.c has it. */
#define PARKED_BYTES   ((size_t)64 << 20)
#define LOOKS_PER_TICK 64

static struct guard guard;
static struct tick tick;
static struct park pk;

/* What the callbacks give, and how often they were asked. */
static ssize_t sends[4];
static size_t n_sends, n_attempts;
static bool there;

static void wait_trapped(struct trap_shared *s)
{
	s->result = syscall(SYS_uname, s);
	s->error = s->result < 0 ? errno : 0;
}

/* What the child was told, at once. */
static struct trap_shared answer(struct trap *t)
{
	struct trap_shared got = { .result = -99 };
	int status;

	for (int i = 0; i < 1000 && waitpid(t->pid, &status, WNOHANG) == 0; i++)
		usleep(1000);
	got = *t->shared;
	return got;
}

static bool attempt(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	(void)n, (void)c, (void)s;
	n_attempts++;
	if (there)
		notif_return(v, 7);
	return there;
}

static ssize_t sender(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_message *m)
{
	const ssize_t rc = sends[n_sends++];

	(void)n, (void)c, (void)s, (void)m;
	errno = rc < 0 ? (int)-rc : 0;
	return rc < 0 ? -1 : rc;
}

/* Returns the call of a child that waits. */
static struct notif_call begin(struct trap *t)
{
	pk = (struct park){
		.guard = &guard, .tick = &tick, .epoll_fd = epoll_create1(EPOLL_CLOEXEC)
	};
	pk.proc_fd = proc_open();
	tick = (struct tick){ 0 };
	n_sends = n_attempts = 0;
	there = false;
	CHECK(tick_open(&tick, pk.epoll_fd) == 0 && park_open(&pk) == 0);
	return trap_caller(t, wait_trapped);
}

/* When all callers have ended. */
static void end(void)
{
	guard_set(&guard, false);
	park_drop_gone(&pk);
	CHECK(pk.n == 0 && pk.n_fds == 0 && pk.n_bytes == 0 && pk.n_turns == 0 &&
		pk.n_receivers == 0);
	CHECK(tick.wanted[TICK_PARKED] == TICK_OFF);
	guard_set(&guard, false);
	close(pk.epoll_fd);
	close(pk.proc_fd);
	close(tick.fd);
}

static void end_caller(struct trap *t)
{
	trap_end(t);
	end();
}

/* *ret_peer, unless NULL: its other end. */
static struct mat_socket stream(int *ret_peer)
{
	int pair[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	if (ret_peer)
		*ret_peer = pair[1];
	else
		close(pair[1]);
	return (struct mat_socket){ .fd = pair[0], .domain = AF_UNIX, .type = SOCK_STREAM };
}

static int receive(const struct notif_call *c)
{
	struct mat_socket s = stream(NULL);
	struct notif_verdict v = { 0 };

	park_receive(&pk, c, &v, &s, attempt);
	mat_socket_close(&s);
	return v.action == NOTIF_LATER ? 0 : v.error;
}

/* The calls, the descriptors that messages carry, and the bytes: what does not fit has EAGAIN, and
 * is still its owner's. */
static void room(void)
{
	struct mat_message m = { .n_fds = 0 };
	struct notif_verdict v = { 0 };
	struct mat_socket s;
	struct trap t;
	struct notif_call c;

	c = begin(&t);
	CHECK(pk.max > 0 && pk.max <= 4096);
	pk.max = 3;
	CHECK(receive(&c) == 0 && receive(&c) == 0 && receive(&c) == 0);
	CHECK(receive(&c) == EAGAIN);
	CHECK(pk.n == 3 && pk.n_receivers == 3);
	end_caller(&t);

	c = begin(&t);
	pk.max = 3;
	s = stream(NULL);
	m.fds = calloc(3, sizeof(int));
	m.n_fds = 3;
	m.fds[0] = m.fds[1] = m.fds[2] = -1;
	CHECK(park_send(&pk, &c, &v, &s, &m, sender) < 0 && errno == EAGAIN);
	CHECK(m.fds && s.fd >= 0);
	m.n_fds = 0;
	mat_message_free(&m);
	m.len = PARKED_BYTES + 1;
	CHECK(park_send(&pk, &c, &v, &s, &m, sender) < 0 && errno == EAGAIN);
	m.len = PARKED_BYTES;
	CHECK(park_send(&pk, &c, &v, &s, &m, sender) == 0);
	CHECK(s.fd < 0 && m.len == 0 && pk.n_bytes == PARKED_BYTES);
	s = stream(NULL);
	m.len = 1;
	CHECK(park_send(&pk, &c, &v, &s, &m, sender) < 0 && errno == EAGAIN);
	mat_socket_close(&s);
	end_caller(&t);
}

static void pace(void)
{
	struct notif_verdict v = { 0 };
	struct mat_socket s = stream(NULL);
	struct notif_call c;
	struct trap t;

	c = begin(&t);
	CHECK(tick.wanted[TICK_PARKED] == TICK_OFF);
	CHECK(receive(&c) == 0);
	CHECK(tick.wanted[TICK_PARKED] == TICK_SLOW);
	park_room(&pk, &c, &v, &s, attempt);
	CHECK(v.action == NOTIF_LATER && tick.wanted[TICK_PARKED] == TICK_USUAL);
	s = stream(NULL);
	park_turn(&pk, &c, &v, &s, attempt);
	CHECK(pk.n_turns == 1 && tick.wanted[TICK_PARKED] == TICK_FAST);
	end_caller(&t);
}

/* Something came, and then it was there. */
static void goes_on(void)
{
	struct notif_verdict v = { 0 };
	struct epoll_event e;
	struct mat_socket s;
	struct notif_call c;
	struct trap t;
	int peer;

	c = begin(&t);
	s = stream(&peer);
	park_receive(&pk, &c, &v, &s, attempt);
	CHECK(epoll_wait(pk.epoll_fd, &e, 1, 0) == 0);
	CHECK(write(peer, "x", 1) == 1);
	CHECK(epoll_wait(pk.epoll_fd, &e, 1, 1000) == 1 && e.data.ptr == pk.first);
	park_go_on(&pk, e.data.ptr);
	guard_set(&guard, false);
	CHECK(n_attempts == 1 && pk.n == 1);
	there = true;
	park_go_on(&pk, pk.first);
	guard_set(&guard, false);
	CHECK(n_attempts == 2 && pk.n == 0);
	CHECK(answer(&t).result == 7);
	close(peer);
	end_caller(&t);
}

/* Of a stream what was sent counts, also when the rest is an error. */
static void sent(const ssize_t *steps, size_t n, size_t len, long result, int error)
{
	struct mat_message m = { .len = len };
	struct notif_verdict v = { 0 };
	struct mat_socket s = stream(NULL);
	struct trap_shared got;
	struct notif_call c;
	struct trap t;

	c = begin(&t);
	memcpy(sends, steps, n * sizeof(*steps));
	CHECK(park_send(&pk, &c, &v, &s, &m, sender) == 0);
	for (size_t i = 0; i < n; i++) {
		CHECK(pk.n == 1);
		park_go_on(&pk, pk.first);
		guard_set(&guard, false);
	}
	CHECK(pk.n == 0 && n_sends == n);
	got = answer(&t);
	CHECK(got.result == result && got.error == error);
	end_caller(&t);
}

/* SO_RCVTIMEO and SO_SNDTIMEO (socket(7)). */
static void deadline(bool receives, int error)
{
	const struct timeval moment = { .tv_usec = 50000 };
	struct notif_verdict v = { 0 };
	struct mat_socket s = stream(NULL);
	struct trap_shared got;
	struct notif_call c;
	struct trap t;

	c = begin(&t);
	CHECK(setsockopt(s.fd, SOL_SOCKET, receives ? SO_RCVTIMEO : SO_SNDTIMEO, &moment,
		      sizeof(moment)) == 0);
	if (receives)
		park_receive(&pk, &c, &v, &s, attempt);
	else
		park_room(&pk, &c, &v, &s, attempt);
	park_look(&pk);
	guard_set(&guard, false);
	CHECK(pk.n == 1);
	usleep(100000);
	park_look(&pk);
	guard_set(&guard, false);
	CHECK(pk.n == 0);
	got = answer(&t);
	CHECK(got.result == -1 && got.error == error);
	end_caller(&t);
}

/* Who is gone is let go; nobody else. */
static void gone(void)
{
	struct notif_call c, other;
	struct trap t, alive;

	c = begin(&t);
	other = trap_caller(&alive, wait_trapped);
	CHECK(receive(&c) == 0 && receive(&other) == 0);
	park_drop_gone(&pk);
	CHECK(pk.n == 2);
	trap_end(&t);
	park_drop_gone(&pk);
	guard_set(&guard, false);
	CHECK(pk.n == 1);
	park_look(&pk);
	CHECK(pk.n == 1);
	trap_end(&alive);
	park_look(&pk);
	guard_set(&guard, false);
	CHECK(pk.n == 0);
	end();
}

/* Of a crowd some are looked at in each tick, and each of them once in a round. */
static void crowd(void)
{
	const size_t n = 2 * LOOKS_PER_TICK + 2, ticks = n / LOOKS_PER_TICK + 1;
	struct notif_call c;
	struct trap t;

	c = begin(&t);
	for (size_t i = 0; i < n; i++) {
		struct notif_verdict v = { 0 };
		struct mat_socket s = stream(NULL);

		park_room(&pk, &c, &v, &s, attempt);
		mat_socket_close(&s);
	}
	CHECK(pk.n == n);
	for (size_t i = 0; i < ticks; i++) {
		const size_t before = n_attempts;

		park_look(&pk);
		CHECK(n_attempts - before > 0 && n_attempts - before <= LOOKS_PER_TICK);
	}
	guard_set(&guard, false);
	CHECK(n_attempts == n);
	end_caller(&t);
}

int main(void)
{
	CHECK(guard_open(&guard) == 0);
	room();
	pace();
	goes_on();
	sent((ssize_t[]){ 100 }, 1, 100, 100, 0);
	sent((ssize_t[]){ 40, -EAGAIN, 60 }, 3, 100, 100, 0);
	sent((ssize_t[]){ 40, -EPIPE }, 2, 100, 40, 0);
	sent((ssize_t[]){ -EAGAIN, -EPIPE }, 2, 100, -1, EPIPE);
	deadline(true, EAGAIN);
	deadline(false, EINPROGRESS);
	gone();
	crowd();
	return check_done();
}
