/* SPDX-License-Identifier: Apache-2.0
 *
 * mq_open and mq_unlink (mq_overview(7)). A name of the container stands for a queue of the host
 * with a random name. The supervisor opens the queue as the caller and passes the descriptor to it.
 * All other operations on a queue use the descriptor.
 *
 * The kernel charges a queue to the real user of the process that creates it (RLIMIT_MSGQUEUE).
 * Here the real user is a number that belongs to the pod, so the pod does not use up the limit of a
 * user of the host, its own limit holds, and queues that are unlinked but still open count. The
 * kernel's limit on the number of queues is for the whole host, and one pod could keep the others
 * from creating any. Therefore the supervisor is exempt from it (CAP_SYS_RESOURCE). This exempts it
 * from the limits on messages as well, so it checks those itself.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/ipc/internal.h"

/* What the kernel charges for a message in addition to its text: a struct msg_msg and a node of the
 * tree of priorities (mqueue_get_inode() in ipc/mqueue.c of the kernel). */
#define MESSAGE_OVERHEAD 96

struct mq_request {
	char name[IPC_NAME_SIZE];
	int flags;
	mode_t mode;
	bool has_attr;
	struct mq_attr attr;
	struct caller who;
};

/* Returns 0, or an errno. */
static int read_mq_name(const struct notif_call *c, char name[IPC_NAME_SIZE])
{
	if (notif_read_string(c, c->args[0], name, IPC_NAME_SIZE) < 0)
		return errno;
	if (name[0] == '\0')
		return ENOENT;
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return EACCES;
	return 0;
}

static long setting(const struct ipc *s, const char *name, long otherwise)
{
	char path[64], text[32];

	snprintf(path, sizeof(path), "sys/fs/mqueue/%s", name);
	return io_slurp(s->proc_fd, path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10)
								  : otherwise;
}

/* Checks the attributes as the kernel's mq_attr_ok() does for callers without CAP_SYS_RESOURCE, and
 * checks the size against the caller's own limit. Returns 0, or an errno. */
static int check_attr(const struct ipc *s, const struct notif_call *c, struct mq_request *rq)
{
	const bool exempt = caller_has_cap(&rq->who, CAP_SYS_RESOURCE);
	struct mq_attr *a = &rq->attr;
	struct rlimit limit;

	if (!rq->has_attr) {
		a->mq_maxmsg = setting(s, "msg_default", 10);
		a->mq_msgsize = setting(s, "msgsize_default", 8192);
	}
	if (a->mq_maxmsg <= 0 || a->mq_msgsize <= 0 || a->mq_maxmsg > INT32_MAX ||
		a->mq_msgsize > INT32_MAX)
		return EINVAL;
	if (!exempt && (a->mq_maxmsg > setting(s, "msg_max", 10) ||
			       a->mq_msgsize > setting(s, "msgsize_max", 8192)))
		return EINVAL;
	if (prlimit(c->pid, RLIMIT_MSGQUEUE, NULL, &limit) < 0)
		return errno;
	if ((uint64_t)a->mq_maxmsg * ((uint64_t)a->mq_msgsize + MESSAGE_OVERHEAD) > limit.rlim_cur)
		return EMFILE;
	return 0;
}

static int open_as(const struct act *as, const char *host_name, const struct mq_request *rq)
{
	struct act act = *as;
	struct mq_attr attr = rq->attr;
	int fd;

	if (act_begin(&act) < 0)
		return -1;
	fd = (int)syscall(SYS_mq_open, host_name, rq->flags, rq->mode & ~rq->who.umask, &attr);
	act_end(&act);
	return fd;
}

static size_t count_names(struct ipc_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < table_queues(t); i++)
		n += t->queues[i].state == IPC_LIVE;
	return n;
}

