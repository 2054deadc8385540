/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/task/inside.h"

static void note_end(struct process *p, int status)
{
	if (p->ended)
		return;
	p->ended = true;
	p->status = status;
	clock_gettime(CLOCK_REALTIME, &p->ended_at);
}

static void exits_stop(struct process *p)
{
	Task__WaitResponse r = TASK__WAIT_RESPONSE__INIT;
	Common__Timestamp at = proto_time(p->ended_at);

	/* For a process that is being deleted the event is sent, but the stage stays. */
	if (p->stage != PROCESS_DELETING)
		p->stage = PROCESS_STOPPED;
	p->told = true;
	tell_exited(p);
	r.exit_status = answer_status(p->status);
	r.exited_at = &at;
	while (p->waiters)
		ttrpc_answer(p->waiters, &r);
}

/* Whether the event of the end is due: the end is known, was not sent yet, and the process was
 * started. */
static bool may_stop(const struct process *p)
{
	return p->ended && !p->told && p->stage != PROCESS_MAKING && p->stage != PROCESS_STARTING;
}

/* The supervisor sends the exit status. A supervisor that was killed sends nothing; the process is
 * killed then. */
static void hear_end(struct process *p)
{
	struct sl_err ignored;
	int status = SIGKILL;

	container_exec_wait(p->end.fd, 0, &status, &ignored);
	loop_remove(&p->task->shim->loop, &p->end);
	drop_fd(&p->end.fd);
	note_end(p, status);
}

void exits_settle(struct task *t)
{
	for (struct process *p = t->execs; p; p = p->next) {
		if (p->stage == PROCESS_STARTING && t->main.ended)
			return; /* its event comes first, and its worker ends soon */
		if (t->main.ended && p->stage == PROCESS_RUNNING && !p->ended)
			hear_end(p);
		if (may_stop(p) && p->pid)
			exits_stop(p);
	}
	if (may_stop(&t->main))
		exits_stop(&t->main);
}

static void exec_ended(struct loop_source *src, uint32_t events)
{
	struct process *p = LOOP_OWNER(src, struct process, end);

	(void)events;
	hear_end(p);
	exits_settle(p->task);
}

void exits_watch_exec(struct process *p, int conn_fd)
{
	if (loop_add(&p->task->shim->loop, &p->end, conn_fd, exec_ended) == 0)
		return;
	/* A process whose end cannot be watched is ended: the supervisor kills it when this
	 * connection is closed. */
	close(conn_fd);
	p->end.fd = -1;
	note_end(p, SIGKILL);
}

void exits_of_main(struct task *t, int status)
{
	note_end(&t->main, status);
	exits_settle(t);
}

static struct task *find_pid(struct shim *s, pid_t pid)
{
	for (struct task *t = s->tasks; t; t = t->next)
		if (t->main.pid == pid && !t->main.ended)
			return t;
	return NULL;
}

void exits_reap(struct shim *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct task *t;

		if (worker_reaped(&s->workers, pid))
			continue;
		if (s->pod && s->pod->pid == pid) {
			s->pod->holder_ended = true;
			sandbox_stop(s, answer_status(status));
			continue;
		}
		/* A supervisor becomes a child of the shim when the worker that forked it ends. So
		 * the worker's result has arrived by now, and it says to which task the pid
		 * belongs. */
		if (!find_pid(s, pid))
			worker_collect(&s->workers);
		t = find_pid(s, pid);
		if (t)
			exits_of_main(t, status);
	}
}
