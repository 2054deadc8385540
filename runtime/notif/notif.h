/* SPDX-License-Identifier: Apache-2.0
 *
 * Seccomp user notifications (seccomp_unotify(2)). Only this room uses the listener. It does not
 * decide about calls: the other rooms register handlers.
 *
 * A verdict starts as "deny with EPERM", so a handler that decides nothing denies the call. A
 * handler that lets the kernel continue a call must give the reason, because the caller can change
 * its memory after the check: only calls that are decided by values in registers may continue, and
 * the cases of enum notif_excuse. A failure denies the call; it never ends the supervisor.
 */
#ifndef SANDLOCK_NOTIF_NOTIF_H
#define SANDLOCK_NOTIF_NOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "runtime/base/brief.h"
#include "runtime/base/err.h"
#include "runtime/seccomp/syscalls.h"

/* pidfds of recent callers. A pidfd of a thread that has ended refers to nothing, even when another
 * thread has its number now. */
#define NOTIF_PIDFDS 16
struct notif_pidfds {
	struct {
		pid_t pid; /* 0: none */
		int fd;
	} of[NOTIF_PIDFDS];
	size_t next;
};

struct notif_call {
	struct notif_pidfds *pidfds;
	struct brief *brief; /* performs copies that may be slow in a child process */
	int listener_fd;
	int proc_fd;
	uint64_t id;
	pid_t pid; /* thread id of the caller */
	int nr;
	uint64_t args[6];
	const struct syscall_row *row;
};

enum notif_action {
	NOTIF_DENY = 0,
	NOTIF_RETURN,
	NOTIF_CONTINUE,
	NOTIF_FD,    /* the caller gets a descriptor, and its number is the result */
	NOTIF_LATER, /* the handler keeps the call and answers with notif_answer() */
};

enum notif_excuse {
	NOTIF_NO_EXCUSE = 0,
	NOTIF_SCALAR_ARGS, /* the arguments that decide came in registers */
	/* not an internet socket: whatever the caller exchanges, Landlock and the filter still
	 * apply */
	NOTIF_OTHER_FAMILY,
	/* a datagram socket where no rule names datagrams: it was shut down for sending
	 * (runtime/view) */
	NOTIF_CARRIES_NOTHING,
	/* the answer protects nothing: whatever the path refers to later, the mount tree, Landlock
	 * and the filter apply */
	NOTIF_NOT_FENCED,
	NOTIF_ONLY_ANSWERS, /* the call changes nothing; only its result was of interest */
};

struct notif_verdict {
	enum notif_action action;
	int error;     /* NOTIF_DENY: errno; 0 means EPERM */
	int64_t value; /* NOTIF_RETURN */
	enum notif_excuse excuse;
	int fd;       /* NOTIF_FD: the supervisor's descriptor, which is closed after the answer */
	bool cloexec; /* NOTIF_FD: the caller's descriptor gets O_CLOEXEC */
};

void notif_return(struct notif_verdict *v, int64_t value);
void notif_deny(struct notif_verdict *v, int error);
/* Sets the result of a call that the supervisor made: rc, or errno if rc is negative. */
void notif_result(struct notif_verdict *v, int64_t rc);
void notif_continue(struct notif_verdict *v, enum notif_excuse excuse);

/* Takes ownership of the descriptor. If the caller's table is full, the call fails as it would have
 * failed in the kernel. */
void notif_give(struct notif_verdict *v, int *fd, bool cloexec);

void notif_later(struct notif_verdict *v);

typedef void (*notif_handler)(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* Calls with a number below this are counted one by one. It covers all numbers of today. */
#define NOTIF_NR_END 512

struct notif_answerer {
	notif_handler handle;
	void *ctx;
};

/* How many calls can have a handler of their own. */
#define NOTIF_OVERRIDES_MAX 32

struct notif {
	int listener_fd;
	int proc_fd; /* the host's /proc; the owner's */
	struct notif_answerer handlers[NOTIFY_COUNT];
	struct notif_answerer overrides[NOTIF_OVERRIDES_MAX];
	int16_t override_nr[NOTIF_OVERRIDES_MAX]; /* the number of each call */
	size_t n_overrides;
	uint64_t total;
	uint32_t counts[NOTIF_NR_END]; /* by syscall number */
	struct notif_pidfds pidfds;
	struct brief brief;
};

/* Takes ownership of the listener, and enables faster wake-ups if the kernel has them (Linux
 * 6.6). */
void notif_open(struct notif *n, int listener_fd, int proc_fd);

/* Registers the handler for a kind of calls. Without a handler these calls are denied. */
void notif_handle(struct notif *n, enum notify_kind kind, notif_handler handle, void *ctx);

/* Registers a handler for one call; it is used instead of the handler for the call's kind. A later
 * handler replaces an earlier one. The filter decides whether there are notifications for this call
 * at all (syscalls.h). Returns 0, or -1 with ENOSPC when there is no room. */
int notif_override(struct notif *n, int nr, notif_handler handle, void *ctx);

/* Answers one pending notification. events: the result of epoll_wait(2) or poll(2) for the
 * listener. Returns false when the last task with the filter is gone. */
bool notif_serve(struct notif *n, uint32_t events);

/* Answers a call whose verdict was NOTIF_LATER. */
void notif_answer(const struct notif_call *c, const struct notif_verdict *v);

/* Whether the caller still waits. It may have been killed. */
bool notif_waits(const struct notif_call *c);

/* A pidfd that certainly refers to the caller, even if its number was reused. Before Linux 6.9 the
 * pidfd refers to the caller's thread group. The struct notif_call does not own it. Returns the
 * pidfd, or -1 with errno. */
int notif_pidfd(const struct notif_call *c);

/*
 * The next two functions do not check that the caller still waits: another process may have its
 * number, or another thread of it may have executed a program. Use their results only after
 * notif_waits() has returned true, or after a function below has succeeded.
 *
 * notif_take_fd() returns a duplicate of the caller's descriptor, or -1 with errno. If it is not a
 * socket, close it with brief_close(); as long as such a close has not finished, no other
 * descriptor is returned (EIO).
 */
int notif_take_fd(const struct notif_call *c, int fd);
/* Copies all parts from the caller's memory. Returns 0, or -1 with EFAULT. */
int notif_copy(const struct notif_call *c, const struct iovec *mine, size_t n_mine,
	const struct iovec *theirs, size_t n_theirs);

/* These copy from or to the caller's memory, and check that it was the caller's: another process
 * may get its number, or another thread may execute a program with more rights. A page that does
 * not arrive within a second counts as missing (EFAULT). They return 0, or -1 with errno. */
int notif_read(const struct notif_call *c, uint64_t addr, void *buf, size_t n);
/* Reads a string with its NUL. ENAMETOOLONG: there is no NUL within the size. The string is read
 * page by page, because the page after its end may be missing. */
int notif_read_string(const struct notif_call *c, uint64_t addr, char *buf, size_t size);
int notif_write(const struct notif_call *c, uint64_t addr, const void *buf, size_t n);

#endif
