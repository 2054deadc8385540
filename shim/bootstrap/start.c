/* SPDX-License-Identifier: Apache-2.0
 *
 * `start`: prints the address of the pod's shim, and starts a shim when there is none yet.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "shim/bootstrap/bootstrap.h"
#include "shim/task/shim.h"

#define OOM_SCORE_MAX 1000

/* The kernel should kill the shim before containerd, as runc's shim has it. */
static void raise_oom_score(void)
{
	char text[32];
	auto_fd int fd = -1;
	long score;

	if (io_slurp(AT_FDCWD, "/proc/self/oom_score_adj", text, sizeof(text)) < 0)
		return;
	score = strtol(text, NULL, 10);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || score >= OOM_SCORE_MAX)
		return;
	snprintf(text, sizeof(text), "%ld", score + 1);
	if (io_write_all(fd, text, strlen(text)) < 0)
		return;
}

/* Keeps no descriptor of containerd's, which waits for the end of this standard output. */
static int detach(void)
{
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0 || setsid() < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null_fd, fd) < 0)
			return -1;
	unsetenv("NOTIFY_SOCKET"); /* containerd's own */
	raise_oom_score();
	return prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
}

static _Noreturn void serve(const struct bootstrap *b, const struct listener *l)
{
	const struct shim_setup setup = {
		.programs = b->programs,
		.namespace = b->namespace,
		.ttrpc_address = b->ttrpc_address,
		.socket_path = l->path,
		.listen_fd = l->fd,
		/* O_RDWR, so that writing does not fail when containerd goes away. */
		.log_fd = open("log", O_RDWR | O_NONBLOCK | O_CLOEXEC),
	};

	if (detach() < 0 || shim_run(&setup) < 0)
		_exit(1);
	_exit(0);
}

static const char *render(const struct bootstrap *b, const char *address)
{
	struct json_gen *g;
	size_t n;

	if (b->answer_version == 0)
		return address;
	g = json_gen_new(b->arena, false);
	json_gen_object(g);
	json_gen_member_u64(g, "version", (uint64_t)b->answer_version);
	json_gen_member_string(g, "address", address);
	json_gen_member_string(g, "protocol", "ttrpc");
	json_gen_end(g);
	return json_gen_take(g, &n);
}

/* containerd reads the address when it restarts, and `delete` reads it. */
static int start_write_address(const char *address, struct sl_err *err)
{
	auto_fd int dir_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0)
		return sl_err_set(err, errno, "open the bundle");
	return io_replace_file(dir_fd, "address", address, strlen(address), 0644, err);
}

static int make_shim(const struct bootstrap *b, const struct listener *l, struct sl_err *err)
{
	const pid_t pid = fork();

	if (pid < 0)
		return sl_err_set(err, errno, "fork");
	if (pid == 0)
		serve(b, l);
	return 0;
}

int bootstrap_start(struct bootstrap *b, struct sl_err *err)
{
	const char *address;
	struct listener l;

	if (!*b->id || !*b->namespace)
		return sl_err_set(err, 0, "start: -id and -namespace are needed");
	if (bootstrap_listen(b, &l, err) < 0)
		return sl_err_wrap(err, "start");
	address = arena_printf(b->arena, "unix://%s", l.path);
	if (start_write_address(address, err) < 0 || (l.fd >= 0 && make_shim(b, &l, err) < 0)) {
		if (l.fd >= 0)
			unlink(l.path);
		return sl_err_wrap(err, "start");
	}
	address = render(b, address);
	if (io_write_all(1, address, strlen(address)) < 0)
		return sl_err_set(err, errno, "start: write the address");
	return 0;
}
