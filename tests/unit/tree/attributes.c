/* SPDX-License-Identifier: Apache-2.0
 *
 * Mount attributes are enforced, by their exact errno; the control arm is the same access
 * through a mount without the attribute.
 */
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "tests/unit/tree/fixture.h"

static int exec_errno(void *arg)
{
	char *const argv[] = { (char *)"true", NULL };
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		execv(arg, argv);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void run(bool staged)
{
	struct fixture f;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	fx_run("cd %s && mkdir vol && cp /bin/busybox vol/true && echo hi > vol/file && "
	       "mknod vol/null c 1 3 && chmod 666 vol/null && mknod rootfs/null c 1 3 && "
	       "ln -s file vol/link && echo f > single",
		f.dir);
	fx_default_mounts(&f);
	fx_mount(&f, "/rw", "bind", "vol", "rbind rprivate");
	fx_mount(&f, "/ro", "bind", "vol", "bind ro");
	fx_mount(&f, "/rro", "none", "vol", "rbind rro");
	fx_mount(&f, "/noexec", "bind", "vol", "bind noexec");
	fx_mount(&f, "/nosym", "", "vol", "bind nosymfollow");
	fx_mount(&f, "/dev-asked", "bind", "vol", "bind dev");
	fx_mount(&f, "/single", "bind", "single", "bind ro");
	fx_mount(&f, "/node", "bind", "/dev/null", "bind");
	fx_mount(&f, "/kmsg", "bind", "/dev/kmsg", "bind");
	fx_mount(&f, "/tro", "tmpfs", "tmpfs", "ro size=64k mode=700 uid=12 gid=34");
	fx_mount(&f, "/tro/inner", "tmpfs", "tmpfs", "size=4k nr_inodes=3");
	CHECK(fx_build(&f) == 0);

	CHECK(fx_open(&f, "/rw/new", O_CREAT | O_WRONLY) == 0);
	CHECK(fx_open(&f, "/ro/new2", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/ro/file", O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/rro/file", O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/single", O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/single", O_RDONLY) == 0);
	CHECK(fx_inside(&f, exec_errno, (void *)"/rw/true") == 0);
	CHECK(fx_inside(&f, exec_errno, (void *)"/noexec/true") == EACCES);
	CHECK(fx_open(&f, "/rw/link", O_RDONLY) == 0);
	CHECK(fx_open(&f, "/nosym/link", O_RDONLY) == ELOOP);
	/* device nodes that an image or a volume carries are dead; those granted live */
	CHECK(fx_open(&f, "/null", O_RDONLY) == EACCES);
	CHECK(fx_open(&f, "/rw/null", O_RDONLY) == EACCES);
	CHECK(fx_open(&f, "/dev-asked/null", O_RDONLY) == EACCES);
	CHECK(fx_open(&f, "/kmsg", O_RDONLY) == EACCES);
	CHECK(fx_open(&f, "/node", O_RDWR) == 0);
	CHECK(fx_open(&f, "/dev/null", O_RDWR) == 0);
	CHECK(fx_shell(&f, "cd /dev/shm && busybox mknod n c 1 3 && ! cat n") == 0);
	/* tmpfs options */
	CHECK(fx_open(&f, "/tro/x", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/tro/inner/x", O_CREAT | O_WRONLY) == 0);
	CHECK(fx_shell(&f, "[ \"$(stat -c '%a %u %g' /tro)\" = '700 12 34' ]") == 0);
	CHECK(fx_shell(&f, "! dd if=/dev/zero of=/tro/inner/big bs=4096 count=2 2>/dev/null") == 0);
	CHECK(fx_shell(&f, "cd /tro/inner && rm -f * && touch a b && ! touch c") == 0);
	fx_drop(&f);
	/* control: the same node on the host, where nothing is nodev */
	fx_run("head -c 1 %s/vol/null", f.dir);
	fx_end(&f);
}

static void run_readonly_root(bool staged)
{
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	f.spec.root_readonly = true;
	fx_default_mounts(&f);
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/new", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/dev/shm/new", O_CREAT | O_WRONLY) == 0);
	CHECK(fx_open(&f, "/run/new", O_CREAT | O_WRONLY) == 0);
	CHECK(fx_shell(&f, "grep -q ' / .* ro,' /proc/mounts") == 0);
	fx_end(&f);
}

int main(void)
{
	for (int staged = 0; staged < 2; staged++) {
		run(staged);
		run_readonly_root(staged);
	}
	return check_done();
}
