/* SPDX-License-Identifier: Apache-2.0
 *
 * An exec'd process from its birth to its end, as its client hears of it: in the usual order, with
 * an end that overtakes the news of its start, with a failure at each stage, and with a client that
 * goes. The process, its socket and init are this test's.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/supervisor/internal.h"
#include "tests/unit/check.h"

static struct supervisor s;
static int n_asked;

struct world {
	struct session *c;
	int client_fd;
	int child_fd; /* the process' end of its socket */
	pid_t pid;
};

static void asked(struct supervisor *sup, struct session *c)
{
	(void)sup;
	(void)c;
	n_asked++;
}

static void open_supervisor(void)
{
	int init_fd;
	struct sl_err err;

	s.proc_fd = proc_open();
	s.root_fd = -1;
	CHECK(loop_open(&s.loop) == 0 && init_link_open(&s, &init_fd, &err) == 0);
}

static pid_t waiting_process(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		close_range(3, ~0U, 0);
		for (;;)
			pause();
	}
	return pid;
}

/* As sessions_exec() leaves it, later on in its life. */
static void begin(struct world *w, enum session_stage stage)
{
	struct sl_err err;
	int pair[2];

	w->pid = waiting_process();
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	w->client_fd = pair[1];
	w->c = session_open(&s, &pair[0], asked);
	CHECK(w->c && pair[0] < 0 && s.sessions == w->c);
	w->child_fd = -1;
	w->c->stage = stage;
	if (stage != SESSION_RUNNING)
		CHECK(sync_open(&w->c->sync_fd, &w->child_fd, &err) == 0);
	CHECK(proc_identify(s.proc_fd, w->pid, &w->c->id) == 0);
}

static void says(const struct world *w, enum sync_type type, const char *text)
{
	struct sync_msg m = { .type = type };

	sl_err_set(&m.err, 0, "%s", text);
	CHECK(send(w->child_fd, &m, sizeof(m), 0) == (ssize_t)sizeof(m));
}

/* What the client hears next; 0: nothing, -1: the end. */
static int heard(const struct world *w, struct control_reply *ret)
{
	struct control_reply r = { 0 };
	ssize_t n = recv(w->client_fd, &r, sizeof(r), MSG_DONTWAIT);

	*ret = r;
	if (n < 0)
		return errno == ECONNRESET ? -1 : 0; /* with something unread */
	return n == 0 ? -1 : (int)r.type;
}

static bool is_killed(pid_t pid)
{
	int status;

	for (int i = 0; i < 200; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		usleep(10000);
	}
	return false;
}

static void end(struct world *w)
{
	struct control_reply r;

	CHECK(heard(w, &r) == -1 && !s.sessions);
	close(w->client_fd);
	if (w->child_fd >= 0)
		close(w->child_fd);
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
}

static void asking(void)
{
	struct world w;

	begin(&w, SESSION_ASKING);
	CHECK(send(w.client_fd, "x", 1, 0) == 1);
	loop_turn(&s.loop);
	CHECK(n_asked == 1 && s.sessions == w.c);
	/* What it stands for is not asked for before. */
	sessions_process_ended(&s, 0, 0);
	session_drop(&s, w.c);
	end(&w);
}

static void usual(void)
{
	struct control_reply r;
	struct world w;

	begin(&w, SESSION_RUNNING);
	CHECK(heard(&w, &r) == 0);
	sessions_process_ended(&s, w.pid + 1, 0); /* another one */
	CHECK(heard(&w, &r) == 0);
	sessions_process_ended(&s, w.pid, 3 << 8);
	CHECK(heard(&w, &r) == CONTROL_EXITED && r.status == 3 << 8);
	end(&w);
}

/* Executed: its socket was closed with that. */
static void end_overtakes_start(void)
{
	struct control_reply r;
	struct world w;

	begin(&w, SESSION_STARTING);
	close(w.child_fd);
	w.child_fd = -1;
	sessions_process_ended(&s, w.pid, SIGTERM);
	CHECK(heard(&w, &r) == CONTROL_STARTED && r.pid == w.pid);
	CHECK(heard(&w, &r) == CONTROL_EXITED && r.status == SIGTERM);
	end(&w);
}

/* The child's own words, whatever its end says. */
static void failed(enum session_stage stage, bool has_words)
{
	struct control_reply r;
	struct world w;

	begin(&w, stage);
	if (has_words)
		says(&w, SYNC_FAILED, "no such program");
	sessions_process_ended(&s, w.pid, 1 << 8);
	CHECK(heard(&w, &r) == CONTROL_FAILED);
	CHECK_CONTAINS(r.err.msg,
		has_words ? "no such program" : "the process was killed before it was executed");
	end(&w);
}

static void client_goes(enum session_stage stage, bool kills)
{
	struct world w;

	begin(&w, stage);
	close(w.client_fd);
	loop_turn(&s.loop);
	CHECK(!s.sessions);
	if (kills)
		CHECK(is_killed(w.pid));
	else
		CHECK(waitpid(w.pid, NULL, WNOHANG) == 0);
	kill(w.pid, SIGKILL);
	waitpid(w.pid, NULL, 0);
	if (w.child_fd >= 0)
		close(w.child_fd);
}

static void reports(void)
{
	const struct control_request req = {
		.magic = CONTROL_MAGIC, .type = CONTROL_REPORT, .pid = 4711
	};
	struct control_execs list;
	struct world w;

	begin(&w, SESSION_RUNNING);
	sessions_list(&s, 0, &list);
	CHECK(list.n_rows == 0);
	CHECK(send(w.client_fd, &req, sizeof(req), 0) == (ssize_t)sizeof(req));
	loop_turn(&s.loop);
	sessions_list(&s, 0, &list);
	CHECK(list.n_rows == 1 && list.rows[0].pid == w.pid && list.rows[0].reported == 4711);
	sessions_list(&s, w.pid, &list);
	CHECK(list.n_rows == 0);
	/* Once; what else it says is its end. */
	CHECK(send(w.client_fd, &req, sizeof(req), 0) == (ssize_t)sizeof(req));
	loop_turn(&s.loop);
	CHECK(!s.sessions && is_killed(w.pid));
	end(&w);
}

static void refused(enum life life, bool ignore_paused, const char *words)
{
	const struct control_request req = { .type = CONTROL_EXEC, .ignore_paused = ignore_paused };
	int fds[] = { -1, -1, -1, -1 };
	struct control_reply r;
	struct world w;

	begin(&w, SESSION_ASKING);
	close(w.child_fd);
	w.child_fd = -1;
	drop_fd(&w.c->sync_fd);
	w.c->id = (struct proc_id){ 0 };
	s.life = life;
	sessions_exec(&s, w.c, &req, fds, 4);
	CHECK(s.life == life);
	CHECK(heard(&w, &r) == CONTROL_FAILED);
	CHECK_CONTAINS(r.err.msg, words);
	end(&w);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	open_supervisor();
	asking();
	usual();
	end_overtakes_start();
	failed(SESSION_SETTING, true);
	failed(SESSION_SETTING, false);
	failed(SESSION_PARKING, true);
	failed(SESSION_PARKING, false);
	failed(SESSION_STARTING, true);
	client_goes(SESSION_PARKING, true);
	client_goes(SESSION_STARTING, true);
	client_goes(SESSION_RUNNING, true);
	client_goes(SESSION_WAITING, false);
	reports();
	refused(LIFE_PAUSED, false, "cannot exec in a paused container");
	refused(LIFE_ENDING, false, "cannot exec in a stopped container");
	refused(LIFE_PAUSED, true,
		"exec: "); /* asked for all the same, and its description is bad */
	return check_done();
}
