/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ipc/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/cleanup.h"

static const char magic[8] = "slipc 1";

/* The holder of the lock makes a few system calls that do not block. */
#define LOCK_MS 2000

/* The range lies below the uids that useradd(8) and systemd use, and above those of container
 * images. */
#define ACCOUNT_FIRST 0x70000000U
#define ACCOUNT_MASK  0x00ffffffU

int table_lock(const struct ipc_file *f)
{
	const struct timespec nap = { .tv_nsec = 1000000L };

	for (int waited = 0;; waited++) {
		if (flock(f->fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		if (waited >= LOCK_MS) {
			errno = EAGAIN;
			return -1;
		}
		nanosleep(&nap, NULL);
	}
}

void table_unlock(const struct ipc_file *f)
{
	int saved = errno;

	flock(f->fd, LOCK_UN);
	errno = saved;
}

bool table_is_sound(const struct ipc_table *t, size_t size)
{
	return size == sizeof(*t) && memcmp(t->magic, magic, sizeof(magic)) == 0;
}

/* Allocates the blocks of a part of the file before it is written through the mapping: if the file
 * system is full, such a write ends with SIGBUS. A file system without fallocate(2) has no holes to
 * fill. */
static int fill_hole(int fd, const struct ipc_table *t, const void *at, size_t size)
{
	if (fallocate(fd, 0, (const char *)at - (const char *)t, (off_t)size) == 0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT || errno == ENOMEM ? -1 : 0;
}

/* Maps the file. The first process that has the lock writes the header. The file may be empty
 * because the process that created it was killed. */
static int map(struct ipc_file *f)
{
	struct ipc_table *t;
	uint32_t number = 0;
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return -1;
	if (st.st_size < (off_t)sizeof(*t) && ftruncate(f->fd, sizeof(*t)) < 0)
		return -1;
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	if (t == MAP_FAILED)
		return -1;
	f->t = t;
	if (fill_hole(f->fd, t, t, offsetof(struct ipc_table, objects)) < 0)
		return -1;
	if (t->magic[0] == '\0') {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -1;
		t->account = ACCOUNT_FIRST + (number & ACCOUNT_MASK);
		memcpy(t->magic, magic, sizeof(magic));
	}
	if (table_is_sound(t, st.st_size < (off_t)sizeof(*t) ? sizeof(*t) : (size_t)st.st_size))
		return 0;
	errno = EINVAL;
	return -1;
}

static bool is_named(int root_fd, const char *name, int fd)
{
	struct stat mine, named;

	return fstat(fd, &mine) == 0 && fstatat(root_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

int table_open(int root_fd, const char *pod, bool create, struct ipc_file *ret)
{
	char name[IPC_NAME_SIZE];

	if (snprintf(name, sizeof(name), "%s" IPC_SUFFIX, pod) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (;;) {
		struct ipc_file f = IPC_FILE_NONE;

		f.fd = openat(root_fd, name,
			O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0), 0600);
		if (f.fd < 0)
			return -1;
		if (table_lock(&f) < 0) {
			table_close(&f);
			return -1;
		}
		/* The last container of the pod may have removed the file while this process waited
		 * for the lock. */
		if (!is_named(root_fd, name, f.fd)) {
			table_close(&f);
			continue;
		}
		if (map(&f) < 0) {
			table_close(&f);
			return -1;
		}
		*ret = f;
		return 0;
	}
}

void table_close(struct ipc_file *f)
{
	int saved = errno;

	if (f->t)
		munmap(f->t, sizeof(*f->t));
	f->t = NULL;
	drop_fd(&f->fd);
	errno = saved;
}

static size_t bounded(uint32_t n, size_t max)
{
	return n < max ? n : max;
}

size_t table_objects(const struct ipc_table *t, enum ipc_kind kind)
{
	return bounded(__atomic_load_n(&t->n_objects[kind], __ATOMIC_ACQUIRE), IPC_OBJECTS);
}

size_t table_queues(const struct ipc_table *t)
{
	return bounded(t->n_queues, IPC_QUEUES);
}

int table_add_user(const struct ipc_file *f, const char *id)
{
	struct ipc_table *t = f->t;
	const size_t n = bounded(t->n_users, IPC_USERS);
	size_t at = n;

	if (strlen(id) >= IPC_NAME_SIZE) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (size_t i = n; i-- > 0;) {
		if (strncmp(t->users[i], id, IPC_NAME_SIZE) == 0)
			return 0;
		if (t->users[i][0] == '\0')
			at = i;
	}
	if (at == IPC_USERS) {
		errno = ENOSPC;
		return -1;
	}
	if (fill_hole(f->fd, t, t->users[at], IPC_NAME_SIZE) < 0)
		return -1;
	memcpy(t->users[at], id, strlen(id) + 1);
	if (at == n)
		t->n_users = (uint32_t)n + 1;
	return 0;
}

size_t table_remove_user(struct ipc_table *t, const char *id)
{
	size_t left = 0;

	for (size_t i = 0; i < bounded(t->n_users, IPC_USERS); i++) {
		if (strncmp(t->users[i], id, IPC_NAME_SIZE) == 0)
			memset(t->users[i], 0, IPC_NAME_SIZE);
		left += t->users[i][0] != '\0';
	}
	return left;
}

struct ipc_object *table_by_id(struct ipc_table *t, enum ipc_kind kind, int id)
{
	const size_t n = table_objects(t, kind);

	for (size_t i = 0; i < n; i++) {
		struct ipc_object *o = &t->objects[kind][i];

		if (o->id == id && __atomic_load_n(&o->state, __ATOMIC_ACQUIRE) >= IPC_LIVE)
			return o;
	}
	return NULL;
}

struct ipc_object *table_by_key(struct ipc_table *t, enum ipc_kind kind, int32_t key)
{
	const size_t n = table_objects(t, kind);

	for (size_t i = 0; i < n; i++) {
		struct ipc_object *o = &t->objects[kind][i];

		if (o->state == IPC_LIVE && o->key == key && key != IPC_PRIVATE)
			return o;
	}
	return NULL;
}

struct ipc_queue *table_by_name(struct ipc_table *t, const char *name)
{
	const size_t n = table_queues(t);

	for (size_t i = 0; i < n; i++)
		if (t->queues[i].state == IPC_LIVE &&
			strncmp(t->queues[i].name, name, IPC_NAME_SIZE) == 0)
			return &t->queues[i];
	return NULL;
}

struct ipc_object *table_free_object(const struct ipc_file *f, enum ipc_kind kind)
{
	struct ipc_table *t = f->t;
	const size_t n = table_objects(t, kind);

	for (size_t i = 0; i < n; i++)
		if (t->objects[kind][i].state == IPC_FREE)
			return &t->objects[kind][i];
	if (n == IPC_OBJECTS ||
		fill_hole(f->fd, t, &t->objects[kind][n], sizeof(struct ipc_object)) < 0)
		return NULL;
	__atomic_store_n(&t->n_objects[kind], (uint32_t)n + 1, __ATOMIC_RELEASE);
	return &t->objects[kind][n];
}

struct ipc_queue *table_free_queue(const struct ipc_file *f)
{
	struct ipc_table *t = f->t;
	const size_t n = table_queues(t);

	for (size_t i = 0; i < n; i++)
		if (t->queues[i].state == IPC_FREE)
			return &t->queues[i];
	if (n == IPC_QUEUES || fill_hole(f->fd, t, &t->queues[n], sizeof(struct ipc_queue)) < 0)
		return NULL;
	t->n_queues = (uint32_t)n + 1;
	return &t->queues[n];
}
