/* SPDX-License-Identifier: Apache-2.0
 *
 * Recursive binds: what is below comes along, its ids are booked, attributes reach as far
 * as asked; file systems of the host's kernel are refused, also below. In a mount namespace
 * of the test's own, so that the host never sees the mounts it needs.
 */
#include <mntent.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/tree/fixture.h"

static bool knows(struct fixture *f, uint64_t id)
{
	for (size_t i = 0; i < f->tree.n_mount_ids; i++)
		if (f->tree.mount_ids[i] == id)
			return true;
	return false;
}

/* The id under which a process with its root at path would be found. */
static uint64_t id_at(struct fixture *f, const char *path)
{
	int dir_fd, pipes[2], there[2];
	char name[16];
	uint64_t id;
	pid_t pid;
	char c;

	if (pipe(pipes) < 0 || pipe(there) < 0)
		exit(1);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (fchdir(f->tree.root_fd) < 0 || chroot(".") < 0 || chroot(path) < 0)
			_exit(1);
		close(pipes[1]);
		close(there[1]);
		_exit(read(pipes[0], &c, 1) < 0);
	}
	close(pipes[0]);
	close(there[1]);
	CHECK(read(there[0], &c, 1) == 0); /* the child has changed its root, or has ended */
	close(there[0]);
	snprintf(name, sizeof(name), "/proc/%d", pid);
	dir_fd = proc_open_dir(AT_FDCWD, name);
	id = tree_id_of_process(dir_fd);
	close(pipes[1]);
	waitpid(pid, NULL, 0);
	if (tree_id_of_process(dir_fd) != 0)
		id = 0; /* gone processes have none */
	close(dir_fd);
	return id;
}

static void make_socket(struct fixture *f)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/sock", f->dir);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	close(fd);
}

/* The device of the mount that the directory is on, or the type of its file system if that has
 * none: of the mounts with the longest path the last one. */
static void find_device(const char *dir, char *ret, size_t size)
{
	FILE *table = setmntent("/proc/self/mounts", "re");
	const struct mntent *e;
	size_t longest = 0;

	*ret = '\0';
	while (table && (e = getmntent(table))) {
		const size_t n = strcmp(e->mnt_dir, "/") == 0 ? 0 : strlen(e->mnt_dir);

		if (n < longest || strncmp(dir, e->mnt_dir, n) != 0 || dir[n] != '/')
			continue;
		longest = n;
		snprintf(ret, size, "%s", e->mnt_fsname[0] == '/' ? e->mnt_fsname : e->mnt_type);
	}
	if (table)
		endmntent(table);
}

/* /proc/mounts has what the binds brought with them, and where each mount comes from. */
static void check_listed(struct fixture *f)
{
	char device[PATH_MAX], cmd[PATH_MAX + 96];

	CHECK(fx_shell(f, "grep -q '^tmpfs /all/sub.040dir tmpfs rw,' /proc/mounts") == 0);
	CHECK(fx_shell(f, "grep -q '^tmpfs /all/sub.040dir/deep tmpfs rw,' /proc/mounts") == 0);
	CHECK(fx_shell(f, "grep -q '^tmpfs /allro/sub.040dir tmpfs ro,.*noexec' /proc/mounts") ==
		0);
	CHECK(fx_shell(f, "grep -q '/one/sub' /proc/mounts") != 0);
	CHECK(fx_shell(f, "grep -q '^given /one/below tmpfs ' /proc/mounts") == 0);
	find_device(f->dir, device, sizeof(device));
	CHECK(*device);
	if (strcmp(device, "/dev/root") == 0)
		return; /* what the boot loader said in place of a device */
	snprintf(cmd, sizeof(cmd), "grep -q '^%s /one ' /proc/mounts", device);
	CHECK(fx_shell(f, cmd) == 0);
}

