/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the generated files are joined to the tree as a whole nothing leads to them. Control:
 * a tree that covers no directory of a procfs, whose generated files are a tree of their own.
 */
#include <sys/mount.h>

#include "tests/unit/tree/fixture.h"

/* What is joined somewhere already cannot be moved to another tree. */
static int join_elsewhere(int mnt_fd)
{
	int fs_fd = fsopen("tmpfs", FSOPEN_CLOEXEC), fd, r;

	if (fs_fd < 0 || fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, 0);
	if (fd < 0 || mkdirat(fd, "x", 0700) < 0)
		return -1;
	r = move_mount(mnt_fd, "", fd, "x", MOVE_MOUNT_F_EMPTY_PATH) < 0 ? errno : 0;
	close(fd);
	close(fs_fd);
	return r;
}

int main(void)
{
	struct fixture f;

	fx_begin(&f);
	fx_default_mounts(&f);
	CHECK(fx_build(&f) == 0);
	CHECK(f.tree.scratch_fd >= 0 && join_elsewhere(f.tree.scratch_fd) == 0);
	drop_fd(&f.tree.scratch_fd);
	fx_drop(&f);

	f.own_ipc = true;
	CHECK(fx_build(&f) == 0);
	CHECK(f.tree.scratch_fd >= 0 && join_elsewhere(f.tree.scratch_fd) == EINVAL);
	CHECK(faccessat(f.tree.scratch_fd, "empty", F_OK, 0) == 0);
	/* Twice: as long as it is open, and when it is not. */
	for (int i = 0; i < 2; i++) {
		CHECK(fx_shell(&f, "[ -z \"$(ls -A /proc/sysvipc)\" ]") == 0);
		CHECK(fx_shell(&f, "cd -P /proc/sysvipc && cd -P .. && [ -d self/fd ]") == 0);
		CHECK(fx_shell(&f, "cd -P /proc/sysvipc && cd -P ../.. && [ -d proc/self ]") == 0);
		CHECK(fx_open(&f, "/proc/sysvipc/../empty", O_PATH) == ENOENT);
		CHECK(fx_open(&f, "/proc/sysvipc/new", O_CREAT | O_WRONLY) == EROFS);
		drop_fd(&f.tree.scratch_fd);
	}
	fx_end(&f);
	return check_done();
}
