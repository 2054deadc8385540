/* SPDX-License-Identifier: Apache-2.0
 *
 * A directory descriptor that one container hands to another through a socket in a shared
 * volume, and what the other one can do with it.
 *
 *   dirpass give SOCKET        binds SOCKET, says "ready", hands its own root to whoever connects
 *   dirpass take SOCKET        takes the directory and tries each act on it; says "ACT ok" or
 *                              "ACT ERRNO", one a line, and "end"
 *
 *   dirpass flee SOCKET LOCK HOW
 *                              takes the directory, and a grandchild makes it its root; it holds
 *                              a lock on the file LOCK for as long as anything of it lives, and
 *                              is another process each 100 ms ("forks"), or its first thread
 *                              ends ("headless"); says "fled" or the errno
 *
 * The giver's root holds /etc/secret, /tmp, /bin/probe and a unix socket /run/own.sock, which it
 * makes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define TRIES     200
#define TRY_NS    20000000L
#define OWN_PATH  "run/own.sock"
#define SECRET    "etc/secret"
#define PATH_SIZE 128

static int listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 8) < 0)
		return -1;
	return fd;
}

static int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static int send_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 'd';
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(fd));
	return sendmsg(to, &m, 0) < 0 ? -1 : 0;
}

static int receive_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *h;
	int fd = -1;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && (h = CMSG_FIRSTHDR(&m)))
		memcpy(&fd, CMSG_DATA(h), sizeof(fd));
	return fd;
}

static int give(const char *path)
{
	int root_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int own_fd = listen_at("/" OWN_PATH), listener_fd = listen_at(path);

	if (root_fd < 0 || own_fd < 0 || listener_fd < 0) {
		perror("give");
		return 1;
	}
	puts("ready");
	for (;;) {
		int fd = accept(listener_fd, NULL, NULL);

		if (fd >= 0 && send_fd(fd, root_fd) < 0)
			perror("send");
		close(fd);
	}
}

static void say(const char *act, int rc)
{
	if (rc < 0)
		printf("%s %s\n", act, strerrorname_np(errno));
	else
		printf("%s ok\n", act);
}

static int run_it(int dir_fd)
{
	char *args[] = { (char *)"probe", NULL };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execveat(dir_fd, "bin/probe", args, args + 1, 0);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	/* Without arguments the program ends with status 2, which shows that it ran. */
	errno = WEXITSTATUS(status);
	return errno == 2 ? 0 : -1;
}

/* Returns 0 when something is found above the root that was passed: nothing may be there. */
static int climb(int dir_fd)
{
	struct stat root, above;

	errno = EXDEV;
	if (fstat(dir_fd, &root) < 0 || fstatat(dir_fd, "../../../../..", &above, 0) < 0)
		return -1;
	errno = EXDEV;
	return root.st_ino == above.st_ino && root.st_dev == above.st_dev ? -1 : 0;
}

/* Calls bind(2) below that directory in a child, which changes its root first if that is wanted. */
static int bind_in(int dir_fd, const char *name, bool chroots)
{
	char jail[] = "/tmp/jail-XXXXXX";
	int status = 0;
	pid_t pid;

	if (chroots && !mkdtemp(jail))
		return -1;
	pid = fork();
	if (pid == 0) {
		if (chroots && chroot(jail) < 0)
			_exit(errno);
		if (fchdir(dir_fd) < 0)
			_exit(errno);
		_exit(listen_at(name) < 0 ? errno : 0);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (chroots)
		rmdir(jail); /* without the sandbox the directory is the host's */
	if (pid < 0 || !WIFEXITED(status))
		return -1;
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static void sockets(int dir_fd)
{
	say("mknod_socket", mknodat(dir_fd, "tmp/s1", S_IFSOCK | 0666, 0));
	say("bind", bind_in(dir_fd, "tmp/s2", false));
	say("bind_from_a_jail", bind_in(dir_fd, "tmp/s3", true));
}

static void contents(int dir_fd, const char *magic)
{
	say("open", openat(dir_fd, SECRET, O_RDONLY | O_CLOEXEC));
	say("open_magic", open(magic, O_RDONLY | O_CLOEXEC));
	say("create", openat(dir_fd, "tmp/x", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	say("list", openat(dir_fd, "etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	say("mkdir", mkdirat(dir_fd, "tmp/y", 0755));
	say("symlink", symlinkat("x", dir_fd, "tmp/s"));
	say("fifo", mknodat(dir_fd, "tmp/f", S_IFIFO | 0666, 0));
	say("link", linkat(dir_fd, SECRET, dir_fd, "etc/other", 0));
	say("truncate", truncate(magic, 0));
	say("execute", run_it(dir_fd));
	say("rename", renameat(dir_fd, SECRET, dir_fd, "etc/third"));
	say("unlink", unlinkat(dir_fd, "etc/victim", 0));
	sockets(dir_fd);
	say("climb", climb(dir_fd));
}

static void metadata(int dir_fd, const char *magic)
{
	struct stat st;
	char path[PATH_SIZE];

	say("stat", fstatat(dir_fd, SECRET, &st, 0));
	say("chmod", fchmodat(dir_fd, SECRET, 0600, 0));
	say("chown", fchownat(dir_fd, SECRET, 7, 7, 0));
	say("utimes", utimensat(dir_fd, SECRET, NULL, 0));
	say("setxattr", setxattr(magic, "user.sandlock", "1", 1, 0));
	snprintf(path, sizeof(path), "/proc/self/fd/%d/" OWN_PATH, dir_fd);
	say("connect", connect_to(path));
}

static int take_directory(const char *path)
{
	const struct timespec nap = { .tv_nsec = TRY_NS };
	int fd = -1, dir_fd;

	for (int i = 0; fd < 0 && i < TRIES; i++) {
		fd = connect_to(path);
		if (fd < 0)
			nanosleep(&nap, NULL);
	}
	dir_fd = fd < 0 ? -1 : receive_fd(fd);
	if (dir_fd < 0)
		perror("take");
	return dir_fd;
}

static int take(const char *path)
{
	int dir_fd = take_directory(path);
	char magic[PATH_SIZE];

	if (dir_fd < 0)
		return 1;
	snprintf(magic, sizeof(magic), "/proc/self/fd/%d/" SECRET, dir_fd);
	metadata(dir_fd, magic);
	contents(dir_fd, magic);
	puts("end");
	return 0;
}

static void *live_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void live(const char *how)
{
	pthread_t t;

	while (strcmp(how, "forks") == 0) {
		usleep(100000);
		if (fork() != 0)
			_exit(0);
	}
	pthread_create(&t, NULL, live_on, NULL);
	syscall(SYS_exit, 0);
}

/* A lock of flock(2) belongs to the open file, which all descendants of the grandchild share. */
static int flee(const char *path, const char *lock, const char *how)
{
	int dir_fd = take_directory(path), fd = open(lock, O_RDWR | O_CREAT, 0600);

	if (dir_fd < 0 || fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 1;
	if (fork() == 0) {
		setsid();
		puts(fchdir(dir_fd) == 0 && chroot(".") == 0 ? "fled" : strerrorname_np(errno));
		live(how);
	}
	close(fd);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && strcmp(argv[1], "give") == 0)
		return give(argv[2]);
	if (argc == 3 && strcmp(argv[1], "take") == 0)
		return take(argv[2]);
	if (argc == 5 && strcmp(argv[1], "flee") == 0)
		return flee(argv[2], argv[3], argv[4]);
	return 2;
}
