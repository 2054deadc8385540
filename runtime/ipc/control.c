/* SPDX-License-Identifier: Apache-2.0
 *
 * shmctl, semctl and msgctl, and the operations on an object with an id (shmctl(2), semctl(2),
 * msgctl(2)).
 *
 * Commands that only report on objects are answered here, with the keys that the container gave,
 * and without the objects of others. An object is removed here, under the lock, so that its entry
 * is removed with it. The kernel continues every other command: the id came in a register, and the
 * kernel itself reads the pointers. pace.c describes the case that an object is removed between the
 * check and the call.
 */
#include <linux/capability.h>
#include <sys/stat.h>

#include "runtime/ipc/internal.h"

/* What a command does, for all kinds of objects. */
enum command {
	CMD_UNKNOWN,
	CMD_GO_ON,    /* the kernel continues the call, if the id is the pod's */
	CMD_STAT,     /* by id */
	CMD_STAT_AT,  /* by an index, which here is an index of the pod's table */
	CMD_STAT_ANY, /* the same without the right to read */
	CMD_LIMITS,
	CMD_USED,
	CMD_REMOVE,
};

struct control {
	struct ipc *s;
	const struct notif_call *c;
	enum ipc_kind kind;
	int id; /* or index */
	uint64_t addr;
};

static struct ipc_object *find_id(const struct control *q, union object_stat *st)
{
	struct ipc_object *o = q->s->file.t ? table_by_id(q->s->file.t, q->kind, q->id) : NULL;

	return o && object_stat_of(q->kind, o, st) == 0 ? o : NULL;
}

static struct ipc_object *find_index(const struct control *q, union object_stat *st)
{
	struct ipc_table *t = q->s->file.t;
	struct ipc_object *o;

	if (!t || q->id < 0 || (size_t)q->id >= table_objects(t, q->kind))
		return NULL;
	o = &t->objects[q->kind][q->id];
	if (__atomic_load_n(&o->state, __ATOMIC_ACQUIRE) < IPC_LIVE)
		return NULL;
	return object_stat_of(q->kind, o, st) == 0 ? o : NULL;
}

