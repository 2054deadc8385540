/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the tree on kernels that cannot mount into a detached tree (before 6.15). A child process
 * with its own mount namespace mounts a private tmpfs over its "/". Paths of the host are still
 * resolved below it, and only the descriptor leads to the tmpfs. The child builds the tree there,
 * clones the result and sends the clone over a socket. The clone continues to exist when the child
 * and its namespace are gone. The mount ids are those of the clone.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

struct answer {
	struct sl_err err;
	bool failed;
	bool has_console, has_synth; /* their descriptors follow that of the root, in this order */
	unsigned int console_index;
	size_t n_ids;
};

static int stage_open(struct builder *b, struct sl_err *err)
{
	/* The mounts become slaves, so that nothing made here reaches the host, while a bind with
	 * slave propagation still has a master. */
	struct mount_attr attr = { .propagation = MS_SLAVE };
	auto_fd int fs_fd = -1, stage_fd = -1;

	if (idmap_prepare(b, err) < 0)
		return -1;
	if (unshare(CLONE_NEWNS) < 0)
		return sl_err_set(err, errno, "private mount namespace");
	if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return sl_err_set(err, errno, "detach the mount namespace from the host's");
	if (ids_read_host_mounts(b, err) < 0)
		return -1;
	fs_fd = fs_open("tmpfs", err);
	if (fs_fd < 0 || fs_set(fs_fd, "size", "64k", err) < 0)
		return -1;
	stage_fd = fs_mount(fs_fd, 0, err);
	if (stage_fd < 0)
		return -1;
	if (move_mount(stage_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "hang the stage");
	b->stage_fd = take_fd(&stage_fd);
	return 0;
}

static int stage_build(struct builder *b, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = -1;

	if (stage_open(b, err) < 0 || build_steps(b, err) < 0)
		return -1;
	fd = open_tree(
		b->root_fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return sl_err_set(err, errno, "clone the staged tree");
	if (ids_collect(b, fd, err) < 0)
		return -1;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* Runs in the child: it sends the result and ends. */
static _Noreturn void stage_child(struct builder *b, int sock)
{
	struct answer answer;
	int fds[3] = { -1, -1, -1 };
	size_t n_fds = 1;

	memset(&answer, 0, sizeof(answer));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	answer.failed = stage_build(b, &fds[0], &answer.err) < 0;
	if (answer.failed)
		_exit(io_send_fds(sock, &answer, sizeof(answer), NULL, 0) < 0);
	answer.has_console = b->console_fd >= 0;
	if (answer.has_console)
		fds[n_fds++] = b->console_fd;
	answer.has_synth = b->synth_fd >= 0;
	if (answer.has_synth)
		fds[n_fds++] = b->synth_fd;
	answer.console_index = b->console_index;
	answer.n_ids = b->n_ids;
	if (io_send_fds(sock, &answer, sizeof(answer), fds, n_fds) < 0 ||
		io_write_all(sock, b->ids, b->n_ids * sizeof(*b->ids)) < 0)
		_exit(1);
	_exit(0);
}

static int read_exactly(int sock, void *buf, size_t n)
{
	char *p = buf;

	while (n > 0) {
		ssize_t r = read(sock, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -1;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

static int take_staged(struct builder *b, int sock, struct sl_err *err)
{
	struct answer answer;
	int fds[3] = { -1, -1, -1 };
	size_t n_fds = 0;
	ssize_t r = io_recv_fds(sock, &answer, sizeof(answer), fds, 3, &n_fds);

	if (r == sizeof(answer) && n_fds > 0) {
		b->root_fd = fds[0];
		b->console_fd = answer.has_console ? fds[1] : -1;
		b->synth_fd = answer.has_synth ? fds[n_fds - 1] : -1;
	}
	if (r != sizeof(answer))
		return sl_err_set(err, r < 0 ? errno : EPIPE, "staged assembly ended early");
	if (answer.failed) {
		*err = answer.err;
		return -1;
	}
	if (b->root_fd < 0)
		return sl_err_set(err, EPROTO, "staged assembly sent no root");
	b->console_index = answer.console_index;
	b->n_ids = answer.n_ids;
	b->ids = arena_array(b->a, b->n_ids, sizeof(*b->ids));
	if (read_exactly(sock, b->ids, b->n_ids * sizeof(*b->ids)) < 0)
		return sl_err_set(err, EPIPE, "staged assembly ended early");
	return 0;
}

int staged_build(struct builder *b, struct sl_err *err)
{
	auto_fd int ours = -1, theirs = -1;
	int pair[2], r;
	pid_t pid;

	/* The parent waits for this, because the child would get the ids but not the parent. */
	if (b->ctx && b->ctx->await_hidden && b->ctx->await_hidden(b->ctx->arg, err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "staged assembly");
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "staged assembly");
	if (pid == 0)
		stage_child(b, theirs);
	drop_fd(&theirs);
	r = take_staged(b, ours, err);
	if (r < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}