/* Returns the descriptor, or -1 with errno. */
static int make_queue(struct ipc *s, const struct notif_call *c, struct mq_request *rq)
{
	struct act as = {
		.who = &rq->who,
		.account = s->file.t->account,
		.caps = 1ULL << CAP_SYS_RESOURCE,
	};
	struct ipc_table *t = s->file.t;
	int fd, problem = check_attr(s, c, rq);
	uint64_t number[2];
	struct ipc_queue *q;

	if (!problem && count_names(t) >= s->limits.posix_queues)
		problem = ENOSPC;
	q = problem ? NULL : table_free_queue(&s->file);
	if (!q) {
		errno = problem ? problem : ENOSPC;
		return -1;
	}
	if (ipc_random(number, sizeof(number)) < 0)
		return -1;
	memset(q, 0, sizeof(*q));
	q->uid = rq->who.uid;
	q->gid = rq->who.gid;
	memcpy(q->name, rq->name, sizeof(q->name));
	snprintf(q->host_name, sizeof(q->host_name), "%016llx%016llx",
		(unsigned long long)number[0], (unsigned long long)number[1]);
	t->making = 1;
	q->state = IPC_MAKING;
	rq->flags |= O_EXCL;
	fd = open_as(&as, q->host_name, rq);
	__atomic_store_n(&q->state, fd >= 0 ? IPC_LIVE : IPC_FREE, __ATOMIC_RELEASE);
	t->making = 0;
	return fd;
}

/* The supervisor does not use CAP_DAC_OVERRIDE. For a caller that has this capability it opens the
 * queue as the queue's creator. */
static int open_queue(const struct ipc_queue *q, const struct mq_request *rq)
{
	struct caller maker = { .uid = q->uid, .gid = q->gid };
	struct act as = { .who = &rq->who };
	int fd = open_as(&as, q->host_name, rq);

	if (fd >= 0 || errno != EACCES || !caller_has_cap(&rq->who, CAP_DAC_OVERRIDE))
		return fd;
	as.who = &maker;
	return open_as(&as, q->host_name, rq);
}

static int find_or_make_queue(struct ipc *s, const struct notif_call *c, struct mq_request *rq)
{
	struct ipc_queue *q = table_by_name(s->file.t, rq->name);

	if (q) {
		struct mq_request existing = *rq;
		int fd;

		if ((rq->flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
			errno = EEXIST;
			return -1;
		}
		existing.flags &= ~(O_CREAT | O_EXCL);
		fd = open_queue(q, &existing);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		q->state = IPC_FREE; /* the queue was removed on the host */
	}
	if (!(rq->flags & O_CREAT)) {
		errno = ENOENT;
		return -1;
	}
	return make_queue(s, c, rq);
}

/* Returns 0, or an errno. */
static int read_request(const struct notif_call *c, struct mq_request *rq)
{
	int problem;

	*rq = (struct mq_request){ .flags = (int)c->args[1], .mode = (mode_t)c->args[2] & 07777 };
	rq->has_attr = c->args[3] != 0;
	if (rq->has_attr && notif_read(c, c->args[3], &rq->attr, sizeof(rq->attr)) < 0)
		return errno;
	problem = read_mq_name(c, rq->name);
	if (problem)
		return problem;
	return caller_read(c, &rq->who) < 0 ? errno : 0;
}

void ipc_on_mq_open(const struct notif_call *c, struct notif_verdict *v, void *ipc)
{
	struct ipc *s = ipc;
	auto_fd int fd = -1;
	struct mq_request rq;
	int problem = read_request(c, &rq);

	if (problem || ipc_begin(s, rq.flags & O_CREAT) < 0) {
		notif_deny(v, problem ? problem : errno);
		return;
	}
	fd = find_or_make_queue(s, c, &rq);
	if (fd < 0)
		notif_deny(v, errno);
	else
		notif_give(v, &fd, true);
	ipc_end(s);
}

void ipc_on_mq_unlink(const struct notif_call *c, struct notif_verdict *v, void *ipc)
{
	struct ipc *s = ipc;
	char name[IPC_NAME_SIZE] = "";
	struct ipc_queue *q;
	struct caller who;
	struct act as = { .who = &who };
	int problem = read_mq_name(c, name);

	if (problem || caller_read(c, &who) < 0 || ipc_begin(s, false) < 0) {
		notif_deny(v, problem ? problem : errno);
		return;
	}
	q = table_by_name(s->file.t, name);
	if (!q) {
		notif_deny(v, ENOENT);
	} else if (act_begin(&as) < 0) {
		notif_deny(v, errno);
	} else {
		long rc = syscall(SYS_mq_unlink, q->host_name);

		act_end(&as);
		notif_result(v, rc);
		if (rc == 0 || errno == ENOENT)
			q->state = IPC_FREE;
	}
	ipc_end(s);
}
