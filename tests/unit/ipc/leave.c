/* SPDX-License-Identifier: Apache-2.0
 *
 * The last container of a pod takes the pod's objects with it: those that are finished, the one
 * that a killed supervisor was making, and none that is not the pod's.
 */
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include "runtime/ipc/ipc.h"
#include "runtime/ipc/table.h"
#include "tests/unit/check.h"

#define QUEUE "unit-ipc-leave"

static int own_key(void)
{
	return 0x40000000 + (int)getpid();
}

/* Returns the id of a set that the table knows by a key which is another's now. */
static int fill(const struct ipc_file *f)
{
	const int sem = semget(own_key(), 1, IPC_CREAT | IPC_EXCL | 0600);
	const int shm = shmget(own_key(), 100, IPC_CREAT | IPC_EXCL | 0600);
	const int other = semget(own_key() + 1, 1, IPC_CREAT | IPC_EXCL | 0600);
	const mqd_t mq = mq_open("/" QUEUE, O_CREAT | O_EXCL | O_RDWR, 0600, NULL);

	CHECK(sem >= 0 && shm >= 0 && other >= 0 && mq >= 0);
	close(mq);
	*table_free_object(f, IPC_SEM) =
		(struct ipc_object){ IPC_LIVE, 1, own_key(), sem, 1, 1, 1 };
	*table_free_object(f, IPC_SEM) =
		(struct ipc_object){ IPC_LIVE, 2, own_key() + 2, other, 1, 1, 1 };
	/* Killed before it could note the id. */
	*table_free_object(f, IPC_SHM) =
		(struct ipc_object){ IPC_MAKING, 1, own_key(), 0, 1, 1, 1 };
	*table_free_queue(f) = (struct ipc_queue){ .state = IPC_MAKING, .host_name = QUEUE };
	f->t->making = 1;
	return other;
}

static void check_gone(int other)
{
	CHECK(semget(own_key(), 0, 0) == -1 && errno == ENOENT);
	CHECK(shmget(own_key(), 0, 0) == -1 && errno == ENOENT);
	CHECK(mq_unlink("/" QUEUE) == -1 && errno == ENOENT);
	CHECK(semctl(other, 0, IPC_RMID) == 0);
}

int main(void)
{
	char dir[] = "/tmp/unit-ipc-XXXXXX";
	struct ipc_file f;
	struct sl_err err;
	int root_fd, other;

	CHECK(mkdtemp(dir));
	root_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(root_fd >= 0 && table_open(root_fd, "pod", true, &f) == 0);
	CHECK(table_add_user(&f, "a") == 0 && table_add_user(&f, "b") == 0);
	other = fill(&f);
	table_close(&f);
	/* As long as another one is there, only what was never finished goes. */
	CHECK(ipc_leave(root_fd, "pod", "a", &err) == 0);
	CHECK(semget(own_key(), 0, 0) >= 0);
	CHECK(shmget(own_key(), 0, 0) == -1 && errno == ENOENT);
	CHECK(ipc_leave(root_fd, "no-such-pod", "b", &err) == 0);
	/* Without a pod's name: of whichever it is in. */
	CHECK(ipc_leave(root_fd, NULL, "b", &err) == 0);
	check_gone(other);
	CHECK(rmdir(dir) == 0);
	CHECK(ipc_leave(root_fd, "pod", "b", &err) == 0);
	return check_done();
}
