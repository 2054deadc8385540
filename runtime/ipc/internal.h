/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the files of this room share. A file uses only functions of the files that come
 * before it in this header.
 */
#ifndef SANDLOCK_IPC_INTERNAL_H
#define SANDLOCK_IPC_INTERNAL_H

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include "runtime/base/tokens.h"
#include "runtime/caller/caller.h"
#include "runtime/ipc/ipc.h"
#include "runtime/ipc/table.h"

struct ipc {
	struct plan_ipc_limits limits;
	int root_fd;
	int proc_fd;
	const char *id;
	const char *pod;
	struct ipc_file file;  /* fd -1: the pod has no table yet */
	struct tokens makings; /* limits how fast objects are created, see pace.c */
};

/* object.c: the System V objects of the kernel. */
union object_stat {
	struct shmid_ds shm;
	struct semid_ds sem;
	struct msqid_ds msg;
};

/* The kernel's ipcperms(). want: the three permission bits that are needed. */
bool object_may(const struct ipc_perm *perm, const struct caller *who, unsigned int want);
struct ipc_perm *object_perm(enum ipc_kind kind, union object_stat *st);
/* Reads the object with this id, without the right to read. Returns 0, or -1 with errno. */
int object_stat(enum ipc_kind kind, int id, union object_stat *ret);
/* Reads the object of an entry. Returns -1 if the object is gone; another object may have its id
 * now. */
int object_stat_of(enum ipc_kind kind, const struct ipc_object *o, union object_stat *ret);
int object_get(enum ipc_kind kind, int32_t key, uint64_t size, int flags);
/* IPC_RMID with the identity of the object's owner. */
int object_remove(enum ipc_kind kind, int id, union object_stat *st);
/* Removes the object under the key of an entry whose supervisor was killed before it finished the
 * entry. */
void object_remove_unfinished(enum ipc_kind kind, const struct ipc_object *o);
void object_remove_queue(const struct ipc_queue *q);
/* Returns 0, or -1 with errno when an object could not be removed. */
int object_remove_all(struct ipc_table *t);

/* ipc.c */
/* Locks the pod's table; create: makes a missing one. Returns 0, or -1 with errno; ENOENT: there is
 * no table. */
int ipc_begin(struct ipc *s, bool create);
void ipc_end(struct ipc *s);
/* Fills the buffer with random bytes that are not all zero. Returns 0, or -1 with errno. */
int ipc_random(void *buf, size_t n);

/* pace.c */
bool pace_take(struct ipc *s);

/* info.c: answers IPC_INFO (used: SHM_INFO, SEM_INFO or MSG_INFO). Returns 0, or an errno. */
int info_answer(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, bool used, uint64_t addr);

/* control.c */
void control_shm(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
void control_sem(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
void control_msg(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
/* An operation on an object with an id: the kernel continues it if the object is the pod's. */
void control_use(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, struct notif_verdict *v);

#endif
