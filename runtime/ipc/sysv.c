/* SPDX-License-Identifier: Apache-2.0
 *
 * shmget, semget and msgget: translate a key of the container to an object of the pod (ipcget() in
 * ipc/util.c of the kernel; shmget(2), semget(2), msgget(2)). This file also decides which function
 * handles each System V call.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/ipc/internal.h"

/* How many random keys are tried. Even two in a row that are in use are very improbable. */
#define KEY_TRIES 8

struct sysv_request {
	enum ipc_kind kind;
	int32_t key;
	uint64_t size; /* bytes of a segment, or number of semaphores */
	int flags;
	struct caller who;
};

struct usage {
	size_t objects;
	uint64_t size;
};

/* Counts what the pod uses, and frees the entries whose object is gone. */
static struct usage usage_of(struct ipc_table *t, enum ipc_kind kind)
{
	struct usage u = { 0 };

	for (size_t i = 0; i < table_objects(t, kind); i++) {
		struct ipc_object *o = &t->objects[kind][i];
		union object_stat st;

		if (o->state == IPC_FREE)
			continue;
		if (object_stat_of(kind, o, &st) < 0) {
			o->state = IPC_FREE;
			continue;
		}
		u.objects++;
		u.size += o->size;
	}
	return u;
}

/* Returns 0, or the errno that the kernel uses for its own limits. */
static int check_limits(const struct ipc *s, const struct sysv_request *rq)
{
	const struct plan_ipc_limits *l = &s->limits;
	const struct usage u = usage_of(s->file.t, rq->kind);
	uint64_t max_objects = l->msg_queues, max_size = UINT64_MAX;

	if (rq->kind == IPC_SHM) {
		max_objects = l->shm_segments;
		max_size = l->shm_bytes;
	} else if (rq->kind == IPC_SEM) {
		max_objects = l->sem_sets;
		max_size = l->semaphores;
	}
	if (u.objects >= max_objects || rq->size > max_size || u.size > max_size - rq->size)
		return ENOSPC;
	return 0;
}

/* Creates an object as the caller, under a new key. Returns the id, or -1 with errno. */
static int make_object(const struct sysv_request *rq, struct ipc_object *o)
{
	const int flags = rq->flags | IPC_CREAT | IPC_EXCL;
	struct act as = { .who = &rq->who };
	int id = -1;

	for (int i = 0; i < KEY_TRIES; i++) {
		if (ipc_random(&o->host_key, sizeof(o->host_key)) < 0)
			return -1;
		if (act_begin(&as) < 0)
			return -1;
		id = object_get(rq->kind, o->host_key, rq->size, flags);
		act_end(&as);
		if (id >= 0 || errno != EEXIST)
			break;
	}
	return id;
}

static int make_entry(struct ipc *s, const struct sysv_request *rq)
{
	int problem = pace_take(s) ? check_limits(s, rq) : ENOSPC;
	struct ipc_table *t = s->file.t;
	struct ipc_object *o;
	int id;

	if (problem) {
		errno = problem;
		return -1;
	}
	o = table_free_object(&s->file, rq->kind);
	if (!o) {
		errno = ENOSPC;
		return -1;
	}
	*o = (struct ipc_object){
		.state = IPC_FREE,
		.key = rq->key,
		.maker = (uint32_t)getpid(),
		.creator = (uint32_t)rq->who.tgid,
		.size = rq->size,
	};
	t->making = 1;
	o->state = IPC_MAKING;
	id = make_object(rq, o);
	if (id >= 0)
		o->id = id;
	__atomic_store_n(&o->state, id >= 0 ? IPC_LIVE : IPC_FREE, __ATOMIC_RELEASE);
	t->making = 0;
	return id;
}

/* Returns the id, or -1 with errno. The checks are in the kernel's order. */
static int use_object(
	const struct sysv_request *rq, const struct ipc_object *o, union object_stat *st)
{
	const unsigned int flags = (unsigned int)rq->flags;
	const bool too_small = (rq->kind == IPC_SHM && st->shm.shm_segsz < rq->size) ||
			       (rq->kind == IPC_SEM && st->sem.sem_nsems < rq->size);

	if ((flags & (IPC_CREAT | IPC_EXCL)) == (IPC_CREAT | IPC_EXCL))
		errno = EEXIST;
	else if (too_small)
		errno = EINVAL;
	else if (!object_may(object_perm(rq->kind, st), &rq->who, flags >> 6 | flags >> 3 | flags))
		errno = EACCES;
	else
		return o->id;
	return -1;
}

/* To be called under the lock. */
static int find_or_make_object(struct ipc *s, const struct sysv_request *rq)
{
	struct ipc_object *o = table_by_key(s->file.t, rq->kind, rq->key);
	union object_stat st;

	if (o && object_stat_of(rq->kind, o, &st) < 0) {
		o->state = IPC_FREE;
		o = NULL;
	} else if (o && object_perm(rq->kind, &st)->__key == IPC_PRIVATE) {
		o->state = IPC_ENDING; /* removed on the host, but still attached */
		o = NULL;
	}
	if (o)
		return use_object(rq, o, &st);
	if (rq->key != IPC_PRIVATE && !(rq->flags & IPC_CREAT)) {
		errno = ENOENT;
		return -1;
	}
	return make_entry(s, rq);
}

static void on_get(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, struct notif_verdict *v)
{
	struct sysv_request rq = { .kind = kind, .key = (int32_t)c->args[0] };
	int id;

	if (kind == IPC_SHM)
		rq.size = c->args[1];
	else if (kind == IPC_SEM)
		rq.size = (uint32_t)c->args[1];
	rq.flags = (int)c->args[kind == IPC_MSG ? 1 : 2];
	/* semget(2) checks the size before it looks for the key. */
	if (kind == IPC_SEM && rq.size > INT32_MAX) {
		notif_deny(v, EINVAL);
		return;
	}
	if (caller_read(c, &rq.who) < 0 ||
		ipc_begin(s, rq.key == IPC_PRIVATE || rq.flags & IPC_CREAT) < 0) {
		notif_deny(v, errno);
		return;
	}
	id = find_or_make_object(s, &rq);
	notif_result(v, id);
	ipc_end(s);
}

void ipc_on_sysv(const struct notif_call *c, struct notif_verdict *v, void *ipc)
{
	switch (c->nr) {
	case SYS_shmget: on_get(ipc, c, IPC_SHM, v); return;
	case SYS_semget: on_get(ipc, c, IPC_SEM, v); return;
	case SYS_msgget: on_get(ipc, c, IPC_MSG, v); return;
	case SYS_shmctl: control_shm(ipc, c, v); return;
	case SYS_semctl: control_sem(ipc, c, v); return;
	case SYS_msgctl: control_msg(ipc, c, v); return;
	case SYS_shmat: control_use(ipc, c, IPC_SHM, v); return;
	case SYS_semop:
	case SYS_semtimedop: control_use(ipc, c, IPC_SEM, v); return;
	case SYS_msgsnd:
	case SYS_msgrcv: control_use(ipc, c, IPC_MSG, v); return;
	default: notif_deny(v, ENOSYS); return;
	}
}
