/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a pod: its containers, and the objects of the host that belong to it. The table is
 * one file below the state root, "<pod>@ipc" (a container's id cannot contain '@'), which every
 * supervisor of the pod maps. Changes need the lock (flock(2)). A lookup of an id needs no lock,
 * because an entry becomes IPC_LIVE last, and because the kernel is asked whether the id still has
 * the entry's key.
 *
 * Before an object is created, its entry has the state IPC_MAKING and the key of the object. A
 * process that finds such an entry under the lock knows that the supervisor which made the entry
 * was killed, and removes the object.
 *
 * Only root can write the file. Its values are checked against their bounds all the same, so a
 * damaged file does not harm its reader.
 */
#ifndef SANDLOCK_IPC_TABLE_H
#define SANDLOCK_IPC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/plan/ipc.h"

#define IPC_NAME_SIZE 256 /* of a container's id or a queue's name: NAME_MAX and a NUL */
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
	/* a removed segment: it has no key, and exists until the last process detaches it */
	IPC_ENDING,
};

struct ipc_object {
	uint32_t state;
	int32_t key;      /* the key that the container uses; IPC_PRIVATE: none */
	int32_t host_key; /* the random key of the kernel's object */
	int32_t id;
	uint32_t maker;   /* the process id of the supervisor that created the object */
	uint32_t creator; /* the process for which it was created */
	uint64_t size;    /* bytes of a segment, semaphores of a set */
};

struct ipc_queue {
	uint32_t state;
	uint32_t uid, gid; /* the creator */
	char name[IPC_NAME_SIZE];
	char host_name[IPC_HOST_NAME];
};

struct ipc_table {
	char magic[8];
	uint32_t account;              /* the uid to which the pod's POSIX queues are charged */
	uint32_t making;               /* some entry may be in the state IPC_MAKING */
	uint32_t n_objects[IPC_KINDS]; /* one past the last entry that was ever used */
	uint32_t n_queues;
	uint32_t n_users;
	struct ipc_object objects[IPC_KINDS][IPC_OBJECTS];
	struct ipc_queue queues[IPC_QUEUES];
	char users[IPC_USERS][IPC_NAME_SIZE]; /* ids of the containers; "" is a free entry */
};

struct ipc_file {
	int fd;
	struct ipc_table *t;
};

#define IPC_FILE_NONE ((struct ipc_file){ -1, NULL })

/* Opens and locks the table of a pod; create: makes a missing one, otherwise a missing one is
 * ENOENT. Returns 0, or -1 with errno; EAGAIN when another process holds the lock for too long. */
int table_open(int root_fd, const char *pod, bool create, struct ipc_file *ret);
void table_close(struct ipc_file *f);

int table_lock(const struct ipc_file *f);
void table_unlock(const struct ipc_file *f);

/* Whether a mapping of that size is a table. */
bool table_is_sound(const struct ipc_table *t, size_t size);

/* To be called under the lock. Returns 0, or -1 with errno; ENOSPC when the pod has too many
 * containers. */
int table_add_user(const struct ipc_file *f, const char *id);
/* Returns how many containers are left in the table. */
size_t table_remove_user(struct ipc_table *t, const char *id);

/* The counts in the file, limited to the size of the arrays. */
size_t table_objects(const struct ipc_table *t, enum ipc_kind kind);
size_t table_queues(const struct ipc_table *t);

/* These return NULL when there is no such entry. */
struct ipc_object *table_by_id(struct ipc_table *t, enum ipc_kind kind, int id);
struct ipc_object *table_by_key(struct ipc_table *t, enum ipc_kind kind, int32_t key);
struct ipc_queue *table_by_name(struct ipc_table *t, const char *name);

/* An entry that can be filled. NULL when all are used or the file system of the table is full. */
struct ipc_object *table_free_object(const struct ipc_file *f, enum ipc_kind kind);
struct ipc_queue *table_free_queue(const struct ipc_file *f);

#endif
