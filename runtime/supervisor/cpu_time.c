/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks of processor time that name another process by its pid (clock_getcpuclockid(3)). The
 * kernel tells every process the time of every other, to the nanosecond. The supervisor reads
 * the clocks of processes of the container; any other gives EINVAL, as if the process did not
 * exist. Waiting for such a clock, or a timer on it, is allowed for the caller's own clock only:
 * such a call goes on in the kernel, where the pid of another process could have been reused.
 */
#include <poll.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/internal.h"

/* linux/posix-timers.h: the inverted pid, above three bits that select the clock of the process. */
#define CLOCK_SHIFT 3
#define CLOCK_BITS  7

static clockid_t clock_of(pid_t pid, clockid_t like)
{
	return (clockid_t)(~(unsigned int)pid << CLOCK_SHIFT | ((unsigned int)like & CLOCK_BITS));
}

static pid_t process_of(clockid_t id)
{
	return ~(id >> CLOCK_SHIFT);
}

static bool is_callers_own(const struct notif_call *c, pid_t pid)
{
	struct proc_status who;

	return proc_read_status(c->proc_fd, c->pid, &who) == 0 && notif_waits(c) && who.tgid == pid;
}

void cpu_time_on_wait(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)ctx;
	if (is_callers_own(c, process_of((clockid_t)c->args[0])))
		notif_continue(v, NOTIF_SCALAR_ARGS);
	else
		notif_deny(v, EINVAL);
}

/* Returns 0, or -1 with errno. */
static int read_clock(const struct supervisor *s, const struct notif_call *c, struct timespec *ret)
{
	const clockid_t asked = (clockid_t)c->args[0];
	const pid_t named = process_of(asked), pid = named == 1 ? s->record.workload.pid : named;
	auto_fd int pidfd = pidfd_open(pid, 0);
	const clockid_t id = clock_of(pid, asked);
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	int rc;

	errno = EINVAL;
	if (pidfd < 0 || !members_has(&s->members, pid))
		return -1;
	rc = c->nr == SYS_clock_getres ? clock_getres(id, ret) : clock_gettime(id, ret);
	/* The process has not ended yet, so the pid was its own during the call. */
	if (poll(&end, 1, 0) == 0)
		return rc;
	errno = EINVAL;
	return -1;
}

void cpu_time_on_read(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	struct timespec t;

	if (read_clock(ctx, c, &t) < 0)
		notif_deny(v, errno);
	else if ((c->args[1] || c->nr != SYS_clock_getres) &&
		 notif_write(c, c->args[1], &t, sizeof(t)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, 0);
}
