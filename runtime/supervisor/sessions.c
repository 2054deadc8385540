/* SPDX-License-Identifier: Apache-2.0
 *
 * Exec'd processes: each is born in the container's domain and has a control connection. If the
 * connection ends before the process does, the process is killed: so it ends with its client.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/internal.h"
#include "runtime/tty/tty.h"

/* A client whose process runs sends one more message: the pid that callers know the process by.
 * Returns whether this was it. */
static bool hears_report(struct session *c)
{
	char buf[sizeof(struct control_request) + 1];
	struct control_request req;
	struct sl_err ignored;
	size_t n_fds = 0;
	ssize_t r;

	if (c->stage != SESSION_RUNNING || c->reported != 0)
		return false;
	r = io_recv_fds(c->conn_fd, buf, sizeof(buf), NULL, 0, &n_fds);
	if (r <= 0 || control_parse(buf, (size_t)r, n_fds, &req, &ignored) < 0 ||
		req.type != CONTROL_REPORT)
		return false;
	c->reported = req.pid;
	return true;
}

/* On a session that has made its request, anything but a report ends the session. */
static void on_session_client(struct loop_source *src, uint32_t events)
{
	struct session *c = LOOP_OWNER(src, struct session, client);
	struct supervisor *s = c->supervisor;

	(void)events;
	if (c->stage == SESSION_ASKING) {
		c->on_request(s, c);
		return;
	}
	if (hears_report(c))
		return;
	if (c->stage != SESSION_WAITING)
		proc_signal(s->proc_fd, &c->id, SIGKILL);
	session_drop(s, c);
}

struct session *session_open(
	struct supervisor *s, int *fd, void (*on_request)(struct supervisor *s, struct session *c))
{
	struct session *c = calloc(1, sizeof(*c));

	if (!c || loop_add(&s->loop, &c->client, *fd, on_session_client) < 0) {
		free(c);
		return NULL;
	}
	c->supervisor = s;
	c->on_request = on_request;
	c->conn_fd = take_fd(fd);
	c->sync_fd = c->master_fd = -1;
	c->next = s->sessions;
	s->sessions = c;
	return c;
}

/* Called when the process has executed, or when the session ends before. */
static void stop_hearing_session(struct supervisor *s, struct session *c)
{
	loop_stop_timer(&s->loop, &c->late);
	loop_remove(&s->loop, &c->child);
	drop_fd(&c->sync_fd);
}

/* Called when the process is set up, or when the session ends before. */
static void forget_process(struct session *c)
{
	if (c->process)
		plan_process_unmap(c->process);
	c->process = NULL;
}

void session_drop(struct supervisor *s, struct session *c)
{
	struct session **at = &s->sessions;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	stop_hearing_session(s, c);
	loop_remove(&s->loop, &c->client);
	drop_fd(&c->conn_fd);
	drop_fd(&c->master_fd);
	forget_process(c);
	if (c->stage == SESSION_SETTING)
		init_link_settle(s, c->id.pid);
	loop_free_later(&s->loop, &c->waste, c);
}

static void give_up_session(struct supervisor *s, struct session *c, const struct sl_err *err)
{
	proc_signal(s->proc_fd, &c->id, SIGKILL);
	reply_failed(c->conn_fd, err);
	session_drop(s, c);
}

static void release_session(struct supervisor *s, struct session *c)
{
	struct sl_err err;

	if (sync_release(c->sync_fd) == 0)
		return;
	sl_err_set(&err, errno, "exec: let the process go on");
	give_up_session(s, c, &err);
}

/* process_setup() works by pid. The pid is still the process' own even if it was killed
 * meanwhile: init does not reap it before init_link_settle(). */
static int set_up(struct supervisor *s, const struct session *c, struct sl_err *err)
{
	if (sync_hear(c->sync_fd, SYNC_SETUP, err) < 0)
		return -1;
	if (!proc_alive(s->proc_fd, &c->id))
		return sl_err_set(err, 0, "exec: the process was killed before it was set up");
	return process_setup(s, c->id.pid, c->process, err);
}

static void on_setup(struct supervisor *s, struct session *c)
{
	const pid_t pid = c->id.pid;
	struct sl_err err;

	if (set_up(s, c, &err) < 0) {
		give_up_session(s, c, &err);
		return;
	}
	forget_process(c);
	c->stage = SESSION_PARKING;
	release_session(s, c);
	init_link_settle(s, pid);
}

static void on_parked(struct supervisor *s, struct session *c)
{
	struct sl_err err;

	if (sync_hear(c->sync_fd, SYNC_PARKED, &err) < 0) {
		give_up_session(s, c, &err);
		return;
	}
	c->stage = SESSION_STARTING;
	release_session(s, c);
}

static void on_executed(struct supervisor *s, struct session *c)
{
	struct control_reply r = { .type = CONTROL_STARTED, .pid = c->id.pid };
	struct sl_err err;

	if (sync_result(c->sync_fd, &err) < 0) {
		reply_failed(c->conn_fd, &err);
		session_drop(s, c);
		return;
	}
	stop_hearing_session(s, c);
	c->stage = SESSION_RUNNING;
	if (io_send_fds(c->conn_fd, &r, sizeof(r), &c->master_fd, c->master_fd >= 0 ? 1 : 0) < 0) {
		sl_err_set(&err, errno, "exec: hand the process to its caller");
		give_up_session(s, c, &err);
		return;
	}
	drop_fd(&c->master_fd);
}

