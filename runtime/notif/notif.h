/* SPDX-License-Identifier: Apache-2.0
 *
 * Seccomp user notifications (seccomp_unotify(2)): the only place that talks to the
 * listener. Knows no room: what a call means is decided by the handlers passed in.
 *
 * A verdict starts as "deny EPERM", so a handler that forgets to decide denies. Letting
 * the kernel continue must name its excuse, because the caller can change its memory
 * after the look: only calls whose decision rests on registers may continue.
 * Failure regime: never die, deny.
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

/* Of callers that have called before. One of a thread that has ended leads nowhere, also when its
 * number is another thread's by now. */
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
	struct brief *brief; /* who copies what may be slow */
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
	NOTIF_FD,    /* the caller gets a descriptor, which is the result */
	NOTIF_LATER, /* the handler keeps the call and answers with notif_answer() */
};

enum notif_excuse {
	NOTIF_NO_EXCUSE = 0,
	NOTIF_SCALAR_ARGS,     /* what was judged came in registers */
	NOTIF_OTHER_FAMILY,    /* it is no internet socket, and whatever the caller puts in its
				* place or into its memory, Landlock and the filter still bound */
	NOTIF_CARRIES_NOTHING, /* a datagram socket where no rule is about datagrams: it was
				* shut down for sending (runtime/view) */
	NOTIF_NOT_FENCED,      /* whatever the path turns out to be by then, the tree, Landlock and
				* the filter bound it: no answer is for protection */
	NOTIF_ONLY_ANSWERS,    /* the call changes nothing: it is about what the caller is told
				*/
};

struct notif_verdict {
	enum notif_action action;
	int error;     /* NOTIF_DENY: errno; 0 means EPERM */
	int64_t value; /* NOTIF_RETURN */
	enum notif_excuse excuse;
	int fd;       /* NOTIF_FD: ours, closed with the answer */
	bool cloexec; /* NOTIF_FD: as the caller gets it */
};

void notif_return(struct notif_verdict *v, int64_t value);
void notif_deny(struct notif_verdict *v, int error);
/* Of a call that was made for the caller: its result or, when that is negative, errno. */
void notif_result(struct notif_verdict *v, int64_t rc);
void notif_continue(struct notif_verdict *v, enum notif_excuse excuse);

/* Takes the descriptor. Where the caller has no room for it the call fails as it would have
 * without us. */
void notif_give(struct notif_verdict *v, int *fd, bool cloexec);

void notif_later(struct notif_verdict *v);

typedef void (*notif_handler)(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* Counted one by one below this number; every call of today is. */
#define NOTIF_NR_END 512

struct notif_answerer {
	notif_handler handle;
	void *ctx;
};

/* Of more calls than these nobody has an answer of their own. */
#define NOTIF_OVERRIDES_MAX 32

struct notif {
	int listener_fd;
	int proc_fd; /* the host's /proc; the owner's */
	struct notif_answerer handlers[NOTIFY_COUNT];
	struct notif_answerer overrides[NOTIF_OVERRIDES_MAX];
	int16_t override_nr[NOTIF_OVERRIDES_MAX]; /* the call of each */
	size_t n_overrides;
	uint64_t total;
	uint32_t counts[NOTIF_NR_END]; /* by syscall number */
	struct notif_pidfds pidfds;
	struct brief brief;
};

/* Takes the listener over and asks the kernel for cheap wake-ups where it has them (6.6). */
void notif_open(struct notif *n, int listener_fd, int proc_fd);

/* Who answers the calls of a kind. Without one they are denied. */
void notif_handle(struct notif *n, enum notify_kind kind, notif_handler handle, void *ctx);

/* Who answers this call instead of who answers its kind; the last one that was set does. Whether
 * the filter asks about it at all is its verdict's (syscalls.h). -1 with ENOSPC: there is no room,
 * and nothing has changed. */
int notif_override(struct notif *n, int nr, notif_handler handle, void *ctx);

/* Answers one pending call; events: what epoll_wait(2) or poll(2) has said of the listener. Returns
 * false when the last confined task is gone. */
bool notif_serve(struct notif *n, uint32_t events);

/* Answers a call that was kept. */
void notif_answer(const struct notif_call *c, const struct notif_verdict *v);

/* Whether the caller still waits: it may have been killed. */
bool notif_waits(const struct notif_call *c);

/* A pidfd of the caller, certainly of it and of nobody who got its number. Before 6.9 it is of
 * the thread's group. Returns it, or -1 with errno. */
int notif_pidfd(const struct notif_call *c);

/* The next two do not make sure of the caller: who used to have its number may have it no more, or
 * another thread of it may have executed a program. What they give must not be used before
 * notif_waits() was true, or one of the functions below good.
 *
 * A duplicate of the caller's descriptor, or -1 with errno. Unless it is a socket it is closed with
 * brief_close(); while one such descriptor is being closed there is no other (EIO). */
int notif_take_fd(const struct notif_call *c, int fd);
/* From the caller's memory, all of it: 0, or -1 with EFAULT. */
int notif_copy(const struct notif_call *c, const struct iovec *mine, size_t n_mine,
	const struct iovec *theirs, size_t n_theirs);

/* Copies from or to the caller's memory, and from or to nobody else's: its number may become that
 * of another process, or another thread of it may execute a program, which may have more rights
 * than the caller. A page that does not come within a second is none (EFAULT). Return 0, or -1 with
 * errno. */
int notif_read(const struct notif_call *c, uint64_t addr, void *buf, size_t n);
/* A string with its NUL. ENAMETOOLONG: it has none within the size. Page by page, because what
 * follows the string may not be there. */
int notif_read_string(const struct notif_call *c, uint64_t addr, char *buf, size_t size);
int notif_write(const struct notif_call *c, uint64_t addr, const void *buf, size_t n);

#endif
