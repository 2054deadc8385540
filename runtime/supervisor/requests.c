/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

/* Far more connections than any caller opens; the limit bounds the memory that clients can use. */
#define SESSIONS_MAX 4096

static bool peer_is_owner(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

static size_t count_sessions(const struct supervisor *s)
{
	size_t n = 0;

	for (const struct session *c = s->sessions; c; c = c->next)
		n++;
	return n;
}

bool requests_accept(struct supervisor *s)
{
	auto_fd int fd = accept4(s->control_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS;
	if (peer_is_owner(fd) && count_sessions(s) < SESSIONS_MAX)
		session_open(s, &fd, requests_handle);
	return true;
}

static int signal_members(struct supervisor *s, int sig, struct sl_err *err)
{
	struct init_msg m = { .type = INIT_SIGNAL_ALL, .signal = sig };

	if (init_link_send(s, &m) < 0)
		return sl_err_set(err, errno, "have everything signalled");
	return 0;
}

static void handle_start(struct supervisor *s, struct session *c, const struct control_request *req)
{
	const char *refusal = life_step(&s->life, EVENT_START);

	if (refusal) {
		reply_text(c->conn_fd, refusal);
		session_drop(s, c);
		return;
	}
	if (req->until_end)
		s->end_conn_fd = fcntl(c->conn_fd, F_DUPFD_CLOEXEC, 3);
	s->start_conn_fd = take_fd(&c->conn_fd);
	session_drop(s, c);
	start_hooks_run(s);
}

static void handle_pause(struct supervisor *s, struct session *c, bool pause)
{
	const char *refusal = life_step(&s->life, pause ? EVENT_PAUSE : EVENT_RESUME);
	struct sl_err err;

	if (refusal) {
		reply_text(c->conn_fd, refusal);
		return;
	}
	if (s->budget && pause)
		budget_hold(s->budget);
	if (s->budget && !pause)
		budget_resume(s->budget);
	if (signal_members(s, pause ? SIGSTOP : SIGCONT, &err) < 0 ||
		supervisor_write_status(s, pause ? RECORD_PAUSED : RECORD_RUNNING, &err) < 0)
		reply_failed(c->conn_fd, &err);
	else
		reply_done(c->conn_fd);
}

static void handle_update(
	struct supervisor *s, struct session *c, const struct control_request *req)
{
	struct sl_err err;

	if (limits_update(s, req, &err) < 0)
		reply_failed(c->conn_fd, &err);
	else
		reply_done(c->conn_fd);
}

static void handle_stats(struct supervisor *s, struct session *c)
{
	struct control_reply r = { .type = CONTROL_STATS_REPLY };

	stats_take(s, &r.stats);
	io_send_fds(c->conn_fd, &r, sizeof(r), NULL, 0);
}

static void handle_execs(struct supervisor *s, struct session *c, const struct control_request *req)
{
	struct control_reply r = { .type = CONTROL_EXECS_REPLY };

	sessions_list(s, req->pid, &r.execs);
	io_send_fds(c->conn_fd, &r, sizeof(r), NULL, 0);
}

static void dispatch(struct supervisor *s, struct session *c, const struct control_request *req,
	int *fds, size_t n_fds)
{
	struct sl_err err;

	switch ((enum control_type)req->type) {
	case CONTROL_START: handle_start(s, c, req); return;
	case CONTROL_EXEC: sessions_exec(s, c, req, fds, n_fds); return;
	case CONTROL_WAIT: c->stage = SESSION_WAITING; return;
	case CONTROL_SIGNAL_ALL:
		if (signal_members(s, req->signal, &err) < 0)
			reply_failed(c->conn_fd, &err);
		else
			reply_done(c->conn_fd);
		break;
	case CONTROL_STATS: handle_stats(s, c); break;
	case CONTROL_UPDATE: handle_update(s, c, req); break;
	case CONTROL_EXECS: handle_execs(s, c, req); break;
	case CONTROL_REPORT: break; /* valid for an exec'd process only */
	case CONTROL_PAUSE:
	case CONTROL_RESUME: handle_pause(s, c, req->type == CONTROL_PAUSE); break;
	}
	session_drop(s, c);
}

void requests_handle(struct supervisor *s, struct session *c)
{
	char buf[sizeof(struct control_request) + 1];
	struct control_request req;
	int fds[IO_MAX_FDS];
	size_t n_fds = 0;
	struct sl_err err;
	ssize_t r = io_recv_fds(c->conn_fd, buf, sizeof(buf), fds, IO_MAX_FDS, &n_fds);

	if (r <= 0) {
		session_drop(s, c);
		return;
	}
	if (control_parse(buf, (size_t)r, n_fds, &req, &err) < 0) {
		reply_failed(c->conn_fd, &err);
		session_drop(s, c);
	} else {
		dispatch(s, c, &req, fds, n_fds);
	}
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
}

void requests_process_ended(struct supervisor *s, pid_t pid, int status)
{
	if (pid != s->record.workload.pid) {
		sessions_process_ended(s, pid, status);
		return;
	}
	s->main_ended = true;
	s->main_status = s->timed_out ? W_EXITCODE(LIMITS_TIMEOUT_STATUS, 0) : status;
	if (start_hooks_cancel(s)) {
		reply_text(s->start_conn_fd, "the container ended before it was started");
		drop_fd(&s->start_conn_fd);
	} else if (s->start_conn_fd >= 0) {
		starting_answered(s); /* the end was reported before the start */
	}
	life_step(&s->life, EVENT_ENDED);
}

/* No process of the container is left; only the supervisor itself still has to end. */
static void tell_end(struct supervisor *s)
{
	if (s->end_conn_fd < 0 || !s->main_ended)
		return;
	unlinkat(s->dir_fd, STORE_CONTROL, 0);
	reply_exited(s->end_conn_fd, s->main_status);
}

void requests_finish(struct supervisor *s)
{
	tell_end(s);
	if (s->start_conn_fd >= 0)
		reply_text(s->start_conn_fd, "the container ended before it was started");
	while (s->sessions) {
		struct session *c = s->sessions;

		if (c->stage == SESSION_ASKING)
			reply_text(c->conn_fd, "container not running");
		else if (c->stage == SESSION_WAITING)
			reply_exited(c->conn_fd, ending_of_main(s));
		else
			sessions_process_ended(s, c->id.pid, SIGKILL);
		if (s->sessions == c)
			session_drop(s, c);
	}
}