static size_t stat_size(enum ipc_kind kind)
{
	switch (kind) {
	case IPC_SHM: return sizeof(struct shmid_ds);
	case IPC_SEM: return sizeof(struct semid_ds);
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return sizeof(struct msqid_ds);
}

/* The container must see its own key instead of the kernel's, and its own process as the creator
 * instead of the supervisor. */
static void show(const struct ipc_object *o, enum ipc_kind kind, union object_stat *st)
{
	struct ipc_perm *perm = object_perm(kind, st);

	perm->__key = perm->__key == IPC_PRIVATE ? IPC_PRIVATE : o->key;
	if (kind == IPC_SHM)
		st->shm.shm_cpid = (pid_t)o->creator;
}

static void answer_stat(const struct control *q, enum command cmd, struct notif_verdict *v)
{
	union object_stat st;
	struct ipc_object *o = cmd == CMD_STAT ? find_id(q, &st) : find_index(q, &st);
	struct caller who;

	if (!o) {
		notif_deny(v, EINVAL);
		return;
	}
	if (cmd != CMD_STAT_ANY) {
		if (caller_read(q->c, &who) < 0) {
			notif_deny(v, errno);
			return;
		}
		if (!object_may(object_perm(q->kind, &st), &who, 4)) {
			notif_deny(v, EACCES);
			return;
		}
	}
	show(o, q->kind, &st);
	if (notif_write(q->c, q->addr, &st, stat_size(q->kind)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, cmd == CMD_STAT ? 0 : o->id);
}

/* Removes an object. The kernel keeps a segment, without its key, until the last process detaches
 * it. */
static void answer_remove(const struct control *q, struct notif_verdict *v)
{
	struct ipc_object *o;
	union object_stat st;
	struct caller who;

	if (caller_read(q->c, &who) < 0 || ipc_begin(q->s, false) < 0) {
		notif_deny(v, errno == ENOENT ? EINVAL : errno);
		return;
	}
	o = find_id(q, &st);
	if (!o) {
		notif_deny(v, EINVAL);
	} else if (who.uid != object_perm(q->kind, &st)->cuid &&
		   who.uid != object_perm(q->kind, &st)->uid &&
		   !caller_has_cap(&who, CAP_SYS_ADMIN)) {
		notif_deny(v, EPERM);
	} else if (object_remove(q->kind, o->id, &st) < 0) {
		notif_deny(v, errno);
	} else {
		const uint32_t left = q->kind == IPC_SHM ? IPC_ENDING : IPC_FREE;

		__atomic_store_n(&o->state, left, __ATOMIC_RELEASE);
		notif_return(v, 0);
	}
	ipc_end(q->s);
}

static void go_on(const struct control *q, struct notif_verdict *v)
{
	union object_stat st;

	if (find_id(q, &st))
		notif_continue(v, NOTIF_SCALAR_ARGS);
	else
		notif_deny(v, EINVAL);
}

static void control(const struct control *q, enum command cmd, struct notif_verdict *v)
{
	int problem;

	switch (cmd) {
	case CMD_UNKNOWN: notif_deny(v, EINVAL); return;
	case CMD_GO_ON: go_on(q, v); return;
	case CMD_STAT:
	case CMD_STAT_AT:
	case CMD_STAT_ANY: answer_stat(q, cmd, v); return;
	case CMD_REMOVE: answer_remove(q, v); return;
	case CMD_LIMITS:
	case CMD_USED: break;
	}
	problem = info_answer(q->s, q->c, q->kind, cmd == CMD_USED, q->addr);
	if (problem)
		notif_deny(v, problem);
	else
		notif_return(v, q->s->file.t && table_objects(q->s->file.t, q->kind) > 0
					? (int64_t)table_objects(q->s->file.t, q->kind) - 1
					: 0);
}

void control_shm(struct ipc *s, const struct notif_call *c, struct notif_verdict *v)
{
	const struct control q = { s, c, IPC_SHM, (int)c->args[0], c->args[2] };
	enum command cmd = CMD_UNKNOWN;

	switch ((int)c->args[1]) {
	case IPC_SET:
	case SHM_LOCK:
	case SHM_UNLOCK: cmd = CMD_GO_ON; break;
	case IPC_STAT: cmd = CMD_STAT; break;
	case SHM_STAT: cmd = CMD_STAT_AT; break;
	case SHM_STAT_ANY: cmd = CMD_STAT_ANY; break;
	case IPC_INFO: cmd = CMD_LIMITS; break;
	case SHM_INFO: cmd = CMD_USED; break;
	case IPC_RMID: cmd = CMD_REMOVE; break;
	}
	control(&q, cmd, v);
}

void control_sem(struct ipc *s, const struct notif_call *c, struct notif_verdict *v)
{
	const struct control q = { s, c, IPC_SEM, (int)c->args[0], c->args[3] };
	enum command cmd = CMD_UNKNOWN;

	switch ((int)c->args[2]) {
	case IPC_SET:
	case GETALL:
	case GETNCNT:
	case GETPID:
	case GETVAL:
	case GETZCNT:
	case SETALL:
	case SETVAL: cmd = CMD_GO_ON; break;
	case IPC_STAT: cmd = CMD_STAT; break;
	case SEM_STAT: cmd = CMD_STAT_AT; break;
	case SEM_STAT_ANY: cmd = CMD_STAT_ANY; break;
	case IPC_INFO: cmd = CMD_LIMITS; break;
	case SEM_INFO: cmd = CMD_USED; break;
	case IPC_RMID: cmd = CMD_REMOVE; break;
	}
	control(&q, cmd, v);
}

void control_msg(struct ipc *s, const struct notif_call *c, struct notif_verdict *v)
{
	const struct control q = { s, c, IPC_MSG, (int)c->args[0], c->args[2] };
	enum command cmd = CMD_UNKNOWN;

	switch ((int)c->args[1]) {
	case IPC_SET: cmd = CMD_GO_ON; break;
	case IPC_STAT: cmd = CMD_STAT; break;
	case MSG_STAT: cmd = CMD_STAT_AT; break;
	case MSG_STAT_ANY: cmd = CMD_STAT_ANY; break;
	case IPC_INFO: cmd = CMD_LIMITS; break;
	case MSG_INFO: cmd = CMD_USED; break;
	case IPC_RMID: cmd = CMD_REMOVE; break;
	}
	control(&q, cmd, v);
}

void control_use(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, struct notif_verdict *v)
{
	const struct control q = { s, c, kind, (int)c->args[0], 0 };

	go_on(&q, v);
}
