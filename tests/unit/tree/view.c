/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/net and the interfaces of sysfs: covered, by directories of the tree that can be
 * written from outside or by common ones. Control: a tree without them shows the stack.
 */
#include <signal.h>

#include "tests/unit/tree/fixture.h"

static void write_from_outside(struct fixture *f, const char *dir, const char *text)
{
	auto_fd int dir_fd = openat(f->tree.scratch_fd, dir, O_RDONLY | O_DIRECTORY);
	auto_fd int fd =
		dir_fd < 0 ? -1 : openat(dir_fd, "dev", O_WRONLY | O_CREAT | O_TRUNC, 0444);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void own(struct fixture *f)
{
	CHECK(fx_build(f) == 0);
	write_from_outside(f, TREE_NET_PROC, "first\n");
	CHECK(fx_shell(f, "[ \"$(cat /proc/net/dev)\" = first ]") == 0);
	CHECK(fx_shell(f, "[ \"$(cd /proc/net && ls)\" = dev ]") == 0);
	CHECK(fx_shell(f, "! touch /proc/net/x 2>/dev/null && ! rm -f /proc/net/dev") == 0);
	write_from_outside(f, TREE_NET_PROC, "second\n");
	CHECK(fx_shell(f, "[ \"$(cat /proc/net/dev)\" = second ]") == 0);
	CHECK(fx_shell(f, "[ -z \"$(ls /sys/class/net /sys/devices/virtual/net | grep lo)\" ]") ==
		0);
	write_from_outside(f, TREE_NET_CLASS, "class\n");
	CHECK(fx_shell(f, "[ \"$(cat /sys/class/net/dev /sys/devices/virtual/net/dev)\" = "
			  "\"$(printf 'class\\nclass')\" ]") == 0);
	CHECK(fx_shell(f, "! touch /sys/class/net/x 2>/dev/null") == 0);
	fx_drop(f);
}

static void common(struct fixture *f)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/common", f->dir);
	fx_run("mkdir -p %s/files/" TREE_NET_PROC " %s/files/" TREE_NET_CLASS
	       "/lo %s/empty && echo common > %s/files/" TREE_NET_PROC "/dev",
		path, path, path, path);
	f->ctx.net_template = path;
	CHECK(fx_build(f) == 0);
	CHECK(fx_shell(f, "[ \"$(cat /proc/net/dev)\" = common ] && [ -d /sys/class/net/lo ]") ==
		0);
	CHECK(fx_shell(f, "! touch /proc/net/x 2>/dev/null") == 0);
	fx_drop(f);
	fx_run("chown 1 %s", path);
	CHECK_ERR_CONTAINS(fx_build(f), f->err, "is of another user");
	fx_run("rm -r %s", path);
	CHECK_ERR_CONTAINS(fx_build(f), f->err, "No such file");
	f->ctx.net_template = NULL;
}

static void run(bool staged)
{
	pid_t hidden = fork();
	struct fixture f;

	printf("# %s\n", staged ? "staged" : "detached");
	if (hidden == 0)
		for (;;)
			pause();
	fx_begin(&f);
	f.node.staged = staged;
	fx_default_mounts(&f);
	f.ctx.hidden_ids = &hidden;
	f.ctx.n_hidden_ids = 1;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "grep -q lo: /proc/net/dev && [ -e /sys/class/net/lo/mtu ]") == 0);
	fx_drop(&f);
	f.net_view = true;
	own(&f);
	common(&f);
	f.ctx.n_hidden_ids = 0;
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "no process is hidden");
	kill(hidden, SIGKILL);
	waitpid(hidden, NULL, 0);
	fx_end(&f);
}

int main(void)
{
	run(false);
	run(true);
	return check_done();
}
