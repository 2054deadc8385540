/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/shmem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/proc.h"
#include "runtime/members/members.h"

#define BLOCK 512 /* unit of stx_blocks */

/* Distinguishes the inodes of the pod's /dev/shm in the lists from those of the internal mount. */
#define IN_POD (1ULL << 63)

struct shmem_look {
	struct shmem *s;
	pid_t pid;
	uint64_t all, new;
	bool refused;  /* map_files could not be read completely */
	uint64_t *own; /* inodes of this process, sorted */
	size_t n_own, room;
};

static uint64_t mount_of(int fdinfo_fd, const char *fd)
{
	char text[512];

	return io_slurp(fdinfo_fd, fd, text, sizeof(text)) < 0 ? 0
							       : proc_number_in(text, "mnt_id:");
}

static int find_mount(struct shmem_mount *m, int fd)
{
	auto_fd int info_fd = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char name[16];

	if (info_fd < 0 || fstat(fd, &st) < 0)
		return -1;
	snprintf(name, sizeof(name), "%d", fd);
	m->device = st.st_dev;
	m->mount_id = mount_of(info_fd, name);
	return 0;
}

int shmem_open(struct shmem *s)
{
	auto_fd int fd = memfd_create("sandlock", MFD_CLOEXEC);

	*s = (struct shmem){ 0 };
	return fd < 0 ? -1 : find_mount(&s->mounts[0], fd);
}

int shmem_add_pod(struct shmem *s, int fd)
{
	if (find_mount(&s->mounts[1], fd) < 0)
		return -1;
	s->has_pod = true;
	return 0;
}

static bool on_mount(const struct shmem *s, uint64_t id)
{
	return id == s->mounts[0].mount_id || (s->has_pod && id == s->mounts[1].mount_id);
}

static bool on_device(const struct shmem *s, uint64_t device)
{
	return device == s->mounts[0].device || (s->has_pod && device == s->mounts[1].device);
}

void shmem_begin(struct shmem *s)
{
	s->n_seen = 0;
}

/* Adds an inode to a sorted list. Returns whether it is new; false also if the list cannot grow. */
static bool add_inode(uint64_t **list, size_t *n, size_t *room, uint64_t inode)
{
	size_t low = 0, high = *n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((*list)[middle] == inode)
			return false;
		if ((*list)[middle] < inode)
			low = middle + 1;
		else
			high = middle;
	}
	if (*n == *room) {
		size_t bigger = *room ? *room * 2 : 64;
		uint64_t *moved =
			*n >= SHMEM_FILES_MAX ? NULL : realloc(*list, bigger * sizeof(*moved));

		if (!moved)
			return false;
		*list = moved;
		*room = bigger;
	}
	memmove(*list + low + 1, *list + low, (*n - low) * sizeof(**list));
	(*list)[low] = inode;
	(*n)++;
	return true;
}

static void add_file(struct shmem_look *l, const struct statx *st)
{
	struct shmem *s = l->s;
	const uint64_t bytes = st->stx_blocks * BLOCK;
	const uint64_t device = makedev(st->stx_dev_major, st->stx_dev_minor);
	const uint64_t inode = device == s->mounts[0].device ? st->stx_ino : st->stx_ino | IN_POD;

	if (!on_device(s, device) || !add_inode(&l->own, &l->n_own, &l->room, inode))
		return;
	l->all += bytes;
	if (add_inode(&s->seen, &s->n_seen, &s->room, inode))
		l->new += bytes;
}

/* AT_STATX_DONT_SYNC: no file system is asked. If the descriptor leads to another file by now,
 * its cached attributes are good enough. */
static void stat_link(struct shmem_look *l, int dir_fd, const char *name)
{
	struct statx st;

	if (statx(dir_fd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BLOCKS | STATX_INO,
		    &st) == 0)
		add_file(l, &st);
	else if (errno == EPERM || errno == EACCES)
		l->refused = true;
}

