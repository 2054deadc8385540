/* SPDX-License-Identifier: Apache-2.0
 *
 * An event loop for the descriptors and timers of one thread (epoll(7)). Sources and timers are
 * embedded in the structures of their owners, so the loop allocates no memory, and only loop_add()
 * and loop_open() can fail. A structure of zeros is a source that is not watched, or a timer that
 * is not set.
 *
 * The loop handles one event or one timer at a time. A callback may add and remove every source and
 * timer, also its own. It may also give memory to loop_free_later(), even the memory that contains
 * its own source.
 */
#ifndef SANDLOCK_LOOP_LOOP_H
#define SANDLOCK_LOOP_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "runtime/base/clock.h"

/* The largest number of events that are fetched with one system call. */
#define LOOP_EVENTS 16

/* The structure that a source or a timer is embedded in. */
#define LOOP_OWNER(member_ptr, type, member)                                                       \
	((type *)(void *)((char *)(member_ptr)-offsetof(type, member)))

struct loop_source {
	int fd; /* the owner's descriptor; the owner removes the source before closing it */
	void (*ready)(struct loop_source *src, uint32_t events); /* NULL: not watched */
};

struct loop_timer {
	int64_t at_ms;
	void (*due)(struct loop_timer *t); /* NULL: not set */
	struct loop_timer *next;
};

/* Embedded in memory from malloc(3) that a callback may still use after it has been given up. */
struct loop_waste {
	void *memory;
	struct loop_waste *next;
};

struct loop {
	int epoll_fd; /* -1: not open */
	/* Called before each event; src is NULL before a timer. May be NULL. */
	void (*before)(struct loop *l, const struct loop_source *src);
	struct loop_timer *timers; /* sorted by time */
	struct loop_waste *waste;
	/* Fetches several events with one system call. When the last of them is handled, the
	 * descriptor may no longer be readable, so every descriptor has to be non-blocking. */
	bool many;
	struct epoll_event fetched[LOOP_EVENTS]; /* those with events 0 were taken back */
	int n_fetched;
};

/* Returns 0, or -1 with errno. */
int loop_open(struct loop *l);
/* Closes the loop. It does not touch the sources afterwards. */
void loop_close(struct loop *l);

/* Calls ready() with the events of epoll_ctl(2) whenever fd is readable or has a hang-up. Returns
 * 0, or -1 with errno; then src is not watched. */
int loop_add(struct loop *l, struct loop_source *src, int fd,
	void (*ready)(struct loop_source *src, uint32_t events));
/* Sets the events that are watched: EPOLLIN, EPOLLOUT, both or 0. A hang-up is always reported.
 * Returns 0, or -1 with errno. */
int loop_want(struct loop *l, struct loop_source *src, uint32_t events);
/* ready() is not called any more. A source that is not watched may be removed too. */
void loop_remove(struct loop *l, struct loop_source *src);

/* Calls due() once, at the time at_ms of clock_now_ms() or soon afterwards. Timers are called in
 * the order of their times. A timer that is already set is set to the new time. */
void loop_set_timer(
	struct loop *l, struct loop_timer *t, int64_t at_ms, void (*due)(struct loop_timer *t));
void loop_stop_timer(struct loop *l, struct loop_timer *t);

/* Calls free(memory) when no callback runs. Its sources and timers must have been removed. */
void loop_free_later(struct loop *l, struct loop_waste *w, void *memory);

/* Waits for one event or timer and handles it. It may return without one. */
void loop_turn(struct loop *l);

#endif