static void run(bool staged)
{
	struct fixture f;
	char source[96];

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	f.node.staged = staged;
	fx_run("cd %s && mkdir -p 'vol/sub dir/deep' vol/below && ln -s vol volink && "
	       "mount -t tmpfs -o size=64k t 'vol/sub dir' && mkdir 'vol/sub dir/deep' && "
	       "mount -t tmpfs -o size=64k t 'vol/sub dir/deep' && touch 'vol/sub dir/deep/mark'",
		f.dir);
	make_socket(&f);
	snprintf(source, sizeof(source), "%s/volink", f.dir);
	fx_mount(&f, "/all", "bind", source, "rbind ro");
	fx_mount(&f, "/allro", "bind", source, "rbind rro rnoexec");
	fx_mount(&f, "/one", "bind", source, "bind");
	fx_mount(&f, "/sock", "bind", "sock", "bind ro");
	fx_mount(&f, "/one/below", "tmpfs", "given", "size=4k");
	fx_mount(&f, "/proc", "proc", "proc", "nosuid noexec nodev");
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/all/sub dir/deep/mark", O_RDONLY) == 0);
	CHECK(fx_open(&f, "/all/new", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/all/sub dir/new", O_CREAT | O_WRONLY) == 0); /* ro is not rro */
	CHECK(fx_open(&f, "/allro/sub dir/new2", O_CREAT | O_WRONLY) == EROFS);
	CHECK(fx_open(&f, "/one/sub dir/deep/mark", O_RDONLY) == ENOENT); /* not recursive */
	CHECK(fx_shell(&f, "[ -S /sock ]") == 0);
	CHECK(knows(&f, id_at(&f, "/")));
	CHECK(knows(&f, id_at(&f, "/all")));
	CHECK(knows(&f, id_at(&f, "/all/sub dir")));
	CHECK(knows(&f, id_at(&f, "/all/sub dir/deep")));
	CHECK(knows(&f, id_at(&f, "/allro/sub dir/deep")));
	CHECK(knows(&f, id_at(&f, "/one/below")));
	CHECK(f.tree.n_mount_ids >= 1 + 3 + 3 + 3);
	check_listed(&f);
	{
		int dir_fd = proc_open_dir(AT_FDCWD, "/proc/self");

		CHECK(dir_fd >= 0 && !knows(&f, tree_id_of_process(dir_fd))); /* never the host's */
		close(dir_fd);
	}
	fx_drop(&f);
	f.spec.n_mounts = 0;
	fx_mount(&f, "/x", "bind", "/proc/sys", "bind ro");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "procfs");
	f.spec.n_mounts = 0;
	fx_mount(&f, "/x", "bind", "/sys", "rbind ro");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "sysfs");
	fx_run("mount -t proc p '%s/vol/below'", f.dir);
	f.spec.n_mounts = 0;
	fx_mount(&f, "/x", "bind", "vol", "rbind");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "below is on the host's procfs");
	f.spec.n_mounts = 0;
	fx_mount(&f, "/x", "bind", "vol", "bind"); /* control: without what is below */
	CHECK(fx_build(&f) == 0);
	fx_drop(&f);
	fx_run("umount '%s/vol/below' '%s/vol/sub dir/deep' '%s/vol/sub dir'", f.dir, f.dir, f.dir);
	fx_end(&f);
}

/* Under a shared source nothing that is joined inside may appear on the host. */
static void run_shared(const char *options)
{
	struct fixture f;
	char *before;

	fx_begin(&f);
	fx_run("cd %s && mkdir vol && mount -t tmpfs -o size=64k t vol && mkdir vol/in && "
	       "mount --make-shared vol",
		f.dir);
	before = fx_mount_table(&f);
	fx_mount(&f, "/x", "bind", "vol", options);
	fx_mount(&f, "/x/in", "tmpfs", "tmpfs", "size=4k");
	if (strstr(options, "shared"))
		CHECK_ERR_CONTAINS(fx_build(&f), f.err, "/x/in lies in /x, which is shared");
	else
		CHECK(fx_build(&f) == 0);
	CHECK_STR(fx_mount_table(&f), before);
	fx_drop(&f);
	fx_run("umount %s/vol", f.dir);
	fx_end(&f);
}

int main(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) < 0)
		return 1;
	run(false);
	run(true);
	run_shared("rbind rprivate");
	run_shared("rbind rslave");
	run_shared("rbind rshared");
	return check_done();
}
