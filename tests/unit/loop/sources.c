/* SPDX-License-Identifier: Apache-2.0
 *
 * Sources are added and removed inside callbacks, their own too, and what they lie in is freed
 * after the callback that gave it up. Run it under AddressSanitizer for the latter.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/loop/loop.h"
#include "tests/unit/check.h"

struct thing {
	struct loop_source src;
	struct loop_waste waste;
	int seen;
	uint32_t events;
	struct thing *other;
};

static struct loop loop;
static int n_before;
static const struct loop_source *last_before;

static void before(struct loop *l, const struct loop_source *src)
{
	(void)l;
	n_before++;
	last_before = src;
}

static struct thing *thing_new(void (*ready)(struct loop_source *src, uint32_t events))
{
	struct thing *t = calloc(1, sizeof(*t));
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	CHECK(t && fd >= 0 && loop_add(&loop, &t->src, fd, ready) == 0);
	return t;
}

static void thing_drop(struct thing *t)
{
	loop_remove(&loop, &t->src);
	close(t->src.fd);
	loop_free_later(&loop, &t->waste, t);
}

static void on_ready(struct loop_source *src, uint32_t events)
{
	struct thing *t = LOOP_OWNER(src, struct thing, src);
	eventfd_t value;

	t->seen++;
	t->events = events;
	eventfd_read(src->fd, &value);
}

static int n_gone;

static void drops_itself(struct loop_source *src, uint32_t events)
{
	struct thing *t = LOOP_OWNER(src, struct thing, src);

	(void)events;
	thing_drop(t);
	t->seen++; /* still there */
	n_gone += t->seen;
}

/* Both are ready; whichever is first takes the other away. */
static void drops_both(struct loop_source *src, uint32_t events)
{
	struct thing *t = LOOP_OWNER(src, struct thing, src), *other = t->other;

	(void)events;
	thing_drop(other);
	thing_drop(t);
	n_gone += ++other->seen + ++t->seen;
}

static struct thing *added;

static void adds_another(struct loop_source *src, uint32_t events)
{
	on_ready(src, events);
	added = thing_new(on_ready);
}

static void events_one_at_a_time(void)
{
	struct thing *a = thing_new(on_ready), *b = thing_new(on_ready);

	loop_turn(&loop);
	CHECK(a->seen + b->seen == 1 && n_before == 1);
	CHECK(last_before == (a->seen ? &a->src : &b->src));
	loop_turn(&loop);
	CHECK(a->seen == 1 && b->seen == 1 && n_before == 2);
	CHECK(a->events == EPOLLIN);
	thing_drop(a);
	thing_drop(b);
}

static void other_events(void)
{
	struct thing *a = thing_new(on_ready);

	CHECK(loop_want(&loop, &a->src, EPOLLOUT) == 0);
	loop_turn(&loop);
	CHECK(a->seen == 1 && a->events == EPOLLOUT);
	thing_drop(a);
}

static void removed_in_its_callback(void)
{
	struct thing *a, *b;

	thing_new(drops_itself);
	loop_turn(&loop);
	CHECK(n_gone == 1);
	n_gone = 0;
	a = thing_new(drops_both);
	b = thing_new(drops_both);
	a->other = b;
	b->other = a;
	loop_turn(&loop);
	CHECK(n_gone == 2);
	CHECK(epoll_wait(loop.epoll_fd, &(struct epoll_event){ 0 }, 1, 0) == 0);
}

static void added_in_a_callback(void)
{
	struct thing *a = thing_new(adds_another);

	loop_turn(&loop);
	CHECK(a->seen == 1 && added && added->seen == 0);
	loop_turn(&loop);
	CHECK(added->seen == 1);
	thing_drop(a);
	thing_drop(added);
}

/* The kernel's entry belongs to the open file, which a duplicate keeps. */
static void removed_while_a_duplicate_is_open(void)
{
	struct thing t = { 0 };
	int pair[2], copy;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(loop_add(&loop, &t.src, pair[0], on_ready) == 0);
	copy = dup(pair[0]);
	loop_remove(&loop, &t.src);
	loop_remove(&loop, &t.src); /* nothing happens */
	close(pair[0]);
	close(pair[1]);
	CHECK(epoll_wait(loop.epoll_fd, &(struct epoll_event){ 0 }, 1, 0) == 0);
	close(copy);
}

static void what_cannot_be_watched(void)
{
	struct thing t = { 0 };

	CHECK(loop_add(&loop, &t.src, -1, on_ready) == -1 && errno == EBADF);
	CHECK(t.src.ready == NULL);
}

static void wants_no_more(struct loop_source *src, uint32_t events)
{
	struct thing *t = LOOP_OWNER(src, struct thing, src);

	on_ready(src, events);
	CHECK(loop_want(&loop, &t->other->src, 0) == 0);
}

/* Both are fetched at once, and whichever is first wants nothing of the other any more. */
static void fetched_and_not_wanted(void)
{
	struct thing *a = thing_new(wants_no_more), *b = thing_new(wants_no_more);

	a->other = b;
	b->other = a;
	loop_turn(&loop);
	CHECK(a->seen + b->seen == 1);
	CHECK(loop_want(&loop, &a->src, EPOLLIN) == 0 && loop_want(&loop, &b->src, EPOLLIN) == 0);
	loop_turn(&loop);
	CHECK(a->seen == 1 && b->seen == 1);
	thing_drop(a);
	thing_drop(b);
}

/* The second event is there although nothing is left to read. */
static void fetched_together(void)
{
	struct thing *a = thing_new(on_ready), *b = thing_new(on_ready);
	eventfd_t value;

	loop_turn(&loop);
	eventfd_read((a->seen ? b : a)->src.fd, &value);
	loop_turn(&loop);
	CHECK(a->seen == 1 && b->seen == 1);
	thing_drop(a);
	thing_drop(b);
}

static void test_all(void)
{
	n_before = n_gone = 0;
	events_one_at_a_time();
	other_events();
	removed_in_its_callback();
	added_in_a_callback();
	removed_while_a_duplicate_is_open();
	what_cannot_be_watched();
	fetched_and_not_wanted();
}

int main(void)
{
	CHECK(loop_open(&loop) == 0);
	loop.before = before;
	test_all();
	loop.many = true;
	test_all();
	fetched_together();
	loop_close(&loop);
	CHECK(loop.epoll_fd == -1 && loop.waste == NULL);
	return check_done();
}
