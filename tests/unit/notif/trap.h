/* SPDX-License-Identifier: Apache-2.0
 *
 * A child whose uname(2) is trapped, with a real listener.
 */
#ifndef SANDLOCK_TESTS_UNIT_NOTIF_TRAP_H
#define SANDLOCK_TESTS_UNIT_NOTIF_TRAP_H

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/proc.h"
#include "runtime/notif/notif.h"
#include "tests/unit/check.h"

#define TRAP_WAIT_MS 10000

/* Shared with the child: what its calls gave. */
struct trap_shared {
	int listener;
	long result;
	int error;
	int cloexec;
};

struct trap {
	struct notif notif;
	struct trap_shared *shared;
	pid_t pid;
};

typedef void (*trap_body)(struct trap_shared *s);

static inline int trap_install(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_uname, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(insns) / sizeof(insns[0]), insns };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return -1;
	return (int)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
}

static inline void trap_start(struct trap *t, trap_body body)
{
	auto_fd int pidfd = -1;
	int ready[2], listener_fd;
	char byte;

	t->shared = mmap(NULL, sizeof(*t->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(t->shared != MAP_FAILED && pipe2(ready, O_CLOEXEC) == 0);
	t->pid = fork();
	if (t->pid == 0) {
		t->shared->listener = trap_install();
		if (write(ready[1], "r", 1) == 1)
			body(t->shared);
		_exit(0);
	}
	close(ready[1]);
	CHECK(t->pid > 0 && read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	pidfd = pidfd_open(t->pid, 0);
	listener_fd = pidfd_getfd(pidfd, t->shared->listener, 0);
	CHECK(listener_fd >= 0);
	notif_open(&t->notif, listener_fd, proc_open());
}

static inline void trap_end(struct trap *t)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	close(t->notif.listener_fd);
	close(t->notif.proc_fd);
	munmap(t->shared, sizeof(*t->shared));
}

/* One call of the child. Returns what notif_serve() says. */
static inline bool trap_serve(struct trap *t)
{
	struct pollfd p = { .fd = t->notif.listener_fd, .events = POLLIN };

	CHECK(poll(&p, 1, TRAP_WAIT_MS) == 1);
	return notif_serve(&t->notif, (uint32_t)p.revents);
}

static inline void trap_keep(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	*(struct notif_call *)ctx = *c;
	notif_later(v);
}

/* Starts a child, whose body makes one call. Returns this call, in which the child still waits. */
static inline struct notif_call trap_caller(struct trap *t, trap_body body)
{
	struct notif_call c = { 0 };

	trap_start(t, body);
	notif_handle(&t->notif, NOTIFY_UNAME, trap_keep, &c);
	CHECK(trap_serve(t));
	return c;
}

#endif
