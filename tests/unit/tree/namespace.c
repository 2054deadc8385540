/* SPDX-License-Identifier: Apache-2.0
 *
 * A tree in a mount namespace of its own: the namespace it is made from holds one empty
 * directory, the kernel's table inside is the tree's alone, and the host's never changes, also
 * where everything is shared as on a systemd machine.
 */
#include <sched.h>
#include <sys/wait.h>

#include "tests/unit/tree/fixture.h"

/* All that the kernel lists is below the tree's root, and is busy. */
static char script[] = "set -e; test $(grep -c . /proc/self/mountinfo) -gt 5; "
		       "grep -q '/rootfs / ' /proc/self/mountinfo; "
		       "grep -q ' /dev/shm tmpfs ' /proc/mounts; "
		       "grep -q ' / /dev/pts ' /proc/self/mountinfo; "
		       "! rmdir /dev/pts 2>/dev/null; test -d /dev/pts";

/* The status of the script in a copy of the empty namespace, whose root is the tree. */
static int in_namespace(struct fixture *f, int empty_fd)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (setns(empty_fd, CLONE_NEWNS) < 0 || unshare(CLONE_NEWNS) < 0)
			_exit(250);
		if (access("/proc", F_OK) == 0 || mkdir("/x", 0700) == 0 || errno != EROFS)
			_exit(251);
		if (tree_namespace_fill(&f->tree, &f->err) < 0)
			_exit(252);
		if (fchdir(f->tree.root_fd) < 0 || chroot(".") < 0)
			_exit(253);
		_exit(fx_shell_(script));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run(bool staged)
{
	uint64_t id = 0, again = 0;
	struct fixture f;
	int empty_fd = -1;
	char *before;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	f.node.own_namespace = true;
	before = fx_mount_table(&f);
	CHECK(tree_namespace_make(-1, &empty_fd, &f.err) == 0);
	CHECK(tree_namespace_id(empty_fd, &id) == 0 && id != 0);
	fx_default_mounts(&f);
	CHECK(fx_build(&f) == 0);
	CHECK(in_namespace(&f, empty_fd) == 0);
	CHECK_STR(fx_mount_table(&f), before);
	/* What a copy was filled with is not in the one that it was made from. */
	CHECK(tree_namespace_id(empty_fd, &again) == 0 && again == id);
	fx_end(&f);
	fx_begin(&f);
	f.node.own_namespace = true;
	fx_default_mounts(&f);
	CHECK(fx_build(&f) == 0);
	CHECK(in_namespace(&f, empty_fd) == 0);
	close(empty_fd);
	fx_end(&f);
}

int main(void)
{
	CHECK(tree_can_mount_detached());
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_SHARED | MS_REC, NULL) < 0)
		return 1;
	run(false);
	run(true);
	return check_done();
}
