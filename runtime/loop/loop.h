/* SPDX-License-Identifier: Apache-2.0
 *
 * An event loop: descriptors and timers of one thread (epoll(7)). Sources and timers are
 * embedded in what owns them, so nothing is allocated here and nothing can fail for want of
 * memory but loop_add(), which says so. A structure of zeros is a source that is not watched,
 * and a timer that is not set.
 *
 * One event or one timer is handled at a time. A callback may add and remove every source and
 * timer, its own too, and may give memory to loop_free_later(), the one that it lies in too.
 */
#ifndef SANDLOCK_LOOP_LOOP_H
#define SANDLOCK_LOOP_LOOP_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/clock.h"

/* The structure that a source or a timer is embedded in. */
#define LOOP_OWNER(member_ptr, type, member)                                                       \
	((type *)(void *)((char *)(member_ptr)-offsetof(type, member)))

struct loop_source {
	int fd; /* of the owner, who removes the source before it is closed */
	void (*ready)(struct loop_source *src, uint32_t events); /* NULL: not watched */
};

struct loop_timer {
	int64_t at_ms;
	void (*due)(struct loop_timer *t); /* NULL: not set */
	struct loop_timer *next;
};

/* Embedded in memory of malloc(3) that a callback may still use after it was given up. */
struct loop_waste {
	void *memory;
	struct loop_waste *next;
};

struct loop {
	int epoll_fd; /* -1: not open */
	/* Called before each event; src is NULL before a timer. May be NULL. */
	void (*before)(struct loop *l, const struct loop_source *src);
	struct loop_timer *timers; /* the next one first */
	struct loop_waste *waste;
};

/* Returns 0, or -1 with errno. */
int loop_open(struct loop *l);
/* The sources are forgotten. */
void loop_close(struct loop *l);

/* Has ready() called with the events of epoll_ctl(2) while fd can be read or has ended. Returns
 * 0, or -1 with errno; src is then not watched. */
int loop_add(struct loop *l, struct loop_source *src, int fd,
	void (*ready)(struct loop_source *src, uint32_t events));
/* What is waited for from now on: EPOLLIN, EPOLLOUT, both or 0 (the end is always told). Returns 0,
 * or -1 with errno. */
int loop_want(struct loop *l, struct loop_source *src, uint32_t events);
/* No callback after that. A source that is not watched may be removed. */
void loop_remove(struct loop *l, struct loop_source *src);

/* Has due() called once, at that time of clock_now_ms() or soon after it; timers come in the order
 * of their times. One that is set already is set anew. */
void loop_set_timer(
	struct loop *l, struct loop_timer *t, int64_t at_ms, void (*due)(struct loop_timer *t));
void loop_stop_timer(struct loop *l, struct loop_timer *t);

/* free(memory) when no callback runs. Its sources and timers are removed already. */
void loop_free_later(struct loop *l, struct loop_waste *w, void *memory);

/* Waits for one event or timer and handles it. It may return without one. */
void loop_turn(struct loop *l);

#endif
