/* SPDX-License-Identifier: Apache-2.0
 *
 * Symlinks of the image never lead a mount, a mount point, a mask or a working directory
 * out of the root. Control: the same path resolved by the host does lead out.
 */
#include "tests/unit/tree/fixture.h"

static void run(bool staged)
{
	char canary[80], link[128];
	struct fixture f;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	snprintf(canary, sizeof(canary), "%s/canary", f.dir);
	fx_run("cd %s && mkdir canary vol && echo secret > canary/secret && echo in > vol/mark && "
	       "ln -s / rootfs/vol && ln -s %s rootfs/abs && "
	       "ln -s ../../../../../../../../%s rootfs/climb && mkdir -p rootfs/real rootfs/etc "
	       "&& "
	       "ln -s real rootfs/rel && ln -s /gone/there rootfs/dangling && "
	       "ln -s loop2 rootfs/loop1 && ln -s loop1 rootfs/loop2 && "
	       "ln -s %s/secret rootfs/etc/shadow",
		f.dir, canary, canary, canary);
	fx_mount(&f, "/vol/etc/x", "bind", "vol", "bind");
	fx_mount(&f, "/abs/y", "tmpfs", "tmpfs", "size=4k");
	fx_mount(&f, "/climb/z/deep", "tmpfs", "tmpfs", "size=4k");
	fx_mount(&f, "/rel/sub", "bind", "vol", "bind");
	fx_mount(&f, "/dangling/more", "bind", "vol", "bind");
	f.spec.has_process = true;
	f.spec.process.cwd = (char *)"/abs/cwd";
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "[ -f /etc/x/mark ] && [ -f /real/sub/mark ] && [ -f "
			   "/gone/there/more/mark ]") == 0);
	CHECK(access("/etc/x", F_OK) < 0); /* the host's */
	snprintf(link, sizeof(link), "%s/rootfs/abs/secret", f.dir);
	CHECK(access(link, F_OK) == 0); /* control: the host does follow it out */
	fx_run("[ \"$(ls %s)\" = secret ]", canary);
	fx_run("[ -d %s/rootfs%s/y ] && [ -d %s/rootfs%s/z/deep ]", f.dir, canary, f.dir, canary);

	fx_run("[ ! -e %s/cwd ] && [ -d %s/rootfs%s/cwd ]", canary, f.dir, canary);
	fx_drop(&f);
	f.spec.process.cwd = (char *)"/loop1/x";
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "loop1");
	fx_drop(&f);
	f.spec.process.cwd = NULL;

	/* the root itself, reached by a symlink */
	f.spec.n_mounts = 0;
	fx_mount(&f, "/vol", "tmpfs", "tmpfs", "");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "root cannot be mounted over");
	fx_end(&f);
}

/* Another process swaps a directory of the root with a symlink to the canary. */
static void run_race(void)
{
	struct fixture f;
	char a[128], b[128];
	pid_t pid;

	fx_begin(&f);
	fx_run("cd %s && mkdir -p canary vol rootfs/a && ln -s %s/canary rootfs/swap", f.dir,
		f.dir);
	snprintf(a, sizeof(a), "%s/rootfs/a", f.dir);
	snprintf(b, sizeof(b), "%s/rootfs/swap", f.dir);
	pid = fork();
	if (pid == 0)
		for (;;)
			renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
	fx_mount(&f, "/a/b/c", "bind", "vol", "bind");
	for (int i = 0; i < 300; i++) {
		memset(&f.err, 0, sizeof(f.err));
		if (plan_fs_build(f.a, &f.spec, &f.node, f.dir, &f.fs, &f.err) == 0 &&
			tree_build(f.a, &f.fs, &f.ctx, &f.tree, &f.err) == 0)
			fx_drop(&f);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fx_run("[ -z \"$(ls %s/canary)\" ]", f.dir);
	CHECK(true);
	fx_end(&f);
}

int main(void)
{
	run(false);
	run(true);
	run_race();
	return check_done();
}
