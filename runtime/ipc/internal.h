/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share; each file uses only those above its own.
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
	struct tokens makings; /* see pace.c */
};

/* object.c: the kernel's objects. */
union object_stat {
	struct shmid_ds shm;
	struct semid_ds sem;
	struct msqid_ds msg;
};

/* ipcperms() of the kernel: want has the three bits that are asked for. */
bool object_may(const struct ipc_perm *perm, const struct caller *who, unsigned int want);
struct ipc_perm *object_perm(enum ipc_kind kind, union object_stat *st);
/* By the number alone, whoever may read it. Returns 0, or -1 with errno. */
int object_stat(enum ipc_kind kind, int id, union object_stat *ret);
/* What an entry stands for; -1: it is gone, and its number may be anybody's. */
int object_stat_of(enum ipc_kind kind, const struct ipc_object *o, union object_stat *ret);
int object_get(enum ipc_kind kind, int32_t key, uint64_t size, int flags);
/* IPC_RMID as its owner. */
int object_remove(enum ipc_kind kind, int id, union object_stat *st);
/* What stands under the key of an entry whose maker was killed. */
void object_remove_unfinished(enum ipc_kind kind, const struct ipc_object *o);
void object_remove_queue(const struct ipc_queue *q);
/* Returns 0, or -1 with errno when one is still there. */
int object_remove_all(struct ipc_table *t);

/* ipc.c */
/* Locks the pod's table, which is made when create. -1 with errno; ENOENT: there is none. */
int ipc_begin(struct ipc *s, bool create);
void ipc_end(struct ipc *s);
/* Random and different from zero. Returns 0, or -1 with errno. */
int ipc_random(void *buf, size_t n);

/* pace.c */
bool pace_take(struct ipc *s);

/* info.c: what IPC_INFO and its kin say. Returns 0, or an errno. */
int info_answer(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, bool used, uint64_t addr);

/* control.c */
void control_shm(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
void control_sem(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
void control_msg(struct ipc *s, const struct notif_call *c, struct notif_verdict *v);
/* An operation on what an id names: it goes on when that is the pod's. */
void control_use(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, struct notif_verdict *v);

#endif
