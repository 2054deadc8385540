/* SPDX-License-Identifier: Apache-2.0
 *
 * The main process between its release and its execve, and the client that waits for it.
 */
#include <fcntl.h>
#include <signal.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/internal.h"

int supervisor_write_status(struct supervisor *s, enum record_status status, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new_checked();

	s->record.status = status;
	if (!a)
		return sl_err_set(err, errno, "write the state of %s", s->record.id);
	return record_write(a, s->dir_fd, &s->record, err);
}

void supervisor_settle(struct supervisor *s)
{
	drop_fd(&s->scratch_fd);
	drop_fd(&s->image_fd);
}

void starting_failed(struct supervisor *s, const struct sl_err *err)
{
	reply_failed(s->start_conn_fd, err);
	drop_fd(&s->start_conn_fd);
}

static void stop_hearing_start(struct supervisor *s)
{
	loop_stop_timer(&s->loop, &s->start_timer);
	loop_remove(&s->loop, &s->sources.main);
	drop_fd(&s->sync_fd);
}

static void on_start_late(struct loop_timer *t)
{
	struct supervisor *s = LOOP_OWNER(t, struct supervisor, start_timer);
	struct sl_err err;

	stop_hearing_start(s); /* a later message of the process is ignored */
	sl_err_set(&err, 0, SYNC_TOO_LATE);
	starting_failed(s, &err);
	proc_signal(s->proc_fd, &s->record.workload, SIGKILL);
}

void starting_answered(struct supervisor *s)
{
	struct sl_err err;
	int rc = sync_result(s->sync_fd, &err);

	stop_hearing_start(s);
	if (rc < 0) {
		proc_signal(s->proc_fd, &s->record.workload, SIGKILL);
		reply_failed(s->start_conn_fd, &err);
	} else {
		life_step(&s->life, EVENT_EXECUTED);
		limits_begin(s);
		reply_done(s->start_conn_fd);
	}
	drop_fd(&s->start_conn_fd);
	supervisor_settle(s);
}

static void on_main(struct loop_source *src, uint32_t events)
{
	(void)events;
	starting_answered(LOOP_OWNER(src, struct supervisor, sources.main));
}

/* The status is written before the workload runs: a workload must not run while `state` says
 * "created". If the write fails because the state root is full, nothing has changed and the
 * start can be tried again. */
void starting_release(struct supervisor *s)
{
	struct sl_err err;

	if (supervisor_write_status(s, RECORD_RUNNING, &err) < 0) {
		s->record.status = RECORD_CREATED;
		life_step(&s->life, EVENT_HELD);
		starting_failed(s, &err);
		return;
	}
	loop_set_timer(&s->loop, &s->start_timer, clock_now_ms() + SYNC_CHILD_MS, on_start_late);
	if (loop_add(&s->loop, &s->sources.main, s->sync_fd, on_main) == 0 &&
		sync_release(s->sync_fd) == 0)
		return;
	sl_err_set(&err, errno, "release the process");
	starting_failed(s, &err);
}
