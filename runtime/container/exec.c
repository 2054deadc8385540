/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "runtime/base/io.h"
#include "runtime/container/internal.h"
#include "runtime/control/control.h"
#include "runtime/plan/process.h"
#include "runtime/store/store.h"
#include "runtime/tty/tty.h"

int container_exec_base(const struct runtime *rt, const struct container *c,
	struct container_exec *ret, struct sl_err *err)
{
	auto_fd int fd = openat(c->dir_fd, STORE_PROCESS, O_RDONLY | O_CLOEXEC);
	const struct plan_process *mapped;
	struct plan_process *planned;

	if (fd < 0)
		return sl_err_set(err, errno, "open the planned process of %s", c->id);
	if (plan_process_map(fd, &mapped, err) < 0)
		return sl_err_wrap(
			err, "%s, perhaps made by another version of this runtime", c->id);
	/* The unpacked process points to strings of this copy. */
	planned = arena_alloc(rt->arena, mapped->size);
	memcpy(planned, mapped, mapped->size);
	plan_process_unmap(mapped);
	*ret = (struct container_exec){ .planned = planned, .stdio_fds = { 0, 1, 2 } };
	plan_process_unpack(rt->arena, planned, &ret->process);
	return 0;
}

static int check_exec(
	const struct container *c, const struct container_exec *req, struct sl_err *err)
{
	const bool terminal = req->process.terminal;

	if (c->status == RECORD_STOPPED)
		return sl_err_set(err, 0, "cannot exec in a stopped container");
	if (terminal && req->terminal == CONTAINER_TERMINAL_SENT && !req->console_socket)
		return sl_err_set(err, 0,
			"cannot allocate tty if runc will detach without setting console socket");
	if (req->console_socket && !terminal)
		return sl_err_set(err, 0,
			"cannot use console socket if runc will not detach or allocate tty");
	if (req->n_extra > IO_MAX_FDS - 4)
		return sl_err_set(err, 0, "exec: more than %d descriptors", IO_MAX_FDS - 4);
	return 0;
}

/* Returns whether the descriptor leads to a file of the host that may not be in the container's
 * Landlock domain (supervisor/ask.c adds rules for its stdio at `create`). */
static bool is_of_host(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return st.st_rdev != makedev(1, 3);
	return S_ISREG(st.st_mode) || (S_ISFIFO(st.st_mode) && fs.f_type != PIPEFS_MAGIC);
}

/* No file can be added to a domain later. The runtime could open the file once more where it has
 * a path, but a new file description has its own offset, and the caller's output would not
 * continue after it. */
static void tell_of_files(const struct runtime *rt, const struct container_exec *req)
{
	static const char *const names[] = { "stdin", "stdout", "stderr" };

	for (int i = 0; i <= 2; i++)
		if (is_of_host(req->stdio_fds[i]))
			container_log(rt, RUNTIME_NOTE,
				arena_printf(rt->arena,
					"exec: %s is a file of the host: the process can use it, "
					"and not open it again as /dev/%s, unless the container "
					"was created with it",
					names[i], names[i]));
}

/* Chooses the processors: those that the process asks for, else those of the bundle's
 * execCPUAffinity. */
static int choose_cpus(struct arena *a, const struct spec_process *p,
	const struct plan_process *base, const cpu_set_t **ret, struct sl_err *err)
{
	if (plan_exec_cpus(a, p, ret, err) < 0)
		return -1;
	if (!*ret && base->has_exec_affinity)
		*ret = &base->exec_affinity;
	return 0;
}

static int pack(
	struct arena *a, const struct container_exec *req, int *ret_blob_fd, struct sl_err *err)
{
	const struct plan_process *base = req->planned;
	const struct plan_env_rules env_rules = plan_process_env_rules(a, base);
	struct spec_process p = req->process;
	struct caps_decision caps;
	struct plan_process_extra extra = {
		.caps = &caps.caps,
		.profile = plan_process_profile(base),
		.n_profile = base->n_profile,
		.profile_flags = base->profile_flags,
	};

