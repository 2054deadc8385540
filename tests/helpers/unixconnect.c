/* SPDX-License-Identifier: Apache-2.0
 *
 * Connects to a unix socket from a process with two threads, so that the supervisor acts on its
 * behalf where datagrams are allowed.
 *
 *   unixconnect ROOT USER DIRECTORY PATH...
 *
 * /sock is there and open to all. A child, as user 1000, first listens at /sock/own/stream (both
 * are its own alone). Then ROOT becomes the root and DIRECTORY, below it, the working directory;
 * USER becomes the user; and each PATH is connected to: "ok" or an errno, one a line.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LISTENER_USER 1000

static void *sleeps(void *arg)
{
	pause();
	return arg;
}

static int new_socket(const char *path, struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path);
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Says on fd that it listens, and ends with the other side of it. */
static void listener(int parent_fd)
{
	struct sockaddr_un a;
	int fd;

	umask(0);
	if (setgid(LISTENER_USER) < 0 || setuid(LISTENER_USER) < 0)
		_exit(1);
	mkdir("/sock/own", 0700);
	umask(0177);
	fd = new_socket("/sock/own/stream", &a);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 16) < 0)
		_exit(1);
	if (write(parent_fd, "r", 1) == 1)
		(void)!read(parent_fd, &a, 1);
	_exit(0);
}

static int start_listener(void)
{
	int pair[2];
	char byte;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid < 0)
		return -1;
	if (pid == 0) {
		close(pair[0]);
		listener(pair[1]);
	}
	close(pair[1]);
	return read(pair[0], &byte, 1) == 1 ? 0 : -1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uid_t user;

	if (argc < 5)
		return 2;
	user = (uid_t)atoi(argv[2]);
	if (start_listener() < 0 || chroot(argv[1]) < 0 || chdir(argv[3]) < 0 ||
		(user && (setgid(user) < 0 || setuid(user) < 0)) ||
		pthread_create(&thread, NULL, sleeps, NULL) != 0) {
		perror("set up");
		return 1;
	}
	for (int i = 4; i < argc; i++) {
		struct sockaddr_un a;
		int fd = new_socket(argv[i], &a);
		int rc = connect(fd, (struct sockaddr *)&a, sizeof(a));

		puts(rc < 0 ? strerrorname_np(errno) : "ok");
		close(fd);
	}
	return 0;
}
