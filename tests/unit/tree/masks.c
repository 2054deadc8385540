/* SPDX-License-Identifier: Apache-2.0
 *
 * Masked and read-only paths, and hidden processes. Control: the same paths without masks.
 */
#include <signal.h>

#include "tests/unit/tree/fixture.h"

static void prepare(struct fixture *f, bool staged)
{
	fx_begin(f);
	f->node.staged = staged;
	fx_run("cd %s/rootfs && mkdir -p data/ro/sub data/dir etc && echo s > data/file && "
	       "echo s > data/dir/x && echo s > data/ro/x && echo secret > etc/shadow && "
	       "ln -s ../etc/shadow data/link",
		f->dir);
	fx_default_mounts(f);
	fx_mount(f, "/data/ro/sub", "tmpfs", "tmpfs", "size=64k");
}

static void run(bool staged)
{
	static char *masked[] = { (char *)"/data/file", (char *)"/data/dir", (char *)"/data/link",
		(char *)"/no/such", (char *)"/data/file/below" };
	static char *readonly[] = { (char *)"/data/ro", (char *)"/not/there", (char *)"/proc/sys" };
	pid_t hidden[2] = { 0, 0 };
	char script[128];
	struct fixture f;

	printf("# %s\n", staged ? "staged" : "detached");
	hidden[0] = fork();
	if (hidden[0] == 0)
		for (;;)
			pause();
	hidden[1] = getpid();
	prepare(&f, staged);
	CHECK(fx_build(&f) == 0); /* control */
	CHECK(fx_shell(&f, "[ -s /data/file ] && [ -s /data/dir/x ] && echo y > /data/ro/x") == 0);
	snprintf(script, sizeof(script), "[ -r /proc/%d/stat ] && [ -r /proc/%d/stat ]", hidden[0],
		hidden[1]);
	CHECK(fx_shell(&f, script) == 0);
	fx_drop(&f);

	f.spec.linux_.masked_paths = masked;
	f.spec.linux_.n_masked_paths = 5;
	f.spec.linux_.readonly_paths = readonly;
	f.spec.linux_.n_readonly_paths = 3;
	f.ctx.hidden_ids = hidden;
	f.ctx.n_hidden_ids = 2;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "[ -c /data/file ] && [ -z \"$(cat /data/file)\" ]") == 0);
	CHECK(fx_shell(&f, "[ -z \"$(cat /etc/shadow)\" ] && [ -z \"$(cat /data/link)\" ]") == 0);
	CHECK(fx_shell(&f, "[ -z \"$(ls /data/dir)\" ]") == 0);
	CHECK(fx_open(&f, "/data/dir/new", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/data/file", O_WRONLY) == 0); /* the null device swallows */
	CHECK(fx_open(&f, "/data/ro/x", O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/data/ro/sub/x", O_CREAT | O_WRONLY) == EROFS); /* recursive */
	CHECK(fx_open(&f, "/proc/sys/kernel/printk", O_WRONLY) == EROFS);
	snprintf(script, sizeof(script), "[ -z \"$(ls /proc/%d)\" ] && [ -z \"$(ls /proc/%d)\" ]",
		hidden[0], hidden[1]);
	CHECK(fx_shell(&f, script) == 0);
	snprintf(script, sizeof(script), "! touch /proc/%d/x && [ -r /proc/self/stat ]", hidden[0]);
	CHECK(fx_shell(&f, script) == 0);
	/* masked content on the host is as it was */
	fx_run("[ \"$(cat %s/rootfs/etc/shadow)\" = secret ]", f.dir);
	fx_drop(&f);

	hidden[1] = 0x3fffff; /* nobody: a mask that cannot be placed is an error */
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "hide process");
	kill(hidden[0], SIGKILL);
	waitpid(hidden[0], NULL, 0);
	fx_end(&f);
}

int main(void)
{
	run(false);
	run(true);
	return check_done();
}
