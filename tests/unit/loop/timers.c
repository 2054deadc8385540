/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers come in the order of their times, once, and can be set and stopped inside callbacks;
 * those that are not due do not keep events waiting.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/loop/loop.h"
#include "tests/unit/check.h"

struct alarm {
	struct loop_timer timer;
	struct loop_waste waste;
	char name;
};

static struct loop loop;
static char said[16];
static struct alarm a = { .name = 'a' }, b = { .name = 'b' }, c = { .name = 'c' };

static void say(char name)
{
	said[strlen(said)] = name;
}

static void on_due(struct loop_timer *t)
{
	CHECK(t->due == NULL && clock_now_ms() >= t->at_ms);
	say(LOOP_OWNER(t, struct alarm, timer)->name);
}

static void stops_b(struct loop_timer *t)
{
	on_due(t);
	loop_stop_timer(&loop, &b.timer);
}

static void sets_itself_anew(struct loop_timer *t)
{
	on_due(t);
	loop_set_timer(&loop, t, t->at_ms + 5, on_due);
}

static void drops_itself(struct loop_timer *t)
{
	struct alarm *alarm = LOOP_OWNER(t, struct alarm, timer);

	loop_free_later(&loop, &alarm->waste, alarm);
	say(alarm->name); /* still there */
}

static void on_ready(struct loop_source *src, uint32_t events)
{
	(void)events;
	loop_remove(&loop, src);
	say('e');
}

static void turn_until_none_is_set(void)
{
	while (loop.timers)
		loop_turn(&loop);
}

static void in_order(void)
{
	const int64_t now = clock_now_ms();

	memset(said, 0, sizeof(said));
	loop_set_timer(&loop, &c.timer, now + 30, on_due);
	loop_set_timer(&loop, &a.timer, now + 10, on_due);
	loop_set_timer(&loop, &b.timer, now + 10, on_due); /* the same time: as they were set */
	turn_until_none_is_set();
	CHECK_STR(said, "abc");
	CHECK(clock_now_ms() >= now + 30);
}

static void set_anew_and_stopped(void)
{
	const int64_t now = clock_now_ms();

	memset(said, 0, sizeof(said));
	loop_set_timer(&loop, &a.timer, now, on_due);
	loop_set_timer(&loop, &b.timer, now + 1, on_due);
	loop_set_timer(&loop, &a.timer, now + 2, sets_itself_anew);
	loop_stop_timer(&loop, &c.timer); /* was not set */
	turn_until_none_is_set();
	CHECK_STR(said, "baa");

	memset(said, 0, sizeof(said));
	loop_set_timer(&loop, &a.timer, now, stops_b);
	loop_set_timer(&loop, &b.timer, now, on_due);
	loop_set_timer(&loop, &c.timer, now, on_due);
	turn_until_none_is_set();
	CHECK_STR(said, "ac");
}

static void freed_after_its_callback(void)
{
	struct alarm *d = calloc(1, sizeof(*d));

	memset(said, 0, sizeof(said));
	d->name = 'd';
	loop_set_timer(&loop, &d->timer, clock_now_ms(), drops_itself);
	loop_turn(&loop);
	CHECK_STR(said, "d");
	CHECK(loop.waste == NULL);
}

static void events_meanwhile(void)
{
	struct loop_source src = { 0 };
	int fd = eventfd(1, EFD_CLOEXEC);

	memset(said, 0, sizeof(said));
	/* Further away than epoll_wait(2) can be told. */
	loop_set_timer(&loop, &a.timer, INT64_C(1) << 50, on_due);
	CHECK(loop_add(&loop, &src, fd, on_ready) == 0);
	loop_turn(&loop);
	CHECK_STR(said, "e");
	loop_stop_timer(&loop, &a.timer);
	close(fd);
}

int main(void)
{
	CHECK(loop_open(&loop) == 0);
	in_order();
	set_anew_and_stopped();
	freed_after_its_callback();
	events_meanwhile();
	loop_close(&loop);
	return check_done();
}