	if (choose_cpus(a, &p, base, &extra.cpus, err) < 0 ||
		caps_of_process(&p, &base->rules, &caps, err) < 0)
		return -1;
	p.env = plan_env_decide(a, &env_rules, p.env, p.n_env, &p.n_env);
	return plan_process_pack(&p, &extra, ret_blob_fd, err);
}

/* Asks the supervisor for the process; it also sends the master of a terminal. */
static int ask_exec(const struct container *c, const struct container_exec *req, int blob_fd,
	struct container_execed *ret, struct sl_err *err)
{
	struct control_request control = {
		.type = CONTROL_EXEC,
		.n_preserve = (uint32_t)req->n_extra,
		.terminal = req->process.terminal,
		.ignore_paused = req->paused == CONTAINER_PAUSED_TOO,
	};
	int fds[IO_MAX_FDS], master_fd = -1;
	struct control_reply reply;
	size_t n = 0, n_fds = 0;

	fds[n++] = blob_fd;
	if (!req->process.terminal)
		for (int i = 0; i <= 2; i++)
			fds[n++] = req->stdio_fds[i];
	for (size_t i = 0; i < req->n_extra; i++)
		fds[n++] = req->extra_fds[i];
	if (control_connect(c->dir_fd, &ret->conn_fd, err) < 0 ||
		control_send(ret->conn_fd, &control, fds, n, err) < 0 ||
		control_receive(ret->conn_fd, &reply, &master_fd, 1, &n_fds, err) < 0)
		return sl_err_wrap(err, "exec failed");
	ret->pid = reply.pid;
	ret->master_fd = n_fds ? master_fd : -1;
	return 0;
}

static int exec(const struct runtime *rt, const struct container *c,
	const struct container_exec *req, struct container_execed *ret, struct sl_err *err)
{
	const char *warning = plan_caps_warning(rt->arena, &req->process);
	auto_fd int blob_fd = -1;

	if (warning)
		container_log(rt, RUNTIME_WARNING, warning);
	if (pack(rt->arena, req, &blob_fd, err) < 0 || check_exec(c, req, err) < 0)
		return -1;
	if (!req->process.terminal)
		tell_of_files(rt, req);
	if (ask_exec(c, req, blob_fd, ret, err) < 0)
		return -1;
	container_log(
		rt, RUNTIME_DEBUG, arena_printf(rt->arena, "started as process %d", ret->pid));
	if (req->console_socket) {
		if (tty_send_master(req->console_socket, ret->master_fd, err) < 0)
			return -1;
		drop_fd(&ret->master_fd);
	}
	return 0;
}

int container_exec(const struct runtime *rt, const struct container *c,
	const struct container_exec *req, struct container_execed *ret, struct sl_err *err)
{
	struct container_execed x = { .conn_fd = -1, .master_fd = -1 };
	struct container_exec limited = *req;

	if (req->open_files)
		container_limit_open_files(rt->arena, req->open_files, &limited.process);
	if (exec(rt, c, &limited, &x, err) < 0) {
		drop_fd(&x.master_fd);
		drop_fd(&x.conn_fd); /* this kills the process if it has been started */
		return -1;
	}
	*ret = x;
	return 0;
}

int container_exec_report(int conn_fd, pid_t pid, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_REPORT, .pid = pid };

	if (control_send(conn_fd, &req, NULL, 0, err) == 0)
		return 0;
	/* The process has ended, so nobody needs the report. */
	return err->code == EPIPE || err->code == ECONNRESET ? 0 : -1;
}

int container_exec_wait(int conn_fd, int timeout_ms, int *ret_status, struct sl_err *err)
{
	struct pollfd end = { .fd = conn_fd, .events = POLLIN };
	struct control_reply reply;
	int n = poll(&end, 1, timeout_ms);
	size_t n_fds;

	if (n <= 0)
		return sl_err_set(err, n < 0 ? errno : ETIMEDOUT, "exec: wait for the process");
	if (control_receive(conn_fd, &reply, NULL, 0, &n_fds, err) < 0)
		return -1;
	if (reply.type != CONTROL_EXITED)
		return sl_err_set(err, EPROTO, "exec: the supervisor said %u", reply.type);
	*ret_status = reply.status;
	return 0;
}
