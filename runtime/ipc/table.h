/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a pod: which containers are in it, and which objects of the host are its own.
 * One file below the state root, "<pod>@ipc" ('@' is in no container's id), which every
 * supervisor of the pod has mapped. Changes are made under flock(2); looking an id up needs no
 * lock, because an entry becomes LIVE last and its number is compared with the kernel's.
 *
 * An entry is MAKING, with the key that the object is going to have, before the object is made:
 * whoever finds one under the lock knows that its maker was killed, and removes what it left.
 *
 * The file is root's alone. What it says is still bounded before use: a damaged one must not
 * hurt the one who reads it.
 */
#ifndef SANDLOCK_IPC_TABLE_H
#define SANDLOCK_IPC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/plan/ipc.h"

#define IPC_NAME_SIZE 256 /* of a container or a queue: NAME_MAX and a NUL */
#define IPC_HOST_NAME 40
#define IPC_USERS     256 /* containers of one pod; kubelet starts fewer on a whole node */
#define IPC_OBJECTS   PLAN_IPC_OBJECTS
#define IPC_QUEUES    PLAN_IPC_QUEUES
#define IPC_SUFFIX    "@ipc"

enum ipc_kind { IPC_SHM, IPC_SEM, IPC_MSG, IPC_KINDS };

enum ipc_state {
	IPC_FREE,
	IPC_MAKING,
	IPC_LIVE,
	IPC_ENDING, /* a removed segment: it has no key any more and goes with the last detach */
};

struct ipc_object {
	uint32_t state;
	int32_t key;      /* the container's; IPC_PRIVATE: none */
	int32_t host_key; /* the kernel's; random */
	int32_t id;
	uint32_t maker;   /* the supervisor that made it, which the kernel takes for its creator */
	uint32_t creator; /* the process it was made for */
	uint64_t size;    /* bytes of a segment, semaphores of a set */
};

struct ipc_queue {
	uint32_t state;
	uint32_t uid, gid; /* who made it */
	char name[IPC_NAME_SIZE];
	char host_name[IPC_HOST_NAME];
};

struct ipc_table {
	char magic[8];
	uint32_t account;              /* the uid to which the pod's POSIX queues are charged */
	uint32_t making;               /* an entry may be MAKING */
	uint32_t n_objects[IPC_KINDS]; /* one past the last entry that was ever used */
	uint32_t n_queues;
	uint32_t n_users;
	struct ipc_object objects[IPC_KINDS][IPC_OBJECTS];
	struct ipc_queue queues[IPC_QUEUES];
	char users[IPC_USERS][IPC_NAME_SIZE]; /* ids, "" is free */
};

struct ipc_file {
	int fd;
	struct ipc_table *t;
};

#define IPC_FILE_NONE ((struct ipc_file){ -1, NULL })

/* Opens and locks the table of a pod. Without create a missing one is -1 with ENOENT. Returns
 * 0, or -1 with errno; EAGAIN when others hold it for too long. */
int table_open(int root_fd, const char *pod, bool create, struct ipc_file *ret);
void table_close(struct ipc_file *f);

int table_lock(const struct ipc_file *f);
void table_unlock(const struct ipc_file *f);

/* Whether a mapping of that size is a table at all. */
bool table_is_sound(const struct ipc_table *t, size_t size);

/* Under the lock. ENOSPC when the pod has too many containers. */
int table_add_user(const struct ipc_file *f, const char *id);
/* Returns how many are left. */
size_t table_remove_user(struct ipc_table *t, const char *id);

/* Counts as read from the file, bounded. */
size_t table_objects(const struct ipc_table *t, enum ipc_kind kind);
size_t table_queues(const struct ipc_table *t);

/* NULL: none. */
struct ipc_object *table_by_id(struct ipc_table *t, enum ipc_kind kind, int id);
struct ipc_object *table_by_key(struct ipc_table *t, enum ipc_kind kind, int32_t key);
struct ipc_queue *table_by_name(struct ipc_table *t, const char *name);

/* An entry to be filled, NULL when all are used or the file system of the table is full. */
struct ipc_object *table_free_object(const struct ipc_file *f, enum ipc_kind kind);
struct ipc_queue *table_free_queue(const struct ipc_file *f);

#endif
