/* SPDX-License-Identifier: Apache-2.0
 *
 *   path_loop N DIRECTORY...
 *
 * N batches over the regular files of the directories: open and close, stat, and open, read
 * and close. Prints the nanoseconds for one file, a line for each batch: `open 950.0`.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

#define FILES_MAX 256
#define PASSES    100

struct files {
	char *paths[FILES_MAX];
	int n;
};

static void collect(struct files *f, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && f->n < FILES_MAX && (e = readdir(d))) {
		char path[PATH_MAX];
		struct stat st;
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		close(fd);
		if (asprintf(&f->paths[f->n], "%s", path) >= 0)
			f->n++;
	}
	if (d)
		closedir(d);
}

static void do_open(const char *path)
{
	close(open(path, O_RDONLY | O_CLOEXEC));
}

static void do_stat(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		abort();
}

static void do_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];

	if (read(fd, buf, sizeof(buf)) < 0)
		abort();
	close(fd);
}

static void batch(const struct files *f, const char *name, void (*what)(const char *))
{
	double t0 = clock_us();

	for (int pass = 0; pass < PASSES; pass++)
		for (int i = 0; i < f->n; i++)
			what(f->paths[i]);
	printf("%s %.1f\n", name, (clock_us() - t0) * 1e3 / PASSES / f->n);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	struct files f = { .n = 0 };

	for (int i = 2; i < argc; i++)
		collect(&f, argv[i]);
	if (n <= 0 || f.n == 0)
		return 2;
	for (int i = 0; i < n; i++) {
		batch(&f, "open", do_open);
		batch(&f, "stat", do_stat);
		batch(&f, "read", do_read);
	}
	return 0;
}
