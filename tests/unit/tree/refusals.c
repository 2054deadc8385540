/* SPDX-License-Identifier: Apache-2.0
 *
 * What cannot be done is an error that names source, destination and reason, and leaves no
 * descriptor, process or mount behind.
 */
#include <dirent.h>

#include "tests/unit/tree/fixture.h"

static size_t open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void refuse(struct fixture *f, const char *destination, const char *type, const char *source,
	const char *options, const char *text)
{
	f->spec.n_mounts = 0;
	fx_default_mounts(f);
	fx_mount(f, destination, type, source, options);
	CHECK_ERR_CONTAINS(fx_build(f), f->err, text);
	CHECK(strstr(f->err.msg, destination) != NULL);
}

static void run(bool staged)
{
	struct fixture f;
	size_t fds;
	char *before;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	fx_run("touch %s/file && mkdir %s/vol && echo x > %s/rootfs/plain", f.dir, f.dir, f.dir);
	before = fx_mount_table(&f);
	fds = open_fds();
	refuse(&f, "/x", "bind", "/no/such/source", "bind", "mount /no/such/source to /x: ");
	refuse(&f, "/x", "bind", "/no/such/source", "bind", "No such file");
	refuse(&f, "/", "tmpfs", "tmpfs", "", "root cannot");
	refuse(&f, "/x", "ext4", "/dev/vda", "", "\"ext4\"");
	refuse(&f, "/x", "tmpfs", "tmpfs", "nosuchoption=1", "nosuchoption");
	refuse(&f, "/x", "tmpfs", "tmpfs", "size=abc", "size");
	refuse(&f, "/plain", "bind", "vol", "bind", "Not a directory");
	refuse(&f, "/bin", "bind", "file", "bind", "Is a directory");
	refuse(&f, "/plain/x", "tmpfs", "tmpfs", "", "Not a directory");
	refuse(&f, "/x", "overlay", "overlay", "lowerdir=/no/such", "lowerdir");
	refuse(&f, "/x", "overlay", "overlay", "lowerdir=/proc:/usr", "procfs");
	refuse(&f, "/sys/new", "tmpfs", "tmpfs", "", "Read-only file system");
	f.spec.n_mounts = 0;
	f.spec.root_path = arena_strdup(f.a, "file");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "Not a directory");
	f.spec.root_path = arena_strdup(f.a, "nowhere");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "No such file");
	CHECK(open_fds() == fds);
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	CHECK_STR(fx_mount_table(&f), before);
	fx_end(&f);
}

int main(void)
{
	run(false);
	run(true);
	return check_done();
}
