/* SPDX-License-Identifier: Apache-2.0
 *
 * Deleted files of the layer that members have open (layer.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/limits/layer.h"

/* The most deleted files that are told apart; each further one counts once for each descriptor. */
#define FILES_MAX 4096

struct deleted_look {
	const struct layer *layer;
	pid_t pid;
	uint64_t bytes;
	size_t n;
	uint64_t seen[FILES_MAX]; /* inodes */
};

static bool was_seen(struct deleted_look *l, uint64_t inode)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->seen[i] == inode)
			return true;
	if (l->n < FILES_MAX)
		l->seen[l->n++] = inode;
	return false;
}

/* AT_STATX_DONT_SYNC: no file system is asked. */
static void add_link(struct deleted_look *l, int dir_fd, const char *name)
{
	struct statx st;
	dev_t device;

	if (statx(dir_fd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		    STATX_TYPE | STATX_NLINK | STATX_BLOCKS | STATX_INO, &st) < 0 ||
		!S_ISREG(st.stx_mode) || st.stx_nlink > 0)
		return;
	device = makedev(st.stx_dev_major, st.stx_dev_minor);
	if ((device == l->layer->devices[0] || device == l->layer->devices[1]) &&
		!was_seen(l, st.stx_ino))
		l->bytes += st.stx_blocks * 512;
}

static void look_at_files(struct deleted_look *l, int dir_fd)
{
	auto_fd int fd = proc_open_dir(dir_fd, "fd");
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d)
		return;
	take_fd(&fd);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			add_link(l, dirfd(d), e->d_name);
	closedir(d);
}

static bool look_at_own_table(int task_fd, const char *tid, void *ctx)
{
	struct deleted_look *l = ctx;
	auto_fd int fd = members_open_own_table(l->pid, task_fd, tid);

	if (fd >= 0)
		look_at_files(l, fd);
	return true;
}

static void look_at_tables(struct member *p, void *ctx)
{
	struct deleted_look *l = ctx;

	l->pid = p->pid;
	look_at_files(l, p->dir_fd);
	members_each_thread(p->dir_fd, look_at_own_table, l);
}

uint64_t layer_measure_deleted(const struct layer *l, const struct members *m)
{
	auto_free struct deleted_look *look = calloc(1, sizeof(*look));
	uint64_t bytes;

	if (!look)
		return 0;
	look->layer = l;
	members_each(m, MEMBERS_ANYWHERE, look_at_tables, look);
	bytes = look->bytes;
	return bytes;
}
