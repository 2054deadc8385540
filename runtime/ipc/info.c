/* SPDX-License-Identifier: Apache-2.0
 *
 * IPC_INFO, SHM_INFO, SEM_INFO and MSG_INFO: the limits of the pod, or the kernel's where the pod
 * has none of its own, and what the pod uses.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/ipc/internal.h"

struct used {
	int objects;
	uint64_t pages, sems, bytes, messages;
};

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static struct used count_used(const struct ipc *s, enum ipc_kind kind)
{
	struct used u = { 0 };

	for (size_t i = 0; s->file.t && i < table_objects(s->file.t, kind); i++) {
		const struct ipc_object *o = &s->file.t->objects[kind][i];
		union object_stat st;

		if (o->state < IPC_LIVE || object_stat_of(kind, o, &st) < 0)
			continue;
		u.objects++;
		if (kind == IPC_SHM)
			u.pages += (st.shm.shm_segsz + page_size() - 1) / page_size();
		if (kind == IPC_SEM)
			u.sems += st.sem.sem_nsems;
		if (kind == IPC_MSG) {
			u.bytes += st.msg.__msg_cbytes;
			u.messages += st.msg.msg_qnum;
		}
	}
	return u;
}

static int write_info(const struct notif_call *c, uint64_t addr, const void *data, size_t n)
{
	return notif_write(c, addr, data, n) < 0 ? EFAULT : 0;
}

static int shm_limits(const struct ipc *s, const struct notif_call *c, uint64_t addr)
{
	struct shminfo info;

	if (syscall(SYS_shmctl, 0, IPC_INFO, &info) < 0)
		return errno;
	info.shmmni = info.shmseg = s->limits.shm_segments;
	info.shmall = s->limits.shm_bytes / page_size();
	return write_info(c, addr, &info, sizeof(info));
}

static int shm_used(const struct ipc *s, const struct notif_call *c, uint64_t addr)
{
	const struct used u = count_used(s, IPC_SHM);
	struct shm_info info = { .used_ids = u.objects, .shm_tot = u.pages };

	return write_info(c, addr, &info, sizeof(info));
}

static int sem_info(const struct ipc *s, const struct notif_call *c, bool used, uint64_t addr)
{
	const struct used u = count_used(s, IPC_SEM);
	struct seminfo info;

	if (syscall(SYS_semctl, 0, 0, IPC_INFO, &info) < 0)
		return errno;
	info.semmni = (int)s->limits.sem_sets;
	info.semmns = (int)s->limits.semaphores;
	if (used) {
		info.semusz = u.objects;
		info.semaem = (int)u.sems;
	}
	return write_info(c, addr, &info, sizeof(info));
}

static int msg_info(const struct ipc *s, const struct notif_call *c, bool used, uint64_t addr)
{
	const struct used u = count_used(s, IPC_MSG);
	struct msginfo info;

	if (syscall(SYS_msgctl, 0, IPC_INFO, &info) < 0)
		return errno;
	info.msgmni = (int)s->limits.msg_queues;
	if (used) {
		info.msgpool = u.objects;
		info.msgmap = (int)u.messages;
		info.msgtql = (int)u.bytes;
	}
	return write_info(c, addr, &info, sizeof(info));
}

int info_answer(
	struct ipc *s, const struct notif_call *c, enum ipc_kind kind, bool used, uint64_t addr)
{
	switch (kind) {
	case IPC_SHM: return used ? shm_used(s, c, addr) : shm_limits(s, c, addr);
	case IPC_SEM: return sem_info(s, c, used, addr);
	case IPC_MSG:
	case IPC_KINDS: break;
	}
	return msg_info(s, c, used, addr);
}