static void on_session_late(struct loop_timer *t)
{
	struct session *c = LOOP_OWNER(t, struct session, late);
	struct sl_err err;

	sl_err_set(&err, 0, "exec: " SYNC_TOO_LATE);
	give_up_session(c->supervisor, c, &err);
}

static void on_child(struct loop_source *src, uint32_t events)
{
	struct session *c = LOOP_OWNER(src, struct session, child);

	(void)events;
	if (c->stage == SESSION_SETTING)
		on_setup(c->supervisor, c);
	else if (c->stage == SESSION_PARKING)
		on_parked(c->supervisor, c);
	else
		on_executed(c->supervisor, c);
}

static int open_stdio(struct supervisor *s, struct session *c, int stdio[3], struct sl_err *err)
{
	const struct plan_process *p = c->process;
	struct tty_pair pair;

	if (tty_open(s->root_fd, p->console_height, p->console_width, p->uid, &pair, err) < 0)
		return -1;
	c->master_fd = pair.master_fd;
	stdio[0] = stdio[1] = stdio[2] = pair.slave_fd;
	return 0;
}

/* fds as of CONTROL_EXEC (control.h); the caller keeps and closes them. */
static int spawn_session(struct supervisor *s, struct session *c, bool terminal, const int *fds,
	size_t n_fds, struct sl_err *err)
{
	const struct init_spawn spawn = {
		.n_preserve = (uint8_t)(n_fds - CONTROL_EXEC_STDIO - (terminal ? 0 : 3)),
	};
	int out[IO_MAX_FDS + SPAWN_FDS], stdio[3];
	auto_fd int slave_fd = -1, child_sync_fd = -1;
	pid_t pid;

	if (plan_process_map(fds[CONTROL_EXEC_BLOB], &c->process, err) < 0)
		return sl_err_wrap(err, "exec");
	if (terminal) {
		if (open_stdio(s, c, stdio, err) < 0)
			return -1;
		slave_fd = stdio[0];
	} else {
		memcpy(stdio, fds + CONTROL_EXEC_STDIO, sizeof(stdio));
	}
	if (sync_open(&c->sync_fd, &child_sync_fd, err) < 0)
		return -1;
	out[SPAWN_FD_BLOB] = fds[CONTROL_EXEC_BLOB];
	out[SPAWN_FD_SYNC] = child_sync_fd;
	memcpy(out + SPAWN_FD_STDIN, stdio, sizeof(stdio));
	memcpy(out + SPAWN_FDS, fds + n_fds - spawn.n_preserve, spawn.n_preserve * sizeof(int));
	if (init_link_spawn(s, &spawn, out, SPAWN_FDS + (size_t)spawn.n_preserve, &pid, err) < 0)
		return -1;
	c->stage = SESSION_SETTING;
	c->id.pid = pid;
	loop_set_timer(&s->loop, &c->late, clock_now_ms() + SYNC_CHILD_MS, on_session_late);
	drop_fd(&child_sync_fd);
	if (proc_identify(s->proc_fd, pid, &c->id) < 0)
		return sl_err_set(err, errno, "exec: identify the process");
	if (loop_add(&s->loop, &c->child, c->sync_fd, on_child) < 0)
		return sl_err_set(err, errno, "exec: watch the process");
	return 0;
}

void sessions_exec(struct supervisor *s, struct session *c, const struct control_request *req,
	int *fds, size_t n_fds)
{
	struct sl_err err;
	const char *refusal = NULL;

	if (!(req->ignore_paused && s->life == LIFE_PAUSED))
		refusal = life_step(&s->life, EVENT_EXEC);
	if (refusal) {
		reply_text(c->conn_fd, refusal);
		session_drop(s, c);
		return;
	}
	if (spawn_session(s, c, req->terminal, fds, n_fds, &err) < 0) {
		if (c->stage == SESSION_SETTING)
			proc_signal(s->proc_fd, &c->id, SIGKILL);
		reply_failed(c->conn_fd, &err);
		session_drop(s, c);
	}
}

/* Keeps the rows sorted by pid. If there are too many, those with the lowest pids stay. */
static void add_exec(struct control_execs *l, const struct session *c)
{
	size_t at = l->n_rows;

	while (at > 0 && l->rows[at - 1].pid > c->id.pid)
		at--;
	if (at == CONTROL_EXECS_ROWS)
		return;
	if (l->n_rows < CONTROL_EXECS_ROWS)
		l->n_rows++;
	memmove(&l->rows[at + 1], &l->rows[at], (l->n_rows - at - 1) * sizeof(l->rows[0]));
	l->rows[at] = (struct control_exec){ .pid = c->id.pid, .reported = c->reported };
}

void sessions_list(const struct supervisor *s, pid_t after, struct control_execs *ret)
{
	ret->n_rows = 0;
	for (const struct session *c = s->sessions; c; c = c->next)
		if (c->reported != 0 && c->id.pid > after)
			add_exec(ret, c);
}

void sessions_process_ended(struct supervisor *s, pid_t pid, int status)
{
	struct session *c = s->sessions;

	while (c && c->id.pid != pid)
		c = c->next;
	if (!c)
		return;
	if (c->stage == SESSION_SETTING || c->stage == SESSION_PARKING) {
		struct sl_err err;

		sync_failure(c->sync_fd, &err);
		reply_failed(c->conn_fd, &err);
		session_drop(s, c);
		return;
	}
	if (c->stage == SESSION_STARTING)
		on_executed(s, c); /* the end was reported before the start */
	c = s->sessions;
	while (c && c->id.pid != pid)
		c = c->next;
	if (!c)
		return;
	reply_exited(c->conn_fd, status);
	session_drop(s, c);
}
