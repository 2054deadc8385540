/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks.startContainer (runtime-spec, config.md "StartContainer Hooks"): they run inside the
 * sandbox with the workload's user, profile and working directory, after `start` and before the
 * workload's execve. Each is an exec'd process whose client is the supervisor itself, over a
 * socketpair; so sessions.c does the rest, including the kill. Their descriptors are made at
 * `create`, because the supervisor confines itself afterwards.
 *
 * Errors go to the client that asked for the start, and the workload is killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/hooks/hooks.h"
#include "runtime/supervisor/internal.h"

#define OUTPUT_MAX 4096

struct start_hook {
	const char *path;
	int timeout_seconds; /* 0: none */
	int blob_fd;
	int in_fd; /* the state document */
	int out_fd;
};

struct start_hooks {
	struct start_hook *items;
	size_t n;
	size_t at;   /* the index of the hook that runs, or of the next one */
	int conn_fd; /* the client's end for the hook that runs; -1: none runs */
	struct loop_source reply;
	struct loop_timer late; /* set while a hook with a timeout runs */
	struct supervisor *supervisor;
};

static int start_state_file(const char *state, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = memfd_create("hook-state", MFD_CLOEXEC);

	if (fd < 0 || io_write_all(fd, state, strlen(state)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return sl_err_set(err, errno, "hook state");
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A file instead of a pipe, because nobody reads while the hook runs. Seals bound its size. */
static int output_file(int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = memfd_create("hook-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, OUTPUT_MAX) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return sl_err_set(err, errno, "hook output");
	*ret_fd = take_fd(&fd);
	return 0;
}

static int prepare_one(struct supervisor *s, const struct plan *plan, const struct spec_hook *h,
	const char *state, struct start_hook *ret, struct sl_err *err)
{
	struct spec_process p = plan->process;
	char *only_path[] = { (char *)h->path, NULL };

	p.terminal = false;
	p.args = h->n_args ? h->args : only_path;
	p.n_args = h->n_args ? h->n_args : 1;
	if (h->env) {
		p.env = h->env;
		p.n_env = h->n_env;
	}
	ret->path = arena_strdup(s->arena, h->path);
	ret->timeout_seconds = h->timeout_seconds;
	if (plan_pack_process(plan, &p, h->path, &ret->blob_fd, err) < 0)
		return -1;
	return start_state_file(state, &ret->in_fd, err) < 0 ? -1 : output_file(&ret->out_fd, err);
}

int start_hooks_prepare(
	struct supervisor *s, const struct plan *plan, const char *state, struct sl_err *err)
{
	const struct spec_hook_list *list = &plan->hooks.start_container;
	struct start_hooks *h;

	if (list->n == 0)
		return 0;
	h = arena_alloc(s->arena, sizeof(*h));
	h->items = arena_array(s->arena, list->n, sizeof(*h->items));
	h->n = list->n;
	h->conn_fd = -1;
	h->supervisor = s;
	for (size_t i = 0; i < list->n; i++)
		if (prepare_one(s, plan, &list->items[i], state, &h->items[i], err) < 0)
			return sl_err_wrap(err, "startContainer hook #%zu", i);
	s->start_hooks = h;
	return 0;
}

/* Closing the connection kills the hook if it still runs (sessions.c). */
static void leave(struct start_hooks *h)
{
	struct loop *l = &h->supervisor->loop;

	loop_stop_timer(l, &h->late);
	loop_remove(l, &h->reply);
	drop_fd(&h->conn_fd);
}

static void fail_hooks(struct supervisor *s, struct sl_err *err)
{
	struct start_hooks *h = s->start_hooks;

	sl_err_wrap(err, "error running startContainer hook #%zu", h->at);
	leave(h);
	starting_failed(s, err);
	proc_signal(s->proc_fd, &s->record.workload, SIGKILL);
}

static void on_end(struct supervisor *s, int status)
{
	struct start_hooks *h = s->start_hooks;
	struct start_hook *hook = &h->items[h->at];
	char out[OUTPUT_MAX + 1] = "";
	struct sl_err err;

	if (lseek(hook->out_fd, 0, SEEK_SET) == 0)
		(void)!read(hook->out_fd, out, OUTPUT_MAX);
	if (hooks_judge(hook->path, status, out, &err) < 0) {
		fail_hooks(s, &err);
		return;
	}
	leave(h);
	drop_fd(&hook->blob_fd);
	drop_fd(&hook->in_fd);
	drop_fd(&hook->out_fd);
	h->at++;
	start_hooks_run(s);
}

static void on_reply(struct loop_source *src, uint32_t events)
{
	struct start_hooks *h = LOOP_OWNER(src, struct start_hooks, reply);
	struct control_reply reply;
	struct sl_err err;
	size_t n_fds;

	(void)events;
	if (control_receive(src->fd, &reply, NULL, 0, &n_fds, &err) < 0)
		fail_hooks(h->supervisor, &err);
	else if (reply.type == CONTROL_EXITED)
		on_end(h->supervisor, reply.status);
}

static void on_hook_late(struct loop_timer *t)
{
	struct start_hooks *h = LOOP_OWNER(t, struct start_hooks, late);
	const struct start_hook *hook = &h->items[h->at];
	struct sl_err err;

	sl_err_set(&err, 0, "%s: did not end within %d seconds", hook->path, hook->timeout_seconds);
	fail_hooks(h->supervisor, &err);
}

static int begin_hook(struct supervisor *s, struct start_hook *hook, struct sl_err *err)
{
	const struct control_request req = { .type = CONTROL_EXEC };
	struct start_hooks *h = s->start_hooks;
	int fds[] = { hook->blob_fd, hook->in_fd, hook->out_fd, hook->out_fd }, pair[2];
	auto_fd int theirs = -1;
	struct session *c;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	h->conn_fd = pair[0];
	theirs = pair[1];
	if (loop_add(&s->loop, &h->reply, h->conn_fd, on_reply) < 0)
		return sl_err_set(err, errno, "watch the hook");
	c = session_open(s, &theirs, NULL);
	if (!c)
		return sl_err_set(err, errno, "watch the hook");
	if (hook->timeout_seconds > 0)
		loop_set_timer(&s->loop, &h->late,
			clock_now_ms() + (int64_t)hook->timeout_seconds * 1000, on_hook_late);
	sessions_exec(s, c, &req, fds, sizeof(fds) / sizeof(fds[0]));
	return 0;
}

void start_hooks_run(struct supervisor *s)
{
	struct start_hooks *h = s->start_hooks;
	struct sl_err err;

	if (!h || h->at == h->n)
		starting_release(s);
	else if (begin_hook(s, &h->items[h->at], &err) < 0)
		fail_hooks(s, &err);
}

bool start_hooks_cancel(struct supervisor *s)
{
	if (!s->start_hooks || s->start_hooks->conn_fd < 0)
		return false;
	leave(s->start_hooks);
	return true;
}