static void look_at_open(struct shmem_look *l, int dir_fd)
{
	auto_fd int info_fd = proc_open_dir(dir_fd, "fdinfo");
	auto_fd int fd = proc_open_dir(dir_fd, "fd");
	struct dirent *e;
	DIR *d = info_fd < 0 ? NULL : fdopendir(info_fd);

	if (!d)
		return;
	info_fd = -1;
	while (fd >= 0 && (e = readdir(d)))
		if (e->d_name[0] != '.' && on_mount(l->s, mount_of(dirfd(d), e->d_name)))
			stat_link(l, fd, e->d_name);
	closedir(d);
}

/* The links in map_files cannot be followed for a process whose first thread has ended, and not
 * without CAP_CHECKPOINT_RESTORE. Its share of shared memory is counted instead, if that is more
 * than the files that were found. */
static void add_unknown(struct shmem_look *l, int thread_fd)
{
	char text[4096];
	uint64_t bytes;

	if (io_slurp(thread_fd, "smaps_rollup", text, sizeof(text)) < 0)
		return;
	bytes = proc_number_in(text, "\nPss_Shmem:") * 1024;
	l->all = l->all > bytes ? l->all : bytes;
	l->new = l->new > bytes ? l->new : bytes;
}

/* A line of maps: "start-end rights offset major:minor inode path" */
static void look_at_mapping(struct shmem_look *l, int files_fd, const char *line)
{
	unsigned int major, minor;
	char range[64];

	if (sscanf(line, "%63s %*s %*s %x:%x", range, &major, &minor) == 3 &&
		on_device(l->s, makedev(major, minor)))
		stat_link(l, files_fd, range);
}

/* Adds files that are mapped, also if they are no longer open. A mapping of one page keeps the
 * whole file. */
static void look_at_mapped(struct shmem_look *l, int dir_fd)
{
	auto_fd int files_fd = proc_open_dir(dir_fd, "map_files");
	auto_fd int fd = openat(dir_fd, "maps", O_RDONLY | O_CLOEXEC);
	auto_file FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	auto_free char *line = NULL;
	size_t size = 0;

	if (f)
		fd = -1;
	while (f && files_fd >= 0 && getline(&line, &size, f) > 0)
		look_at_mapping(l, files_fd, line);
}

static bool look_at_thread(int task_fd, const char *tid, void *ctx)
{
	struct shmem_look *l = ctx;
	auto_fd int fd = members_open_own_table(l->pid, task_fd, tid);

	if (fd >= 0)
		look_at_open(l, fd);
	return true;
}

uint64_t shmem_of(struct shmem *s, int dir_fd, int thread_fd, pid_t pid, uint64_t *ret_all)
{
	struct shmem_look l = { .s = s, .pid = pid };

	look_at_open(&l, dir_fd);
	members_each_thread(dir_fd, look_at_thread, &l);
	look_at_mapped(&l, dir_fd);
	if (thread_fd != dir_fd || l.refused)
		add_unknown(&l, thread_fd);
	free(l.own);
	*ret_all = l.all;
	return l.new;
}

/* A line: key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap */
static uint64_t detached_bytes(const char *line, pid_t supervisor)
{
	unsigned long long attached, rss, swap;
	int creator;

	if (sscanf(line, "%*s %*s %*s %*s %d %*s %llu %*s %*s %*s %*s %*s %*s %*s %llu %llu",
		    &creator, &attached, &rss, &swap) != 4 ||
		creator != supervisor || attached > 0)
		return 0;
	return rss + swap;
}

uint64_t shmem_detached(int proc_fd, pid_t supervisor)
{
	auto_fd int fd = openat(proc_fd, "sysvipc/shm", O_RDONLY | O_CLOEXEC);
	auto_file FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	auto_free char *line = NULL;
	uint64_t sum = 0;
	size_t size = 0;

	if (f)
		fd = -1;
	while (f && getline(&line, &size, f) > 0)
		sum += detached_bytes(line, supervisor);
	return sum;
}
