/* SPDX-License-Identifier: Apache-2.0
 *
 * The System V objects of the kernel. They are read with SHM_STAT_ANY, SEM_STAT_ANY and
 * MSG_STAT_ANY (shmctl(2)), which need no permission, so the supervisor needs no CAP_IPC_OWNER.
 * They are removed with the identity of their creator, so it needs no CAP_SYS_ADMIN.
 *
 * An id alone does not identify an object: the object may have been removed on the host and its id
 * given to another one. The random key identifies it. A removed segment has no key any more; the
 * process that created it identifies it.
 */
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/ipc/internal.h"

/* An id consists of an index in the low bits and a sequence number above it. The boot parameter
 * ipcmni_extend changes the number of index bits (ipc/util.h of the kernel). */
static const unsigned int index_masks[] = { 0x7fff, 0xffffff };

struct ipc_perm *object_perm(enum ipc_kind kind, union object_stat *st)
{
	switch (kind) {
	case IPC_SHM: return &st->shm.shm_perm;
	case IPC_SEM: return &st->sem.sem_perm;
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return &st->msg.msg_perm;
}

static long stat_any(enum ipc_kind kind, int index, union object_stat *st)
{
	switch (kind) {
	case IPC_SHM: return syscall(SYS_shmctl, index, SHM_STAT_ANY, &st->shm);
	case IPC_SEM: return syscall(SYS_semctl, index, 0, SEM_STAT_ANY, &st->sem);
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return syscall(SYS_msgctl, index, MSG_STAT_ANY, &st->msg);
}

int object_stat(enum ipc_kind kind, int id, union object_stat *ret)
{
	for (size_t i = 0; i < sizeof(index_masks) / sizeof(index_masks[0]); i++)
		if (stat_any(kind, (int)((unsigned int)id & index_masks[i]), ret) == id)
			return 0;
	errno = EINVAL;
	return -1;
}

int object_stat_of(enum ipc_kind kind, const struct ipc_object *o, union object_stat *ret)
{
	if (object_stat(kind, o->id, ret) < 0)
		return -1;
	if (object_perm(kind, ret)->__key == o->host_key && o->state == IPC_LIVE)
		return 0;
	if (kind == IPC_SHM && ret->shm.shm_perm.mode & SHM_DEST &&
		(uint32_t)ret->shm.shm_cpid == o->maker)
		return 0;
	errno = EINVAL;
	return -1;
}

int object_get(enum ipc_kind kind, int32_t key, uint64_t size, int flags)
{
	switch (kind) {
	case IPC_SHM: return (int)syscall(SYS_shmget, key, size, flags);
	case IPC_SEM: return (int)syscall(SYS_semget, key, (int)size, flags);
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return (int)syscall(SYS_msgget, key, flags);
}

static int remove_id(enum ipc_kind kind, int id)
{
	switch (kind) {
	case IPC_SHM: return (int)syscall(SYS_shmctl, id, IPC_RMID, NULL);
	case IPC_SEM: return (int)syscall(SYS_semctl, id, 0, IPC_RMID, NULL);
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return (int)syscall(SYS_msgctl, id, IPC_RMID, NULL);
}

int object_remove(enum ipc_kind kind, int id, union object_stat *st)
{
	const struct ipc_perm *perm = object_perm(kind, st);
	const struct caller owner = { .uid = perm->cuid, .gid = perm->cgid };
	struct act as = { .who = &owner };
	int rc = remove_id(kind, id);

	if (rc == 0 || errno != EPERM || act_begin(&as) < 0)
		return rc;
	rc = remove_id(kind, id);
	act_end(&as);
	return rc;
}

void object_remove_unfinished(enum ipc_kind kind, const struct ipc_object *o)
{
	const int id = object_get(kind, o->host_key, 0, 0);
	union object_stat st;

	if (id >= 0 && object_stat(kind, id, &st) == 0)
		object_remove(kind, id, &st);
}

int object_remove_all(struct ipc_table *t)
{
	int rc = 0;

	for (int k = 0; k < IPC_KINDS; k++) {
		const enum ipc_kind kind = (enum ipc_kind)k;

		for (size_t i = 0; i < table_objects(t, kind); i++) {
			struct ipc_object *o = &t->objects[kind][i];
			union object_stat st;

			if (o->state == IPC_LIVE && object_stat_of(kind, o, &st) == 0 &&
				object_remove(kind, o->id, &st) < 0)
				rc = -1;
		}
	}
	return rc;
}

void object_remove_queue(const struct ipc_queue *q)
{
	const struct caller maker = { .uid = q->uid, .gid = q->gid };
	struct act as = { .who = &maker };
	char name[IPC_HOST_NAME + 1] = "";

	memcpy(name, q->host_name, IPC_HOST_NAME);
	if (syscall(SYS_mq_unlink, name) == 0 || (errno != EACCES && errno != EPERM) ||
		act_begin(&as) < 0)
		return;
	syscall(SYS_mq_unlink, name);
	act_end(&as);
}

bool object_may(const struct ipc_perm *perm, const struct caller *who, unsigned int want)
{
	unsigned int granted = perm->mode;

	if (who->uid == perm->cuid || who->uid == perm->uid)
		granted >>= 6;
	else if (caller_in_group(who, perm->cgid) || caller_in_group(who, perm->gid))
		granted >>= 3;
	return !(want & ~granted & 7) || caller_has_cap(who, CAP_IPC_OWNER);
}
