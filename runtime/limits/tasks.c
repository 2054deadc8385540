/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

/* A grant is a fork that was allowed and may not have happened yet. A thread has at most one. If
 * the table is full, the tasks are counted first. */
#define GRANTS_MAX 256

/* Calls that wait for a count. When the table is full, a call is refused at once. */
#define WAITING_MAX 1024

/* The interval between two counts, and how many times the duration of the last one is added. */
#define COUNT_MS    10
#define COUNT_SHARE 10

/* /proc shows a thread that computes like one that is still in its call. After this time the
 * call counts as done. */
#define GRANT_MS 1000

struct grant {
	pid_t tid;
	int64_t at_ms;
};

struct tasks {
	const struct members *members;
	struct loop *loop;
	pid_t init_tid;
	uint64_t limit, refused;
	uint64_t counted; /* result of the last count */
	bool is_counted;
	int64_t next_ms; /* no count before this time */
	struct grant grants[GRANTS_MAX];
	size_t n_grants;
	struct notif_call waiting[WAITING_MAX]; /* in the order of arrival */
	size_t n_waiting;
	struct loop_timer timer; /* set while calls wait */
};

struct tasks *tasks_open(const struct tasks_setup *setup)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->members = setup->members;
	t->loop = setup->loop;
	t->init_tid = setup->init_tid;
	t->limit = setup->limit;
	return t;
}

void tasks_set_limit(struct tasks *t, uint64_t limit)
{
	t->limit = limit;
}

uint64_t tasks_limit(const struct tasks *t)
{
	return t->limit;
}

uint64_t tasks_refused(const struct tasks *t)
{
	return t->refused;
}

static void forget_grant(struct tasks *t, size_t i)
{
	t->grants[i] = t->grants[--t->n_grants];
}

/* A thread that calls again has finished its last call. The task that it made may have ended
 * already; it stays counted until the next count. */
static void settle_grant_of(struct tasks *t, pid_t tid)
{
	for (size_t i = 0; i < t->n_grants; i++)
		if (t->grants[i].tid == tid) {
			forget_grant(t, i);
			t->counted++;
			return;
		}
}

/* /proc/<tid>/syscall says "running" for a thread that has a processor or waits for one; so it
 * does for one whose call was answered and has not continued yet. For others it says in which
 * call they sleep. A thread in a fork sleeps only after the child was made (vfork(2)). */
static bool may_be_inside(const struct tasks *t, const struct grant *g, int64_t now)
{
	char path[32], text[256];

	if (now - g->at_ms > GRANT_MS)
		return false;
	snprintf(path, sizeof(path), "%d/syscall", g->tid);
	return io_slurp(t->members->proc_fd, path, text, sizeof(text)) > 0 &&
	       strncmp(text, "running", strlen("running")) == 0;
}

/* Grants are checked before the count: a task that was made before its grant is forgotten is
 * then counted. */
static void count(struct tasks *t)
{
	const int64_t begin = clock_now_ms();
	uint64_t n;
	int64_t end;

	for (size_t i = t->n_grants; i-- > 0;)
		if (!may_be_inside(t, &t->grants[i], begin))
			forget_grant(t, i);
	if (members_count_tasks(t->members, &n) == 0) {
		t->counted = n;
		t->is_counted = true;
	}
	end = clock_now_ms();
	t->next_ms = end + COUNT_MS + COUNT_SHARE * (end - begin);
}

static bool has_task_room(const struct tasks *t)
{
	return t->is_counted && t->n_grants < GRANTS_MAX && t->counted + t->n_grants < t->limit;
}

static void allow(struct tasks *t, const struct notif_call *c, struct notif_verdict *v)
{
	t->grants[t->n_grants++] = (struct grant){ c->pid, clock_now_ms() };
	notif_continue(v, NOTIF_SCALAR_ARGS);
}

static void refuse(struct tasks *t, struct notif_verdict *v)
{
	t->refused++;
	notif_deny(v, EAGAIN);
}

static void answer_waiting(struct loop_timer *timer)
{
	struct tasks *t = LOOP_OWNER(timer, struct tasks, timer);

	count(t);
	for (size_t i = 0; i < t->n_waiting; i++) {
		const struct notif_call *c = &t->waiting[i];
		struct notif_verdict v = { 0 };

		if (!notif_waits(c))
			continue;
		if (has_task_room(t))
			allow(t, c, &v);
		else
			refuse(t, &v);
		notif_answer(c, &v);
	}
	t->n_waiting = 0;
}

static void wait_for_count(struct tasks *t, const struct notif_call *c, struct notif_verdict *v)
{
	if (t->n_waiting == WAITING_MAX) {
		refuse(t, v);
		return;
	}
	if (t->n_waiting == 0)
		loop_set_timer(t->loop, &t->timer, t->next_ms, answer_waiting);
	t->waiting[t->n_waiting++] = *c;
	notif_later(v);
}

void tasks_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	struct tasks *t = ctx;

	if (c->pid == t->init_tid || t->limit == UINT64_MAX) {
		notif_continue(v, NOTIF_SCALAR_ARGS);
		return;
	}
	settle_grant_of(t, c->pid);
	if (!has_task_room(t) && clock_now_ms() >= t->next_ms)
		count(t);
	if (has_task_room(t) && t->n_waiting == 0)
		allow(t, c, v);
	else
		wait_for_count(t, c, v);
}
