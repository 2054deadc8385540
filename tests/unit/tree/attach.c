/* SPDX-License-Identifier: Apache-2.0
 *
 * Attach mode: the tree hangs in the host's table and comes off again, nothing is left,
 * and under a shared parent nothing but an empty bind spreads. In a mount namespace of the
 * test's own with a shared root, like a systemd machine.
 */
#include <sched.h>

#include "tests/unit/tree/fixture.h"

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

static void run(bool staged)
{
	struct fixture f;
	char *before, *during, state[96];
	int dir_fd, parent_fd;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	f.node.attach = true;
	fx_run("mkdir -p %s/state/rootfs %s/peer && mount -t tmpfs s %s/state && mkdir "
	       "%s/state/rootfs && "
	       "mount --make-shared %s/state && mount --bind %s/state %s/peer",
		f.dir, f.dir, f.dir, f.dir, f.dir, f.dir, f.dir);
	snprintf(state, sizeof(state), "%s/state", f.dir);
	parent_fd = open(state, O_PATH | O_DIRECTORY);
	dir_fd = openat(parent_fd, "rootfs", O_PATH | O_DIRECTORY);
	before = fx_mount_table(&f);
	fx_default_mounts(&f);
	CHECK(fx_build(&f) == 0);
	CHECK(tree_attach(&f.tree, dir_fd, &f.err) == 0);
	close(dir_fd);
	during = fx_mount_table(&f);
	CHECK(count(during, "/state/rootfs/dev/pts ") == 1);
	CHECK(count(during, "/peer/rootfs/dev") == 0);
	/* the kernel's own table is right inside, and no generated one hides it */
	CHECK(fx_shell(&f, "grep -q ' /dev/shm tmpfs ' /proc/mounts && "
			   "grep -q ' / /dev/pts ' /proc/self/mountinfo") == 0);
	fx_drop(&f);
	CHECK(tree_detach(parent_fd, "rootfs", &f.err) == 0);
	CHECK(tree_detach(parent_fd, "rootfs", &f.err) == 0); /* again: nothing to do */
	CHECK(tree_detach(parent_fd, "not-there", &f.err) == 0);
	CHECK_STR(fx_mount_table(&f), before);
	close(parent_fd);
	fx_run("umount %s/peer %s/state", f.dir, f.dir);
	fx_end(&f);
}

int main(void)
{
	CHECK(tree_can_mount_detached());
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) < 0)
		return 1;
	run(false);
	run(true);
	return check_done();
}
