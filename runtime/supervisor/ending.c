/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a container: nothing of it is left, and the tracked process says how the
 * main process ended, in the only way its parent can read: its own wait status.
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

/* Takes the status of whatever has ended, init and the main process above all. */
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

/* It sees the end of its channel, ends its domain and itself; one that was stopped does not.
 * Looking through /proc meanwhile would take the processor away from it. */
static void await_init_end(const struct supervisor *s)
{
	auto_fd int fd = pidfd_open(s->record.init.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd >= 0 && poll(&p, 1, INIT_GRACE_MS) == 0)
		kill(s->record.init.pid, SIGKILL);
}

/* Processes of the container have been under its filter from their birth. What a hook has left
 * running, and what our caller had running before it became us, have as many as we have without
 * our own, or are older. */
static void count_children_in(struct supervisor *s)
{
	s->members.adopted.filters = members_own_filters(&s->members);
	if (!s->confined && s->members.adopted.filters < ULONG_MAX)
		s->members.adopted.filters++;
	s->members.adopted.since = s->record.init.start;
	s->members.adopted.parent = getpid();
}

/* init is gone, or goes because its channel was closed; its children become ours
 * (sub-reaper), and grandchildren as their parents die. Until init is gone and no member
 * is left; what a hook left running is nobody's to wait for. */
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
	/* It exits right after it said so; nobody else should find its remains. */
	if (!s->init_ended)
		await_init_end(s);
	while (waitpid(s->record.init.pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* Tells later verbs that nothing is left to sweep; last, when it is true. */
	unlinkat(s->dir_fd, STORE_CONTROL, 0);
	return ending_of_main(s);
}
