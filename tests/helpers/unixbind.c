/* SPDX-License-Identifier: Apache-2.0
 *
 * bind(2) of unix sockets.
 *
 *   unixbind names DIRECTORY        every kind of name, below a directory that is there: for each
 *                                   the result, the name that the socket then has, and the mode
 *                                   and owner of what was made, one a line
 *   unixbind at PATH                the result of that name
 *   unixbind flip DIRECTORY SECONDS a thread changes a path into an abstract name and back
 *   unixbind swap SECONDS           a thread puts a unix socket in the place of a netlink one
 *
 * flip and swap say how often what was bound: "path N abstract N refused N".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

#define HEAD offsetof(struct sockaddr_un, sun_path)
#define SLOT 100

static void print_name(int fd)
{
	struct sockaddr_un a = { 0 };
	socklen_t len = sizeof(a) + 1;

	if (getsockname(fd, (struct sockaddr *)&a, &len) < 0 || len <= HEAD)
		printf(" unnamed");
	else if (a.sun_path[0] == '\0')
		printf(" abstract %zu", (size_t)len - HEAD);
	else
		printf(" %.*s %zu", (int)sizeof(a.sun_path), a.sun_path, (size_t)len - HEAD);
}

static void try_bind(const char *what, int type, const char *path, size_t len)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	struct stat st;
	int rc;

	memcpy(a.sun_path, path, len > sizeof(a.sun_path) ? sizeof(a.sun_path) : len);
	rc = bind(fd, (struct sockaddr *)&a, (socklen_t)(HEAD + len));
	printf("%s: %s", what, rc < 0 ? strerrorname_np(errno) : "ok");
	if (rc == 0) {
		print_name(fd);
		if (path[0] && stat(path, &st) == 0)
			printf(" %o %u %u", st.st_mode, st.st_uid, st.st_gid);
	}
	puts("");
	close(fd);
}

static void try_path(const char *what, const char *path)
{
	try_bind(what, SOCK_STREAM, path, strlen(path) + 1);
}

static void try_twice(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "twice" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), first, second;

	first = bind(fd, (struct sockaddr *)&a, sizeof(a));
	a.sun_path[0] = 'T';
	second = bind(fd, (struct sockaddr *)&a, sizeof(a));
	printf("twice: %d %s\n", first, second < 0 ? strerrorname_np(errno) : "ok");
	close(fd);
}

/* One character less than the room, and all of it, which leaves none for the end. */
static void try_long(void)
{
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1];

	memset(path, 'l', sizeof(path));
	try_bind("long", SOCK_STREAM, path, sizeof(path) - 2);
	memset(path, 'm', sizeof(path));
	try_bind("longest", SOCK_STREAM, path, sizeof(path) - 1);
	try_bind("too long", SOCK_STREAM, path, sizeof(path));
}

static void as_user(const char *directory)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/user", directory);
	if (setegid(1001) < 0 || seteuid(1000) < 0)
		return;
	try_path("not mine", path);
	if (seteuid(0) < 0 || chmod(directory, 0777) < 0 || seteuid(1000) < 0)
		return;
	try_path("as user", path);
	if (seteuid(0) < 0 || setegid(0) < 0 || mkdir("mine", 0700) < 0 || chmod("mine", 0700) < 0)
		return;
	setfsuid(1000);
	setfsgid(1001);
	try_path("not the file user's", "mine/s");
	try_path("as file user", "files");
}

static int names(const char *directory)
{
	char path[128];

	if (chdir(directory) < 0 || mkdir("sub", 0755) < 0 || symlink("sub", "link") < 0 ||
		symlink("nowhere", "dangling") < 0)
		return 1;
	snprintf(path, sizeof(path), "%s/absolute", directory);
	try_path("absolute", path);
	try_path("again", path);
	try_path("relative", "relative");
	try_path("dots", "./sub/../dots");
	try_path("by a link", "link/there");
	try_path("a dangling link", "dangling");
	try_path("nowhere", "none/there");
	try_path("a slash behind", "slash/");
	try_path("a directory", "sub");
	try_path("below a file", "relative/x");
	try_path("root", "/");
	try_path("a magic link", "/proc/self/cwd/magic");
	umask(0177);
	try_path("mask", "mask");
	try_bind("datagram", SOCK_DGRAM, "datagram", sizeof("datagram"));
	try_bind("without an end", SOCK_SEQPACKET, "endless", sizeof("endless") - 1);
	try_bind("autobind", SOCK_STREAM, "", 0);
	try_long();
	try_twice();
	as_user(directory);
	return 0;
}

static struct sockaddr_un flipped = { .sun_family = AF_UNIX };
static atomic_bool over;

static void *flips(void *arg)
{
	volatile char *first = flipped.sun_path;

	while (!over) {
		*first = '/';
		*first = '\0';
	}
	return arg;
}

struct swap {
	int netlink_fd;
	int unix_fd;
};

static void *swaps(void *arg)
{
	const struct swap *s = arg;

	while (!over) {
		dup2(s->netlink_fd, SLOT);
		dup2(s->unix_fd, SLOT);
	}
	return NULL;
}

struct counts {
	long path, abstract, refused;
};

static void count(int fd, struct counts *c)
{
	struct sockaddr_un a = { 0 };
	socklen_t len = sizeof(a);

	if (getsockname(fd, (struct sockaddr *)&a, &len) < 0 || len <= HEAD) {
		c->refused++;
	} else if (a.sun_path[0]) {
		c->path++;
		unlink(a.sun_path);
	} else {
		c->abstract++;
	}
}

static int flip(const char *directory, double seconds)
{
	const double end = clock_us() + seconds * 1e6;
	struct counts c = { 0 };
	pthread_t t;

	snprintf(flipped.sun_path, sizeof(flipped.sun_path), "%s/flip", directory);
	if (pthread_create(&t, NULL, flips, NULL) != 0)
		return 1;
	while (clock_us() < end) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		(void)!bind(fd, (struct sockaddr *)&flipped, sizeof(flipped));
		count(fd, &c);
		close(fd);
	}
	over = true;
	pthread_join(t, NULL);
	printf("path %ld abstract %ld refused %ld\n", c.path, c.abstract, c.refused);
	return 0;
}

static int swap(double seconds)
{
	const double end = clock_us() + seconds * 1e6;
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "\0sandlock-swap" };
	struct counts c = { 0 };

	while (clock_us() < end) {
		struct swap s = { socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE),
			socket(AF_UNIX, SOCK_STREAM, 0) };
		pthread_t t;

		over = false;
		dup2(s.netlink_fd, SLOT);
		if (pthread_create(&t, NULL, swaps, &s) != 0)
			return 1;
		for (int i = 0; i < 200; i++)
			(void)!bind(SLOT, (struct sockaddr *)&a, sizeof(a));
		over = true;
		pthread_join(t, NULL);
		count(s.unix_fd, &c);
		close(s.netlink_fd);
		close(s.unix_fd);
		close(SLOT);
	}
	printf("path %ld abstract %ld refused %ld\n", c.path, c.abstract, c.refused);
	return 0;
}

static int at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	puts(bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && strcmp(argv[1], "names") == 0)
		return names(argv[2]);
	if (argc == 3 && strcmp(argv[1], "at") == 0)
		return at(argv[2]);
	if (argc == 4 && strcmp(argv[1], "flip") == 0)
		return flip(argv[2], atof(argv[3]));
	if (argc == 3 && strcmp(argv[1], "swap") == 0)
		return swap(atof(argv[2]));
	return 2;
}
