/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a container: no process of it is left, and the tracked process ends as the main
 * process did, because its parent reads only its wait status.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

#define INIT_GRACE_MS 2000

/* Reaps every child that has ended; keeps the status of the main process. */
static void reap_ended(struct supervisor *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (WIFSTOPPED(status) || WIFCONTINUED(status))
			continue;
		if (pid == s->record.init.pid)
			s->init_ended = true;
		if (pid == s->record.workload.pid && !s->main_ended) {
			s->main_ended = true;
			s->main_status = status;
		}
	}
}

/* init sees the end of its channel, ends its domain and exits; an init that was stopped does
 * not, and is killed. Meanwhile the supervisor does not search /proc, which would take processor
 * time from init. */
static void await_init_end(const struct supervisor *s)
{
	auto_fd int fd = pidfd_open(s->record.init.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0 && poll(&p, 1, INIT_GRACE_MS) == 0)
		kill(s->record.init.pid, SIGKILL);
}

/* Sets how members are told from other children that the supervisor inherits. A process of the
 * container has had the container's filter from its start. A process that a hook has left, or
 * that the caller had started before it became the supervisor, has fewer filters or is older. */
static void count_children_in(struct supervisor *s)
{
	s->members.adopted.filters = members_own_filters(&s->members);
	if (!s->confined && s->members.adopted.filters < ULONG_MAX)
		s->members.adopted.filters++;
	s->members.adopted.since = s->record.init.start;
	s->members.adopted.parent = getpid();
}

/* Kills what is left when init is gone, or goes because its channel was closed. Its children
 * become children of the supervisor (the sub-reaper), and grandchildren as their parents end.
 * Returns when init is reaped and no member is left; it does not wait for processes that a hook
 * has left. */
void ending_kill_orphans(struct supervisor *s)
{
	const struct timespec nap = { .tv_nsec = 1000000L };

	setpriority(PRIO_PROCESS, 0, -20);
	count_children_in(s);
	for (;;) {
		int left;

		reap_ended(s);
		left = members_kill(&s->members, 0);
		if (left == 0 && (s->init_ended || s->record.init.pid <= 0)) {
			reap_ended(s);
			return;
		}
		if (left == 0)
			await_init_end(s);
		else if (left < 0)
			nanosleep(&nap, NULL);
	}
}

int ending_of_main(const struct supervisor *s)
{
	return s->main_ended ? s->main_status : SIGKILL;
}

int ending_status(struct supervisor *s)
{
	/* init exits right after INIT_EMPTY. It is reaped here, so that nobody finds a zombie. */
	if (!s->init_ended)
		await_init_end(s);
	while (waitpid(s->record.init.pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* Without the socket, other commands know that no process of the container is left. It
	 * is removed last, when that is true. */
	unlinkat(s->dir_fd, STORE_CONTROL, 0);
	return ending_of_main(s);
}
