/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds a container to its pod's table and removes it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#include "runtime/base/cleanup.h"
#include "runtime/ipc/internal.h"

int ipc_random(void *buf, size_t n)
{
	static const char zero[16];

	do {
		if (getrandom(buf, n, 0) != (ssize_t)n)
			return -1;
	} while (n <= sizeof(zero) && memcmp(buf, zero, n) == 0);
	return 0;
}

/* Removes entries that were never finished: since this supervisor holds the lock, the supervisor
 * that made such an entry was killed. */
static void recover(struct ipc_table *t)
{
	if (!t->making)
		return;
	for (int kind = 0; kind < IPC_KINDS; kind++)
		for (size_t i = 0; i < table_objects(t, (enum ipc_kind)kind); i++) {
			struct ipc_object *o = &t->objects[kind][i];

			if (o->state != IPC_MAKING)
				continue;
			object_remove_unfinished((enum ipc_kind)kind, o);
			o->state = IPC_FREE;
		}
	for (size_t i = 0; i < table_queues(t); i++)
		if (t->queues[i].state == IPC_MAKING) {
			object_remove_queue(&t->queues[i]);
			t->queues[i].state = IPC_FREE;
		}
	t->making = 0;
}

/* Adds the container to the table, which is locked afterwards. */
static int join_table(struct ipc *s, bool create)
{
	struct ipc_file f = IPC_FILE_NONE;

	if (table_open(s->root_fd, s->pod, create, &f) < 0)
		return -1;
	if (table_add_user(&f, s->id) < 0) {
		table_unlock(&f);
		table_close(&f);
		return -1;
	}
	s->file = f;
	return 0;
}

int ipc_begin(struct ipc *s, bool create)
{
	if (!s->file.t) {
		if (join_table(s, create) < 0)
			return -1;
	} else if (table_lock(&s->file) < 0) {
		return -1;
	}
	recover(s->file.t);
	return 0;
}

void ipc_end(struct ipc *s)
{
	table_unlock(&s->file);
}

int ipc_open(struct arena *a, const struct ipc_setup *setup, struct ipc **ret, struct sl_err *err)
{
	const struct rlimit bytes = { setup->limits->posix_bytes, setup->limits->posix_bytes };
	struct ipc *s = arena_alloc(a, sizeof(*s));
	int rc = 0;

	*s = (struct ipc){
		.limits = *setup->limits,
		.root_fd = setup->root_fd,
		.proc_fd = setup->proc_fd,
		.id = setup->id,
		.pod = setup->pod,
		.file = IPC_FILE_NONE,
	};
	/* The limit is for this process only, which creates the queues: the container's init
	 * process was forked before. */
	if (setrlimit(RLIMIT_MSGQUEUE, &bytes) < 0)
		return sl_err_set(err, errno, "limit the pod's POSIX queues");
	if (setup->shared) {
		rc = ipc_begin(s, true);
		if (rc == 0 && setup->with)
			rc = table_add_user(&s->file, setup->with);
		if (rc == 0)
			ipc_end(s);
	}
	if (rc < 0)
		return sl_err_set(err, errno, "the IPC objects of pod %s", setup->pod);
	*ret = s;
	return 0;
}

static int leave_file(
	int root_fd, const char *name, const char *pod, const char *id, struct sl_err *err)
{
	struct ipc_file f = IPC_FILE_NONE;
	int rc = 0;

	if (table_open(root_fd, pod, false, &f) < 0) {
		/* A damaged table names no objects. It is removed so that the pod can begin with a
		 * new one. */
		if (errno == EINVAL && unlinkat(root_fd, name, 0) == 0)
			return 0;
		return errno == ENOENT ? 0 : sl_err_set(err, errno, "the IPC objects of %s", pod);
	}
	recover(f.t);
	if (table_remove_user(f.t, id) == 0) {
		rc = object_remove_all(f.t);
		for (size_t i = 0; i < table_queues(f.t); i++)
			if (f.t->queues[i].state == IPC_LIVE)
				object_remove_queue(&f.t->queues[i]);
		if (rc == 0)
			rc = unlinkat(root_fd, name, 0);
	}
	table_close(&f);
	return rc < 0 ? sl_err_set(err, errno, "remove %s", name) : 0;
}

/* Finds the pod's name, if the file is a table. */
static bool pod_of(const char *name, char pod[IPC_NAME_SIZE])
{
	const size_t n = strlen(name), suffix = sizeof(IPC_SUFFIX) - 1;

	if (n <= suffix || n >= IPC_NAME_SIZE || strcmp(name + n - suffix, IPC_SUFFIX) != 0)
		return false;
	memcpy(pod, name, n - suffix);
	pod[n - suffix] = '\0';
	return true;
}

static int leave_all(int root_fd, const char *id, struct sl_err *err)
{
	auto_fd int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	char pod[IPC_NAME_SIZE];
	struct dirent *e;
	int rc = 0;

	if (!d)
		return sl_err_set(err, errno, "read the state root");
	take_fd(&fd);
	while (rc == 0 && (e = readdir(d)))
		if (pod_of(e->d_name, pod))
			rc = leave_file(root_fd, e->d_name, pod, id, err);
	closedir(d);
	return rc;
}

int ipc_leave(int root_fd, const char *pod, const char *id, struct sl_err *err)
{
	char name[IPC_NAME_SIZE];

	if (!pod)
		return leave_all(root_fd, id, err);
	/* A pod with a longer name cannot have a table. */
	if (snprintf(name, sizeof(name), "%s" IPC_SUFFIX, pod) >= (int)sizeof(name))
		return 0;
	return leave_file(root_fd, name, pod, id, err);
}
