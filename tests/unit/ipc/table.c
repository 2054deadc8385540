/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a pod: made once, found again, gone with its last user; entries are found by id
 * and key and used again.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/ipc/table.h"
#include "tests/unit/check.h"

static void check_entries(const struct ipc_file *f)
{
	struct ipc_table *t = f->t;
	struct ipc_object *o = table_free_object(f, IPC_SEM);

	CHECK(o == &t->objects[IPC_SEM][0] && table_objects(t, IPC_SEM) == 1);
	*o = (struct ipc_object){ .state = IPC_MAKING, .key = 7, .id = 70 };
	CHECK(!table_by_id(t, IPC_SEM, 70) && !table_by_key(t, IPC_SEM, 7));
	CHECK(table_free_object(f, IPC_SEM) == o + 1);
	o->state = IPC_LIVE;
	CHECK(table_by_id(t, IPC_SEM, 70) == o && table_by_key(t, IPC_SEM, 7) == o);
	CHECK(!table_by_id(t, IPC_SHM, 70) && !table_by_key(t, IPC_MSG, 7));
	/* What has no key is found by its id only. */
	o->key = 0;
	CHECK(table_by_id(t, IPC_SEM, 70) == o && !table_by_key(t, IPC_SEM, 0));
	o->key = 7;
	o->state = IPC_ENDING;
	CHECK(table_by_id(t, IPC_SEM, 70) == o && !table_by_key(t, IPC_SEM, 7));
	o->state = IPC_FREE;
	CHECK(table_free_object(f, IPC_SEM) == o);
}

static void check_full(const struct ipc_file *f)
{
	struct ipc_table *t = f->t;
	struct ipc_object *o;
	size_t n = 0;

	while (n <= IPC_OBJECTS && (o = table_free_object(f, IPC_MSG))) {
		o->state = IPC_LIVE;
		n++;
	}
	CHECK(n == IPC_OBJECTS && table_objects(t, IPC_MSG) == IPC_OBJECTS);
	t->n_objects[IPC_MSG] = UINT32_MAX;
	CHECK(table_objects(t, IPC_MSG) == IPC_OBJECTS && !table_by_id(t, IPC_MSG, -1));
}

static void check_users(const struct ipc_file *f)
{
	struct ipc_table *t = f->t;
	char long_id[IPC_NAME_SIZE + 1] = "";

	CHECK(table_add_user(f, "a") == 0 && table_add_user(f, "b") == 0);
	CHECK(table_add_user(f, "a") == 0); /* once is enough */
	CHECK(table_remove_user(t, "a") == 1 && table_remove_user(t, "a") == 1);
	CHECK(table_remove_user(t, "b") == 0);
	memset(long_id, 'x', IPC_NAME_SIZE);
	CHECK(table_add_user(f, long_id) == -1 && errno == ENAMETOOLONG);
}

/* A file system that is full ends no process (SIGBUS): there is no entry then. */
static int in_full_file_system(void)
{
	const struct ipc_queue *q = NULL;
	struct ipc_file f;
	int root_fd, n = 0, status = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("full", "/tmp", "tmpfs", 0, "size=32k") < 0)
		return 1;
	root_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (table_open(root_fd, "pod", true, &f) < 0 || table_add_user(&f, "a") < 0)
		return 2;
	while (n < IPC_QUEUES && (q = table_free_queue(&f))) {
		memset((void *)q, 1, sizeof(*q));
		n++;
	}
	if (q || n == 0 || n == IPC_QUEUES || (int)table_queues(f.t) != n)
		return 3;
	for (int i = 0; i < IPC_USERS && status == 0; i++) {
		char id[16];

		snprintf(id, sizeof(id), "user-%d", i);
		status = table_add_user(&f, id);
	}
	return status < 0 && errno == ENOSPC ? 0 : 4;
}

static void check_no_room(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(in_full_file_system());
	CHECK(waitpid(pid, &status, 0) == pid);
	if (!CHECK(status == 0))
		printf("# status %x\n", (unsigned int)status);
}

int main(void)
{
	char dir[] = "/tmp/unit-ipc-XXXXXX";
	struct ipc_file f, again;
	int root_fd;

	check_no_room();
	CHECK(mkdtemp(dir));
	root_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root_fd >= 0);
	CHECK(table_open(root_fd, "pod", false, &f) == -1 && errno == ENOENT);
	CHECK(table_open(root_fd, "pod", true, &f) == 0);
	CHECK(table_is_sound(f.t, sizeof(*f.t)) && !table_is_sound(f.t, 100));
	check_entries(&f);
	check_full(&f);
	check_users(&f);
	/* Another one waits for the lock, and not for ever. */
	CHECK(table_open(root_fd, "pod", false, &again) == -1 && errno == EAGAIN);
	table_unlock(&f);
	CHECK(table_open(root_fd, "pod", false, &again) == 0);
	CHECK(again.t->account == f.t->account);
	table_close(&again);
	/* Removed and made again: not the old one. */
	CHECK(unlinkat(root_fd, "pod" IPC_SUFFIX, 0) == 0);
	CHECK(table_open(root_fd, "pod", true, &again) == 0);
	CHECK(table_objects(again.t, IPC_MSG) == 0);
	CHECK(ftruncate(again.fd, 0) == 0 && pwrite(again.fd, "slipc 9", 8, 0) == 8);
	table_close(&again);
	CHECK(table_open(root_fd, "pod", true, &again) == -1 && errno == EINVAL);
	table_close(&f);
	CHECK(unlinkat(root_fd, "pod" IPC_SUFFIX, 0) == 0 && rmdir(dir) == 0);
	return check_done();
}
