/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a pod: made once, found again, gone with its last user; entries are found by id
 * and key and used again.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/ipc/table.h"
#include "tests/unit/check.h"

static void check_entries(struct ipc_table *t)
{
	struct ipc_object *o = table_free_object(t, IPC_SEM);

	CHECK(o == &t->objects[IPC_SEM][0] && table_objects(t, IPC_SEM) == 1);
	*o = (struct ipc_object){ .state = IPC_MAKING, .key = 7, .id = 70 };
	CHECK(!table_by_id(t, IPC_SEM, 70) && !table_by_key(t, IPC_SEM, 7));
	CHECK(table_free_object(t, IPC_SEM) == o + 1);
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
	CHECK(table_free_object(t, IPC_SEM) == o);
}

static void check_full(struct ipc_table *t)
{
	struct ipc_object *o;
	size_t n = 0;

	while (n <= IPC_OBJECTS && (o = table_free_object(t, IPC_MSG))) {
		o->state = IPC_LIVE;
		n++;
	}
	CHECK(n == IPC_OBJECTS && table_objects(t, IPC_MSG) == IPC_OBJECTS);
	t->n_objects[IPC_MSG] = UINT32_MAX;
	CHECK(table_objects(t, IPC_MSG) == IPC_OBJECTS && !table_by_id(t, IPC_MSG, -1));
}

static void check_users(struct ipc_table *t)
{
	char long_id[IPC_NAME_SIZE + 1] = "";

	CHECK(table_add_user(t, "a") == 0 && table_add_user(t, "b") == 0);
	CHECK(table_add_user(t, "a") == 0); /* once is enough */
	CHECK(table_remove_user(t, "a") == 1 && table_remove_user(t, "a") == 1);
	CHECK(table_remove_user(t, "b") == 0);
	memset(long_id, 'x', IPC_NAME_SIZE);
	CHECK(table_add_user(t, long_id) == -1 && errno == ENAMETOOLONG);
}

int main(void)
{
	char dir[] = "/tmp/unit-ipc-XXXXXX";
	struct ipc_file f, again;
	int root_fd;

	CHECK(mkdtemp(dir));
	root_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root_fd >= 0);
	CHECK(table_open(root_fd, "pod", false, &f) == -1 && errno == ENOENT);
	CHECK(table_open(root_fd, "pod", true, &f) == 0);
	CHECK(table_is_sound(f.t, sizeof(*f.t)) && !table_is_sound(f.t, 100));
	check_entries(f.t);
	check_full(f.t);
	check_users(f.t);
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
