/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/loop/loop.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"

static void free_waste(struct loop *l)
{
	while (l->waste) {
		struct loop_waste *w = l->waste;

		l->waste = w->next;
		free(w->memory);
	}
}

int loop_open(struct loop *l)
{
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return l->epoll_fd < 0 ? -1 : 0;
}

void loop_close(struct loop *l)
{
	drop_fd(&l->epoll_fd);
	l->timers = NULL;
	l->n_fetched = 0;
	free_waste(l);
}

int loop_add(struct loop *l, struct loop_source *src, int fd,
	void (*ready)(struct loop_source *src, uint32_t events))
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = src };

	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0)
		return -1;
	src->fd = fd;
	src->ready = ready;
	return 0;
}

/* Takes back what was fetched for the source and is not among these events. */
static void take_back(struct loop *l, const struct loop_source *src, uint32_t except)
{
	for (int i = 0; i < l->n_fetched; i++)
		if (l->fetched[i].data.ptr == src)
			l->fetched[i].events &= except;
}

int loop_want(struct loop *l, struct loop_source *src, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = src };

	take_back(l, src, events | (uint32_t)(EPOLLHUP | EPOLLERR));
	return epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, src->fd, &e);
}

/* Closing the descriptor would not be enough: if another process has a duplicate, the kernel keeps
 * the epoll entry, which contains the address of the source. */
void loop_remove(struct loop *l, struct loop_source *src)
{
	if (!src->ready)
		return;
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, src->fd, NULL);
	take_back(l, src, 0);
	src->ready = NULL;
}

void loop_set_timer(
	struct loop *l, struct loop_timer *t, int64_t at_ms, void (*due)(struct loop_timer *t))
{
	struct loop_timer **at = &l->timers;

	loop_stop_timer(l, t);
	while (*at && (*at)->at_ms <= at_ms)
		at = &(*at)->next;
	t->at_ms = at_ms;
	t->due = due;
	t->next = *at;
	*at = t;
}

void loop_stop_timer(struct loop *l, struct loop_timer *t)
{
	struct loop_timer **at = &l->timers;

	if (!t->due)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	t->due = NULL;
}

void loop_free_later(struct loop *l, struct loop_waste *w, void *memory)
{
	w->memory = memory;
	w->next = l->waste;
	l->waste = w;
}

/* The time until the first timer in ms; -1: there is no timer. */
static int patience(const struct loop *l)
{
	int64_t left;

	if (!l->timers)
		return -1;
	left = l->timers->at_ms - clock_now_ms();
	if (left <= 0)
		return 0;
	return left < INT_MAX ? (int)left : INT_MAX;
}

static void run_timer(struct loop *l)
{
	struct loop_timer *t = l->timers;
	void (*due)(struct loop_timer * t) = t->due;

	loop_stop_timer(l, t);
	if (l->before)
		l->before(l, NULL);
	due(t);
}

static void fetch_events(struct loop *l, int timeout)
{
	const int n = epoll_wait(l->epoll_fd, l->fetched, l->many ? LOOP_EVENTS : 1, timeout);

	l->n_fetched = n > 0 ? n : 0;
}

/* Returns false when no event waits. */
static bool take_event(struct loop *l, struct epoll_event *ret)
{
	while (l->n_fetched > 0) {
		*ret = l->fetched[--l->n_fetched];
		if (ret->events != 0)
			return true;
	}
	return false;
}

static void run_event(struct loop *l, const struct epoll_event *e)
{
	struct loop_source *src = e->data.ptr;

	if (l->before)
		l->before(l, src);
	src->ready(src, e->events);
}

void loop_turn(struct loop *l)
{
	struct epoll_event e;
	int timeout;

	if (take_event(l, &e)) {
		run_event(l, &e);
	} else if ((timeout = patience(l)) == 0) {
		run_timer(l);
	} else {
		fetch_events(l, timeout);
		if (take_event(l, &e))
			run_event(l, &e);
	}
	free_waste(l);
}
