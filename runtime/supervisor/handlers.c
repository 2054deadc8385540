/* SPDX-License-Identifier: Apache-2.0
 *
 * The handlers of trapped calls. The default policy traps a few kinds, all rare; network rules
 * that name addresses add others.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/count.h"
#include "runtime/supervisor/internal.h"

/* The execution domain of the caller (personality(2)), on which the kernel's own answer depends. */
static unsigned long personality_of(const struct supervisor *s, pid_t tid)
{
	char path[32], text[16] = "";
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "%d/personality", tid);
	fd = openat(s->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return PER_LINUX;
	return strtoul(text, NULL, 16) & PER_MASK;
}

/* uname(2) when hostname or domainname differ from the host's. The supervisor gives the answer
 * and reads nothing from the caller's memory. */
static void on_uname(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	struct utsname u;

	if (uname(&u) < 0) {
		notif_deny(v, errno);
		return;
	}
	if (personality_of(s, c->pid) == PER_LINUX32)
		snprintf(u.machine, sizeof(u.machine), "i686");
	if (s->nodename[0])
		snprintf(u.nodename, sizeof(u.nodename), "%s", s->nodename);
	if (s->domainname[0])
		snprintf(u.domainname, sizeof(u.domainname), "%s", s->domainname);
	if (notif_write(c, c->args[0], &u, sizeof(u)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, 0);
}

enum part { OF_SUPERVISOR, OF_VIEW, OF_IPC, OF_NET };

/* docs/handlers.md says how to add a row. */
static const struct {
	enum notify_kind kind;
	enum part part;
	notif_handler handle;
} handlers[] = {
	{ NOTIFY_PID_MEMBER, OF_SUPERVISOR, aimed_on_call },
	{ NOTIFY_UNAME, OF_SUPERVISOR, on_uname },
	{ NOTIFY_SYSINFO, OF_SUPERVISOR, sizes_on_sysinfo },
	{ NOTIFY_BUSY, OF_SUPERVISOR, busy_on_call },
	{ NOTIFY_PID1, OF_SUPERVISOR, pid1_on_signal },
	{ NOTIFY_ABOUT_PID1, OF_SUPERVISOR, pid1_on_question },
	{ NOTIFY_GETPID, OF_SUPERVISOR, pid1_on_getpid },
	{ NOTIFY_CPU_TIME, OF_SUPERVISOR, cpu_time_on_wait },
	{ NOTIFY_SOCKET, OF_VIEW, view_on_socket },
	{ NOTIFY_INTERFACE, OF_VIEW, view_on_interface },
	{ NOTIFY_SYSV, OF_IPC, ipc_on_sysv },
	{ NOTIFY_QUEUE, OF_IPC, ipc_on_mq_open },
	{ NOTIFY_CONNECT, OF_NET, net_on_connect },
	{ NOTIFY_SEND, OF_NET, net_on_send },
	{ NOTIFY_CLONE, OF_SUPERVISOR, limits_on_fork },
	{ NOTIFY_BIND, OF_NET, net_on_bind },
	{ NOTIFY_LISTEN, OF_NET, net_on_listen },
	{ NOTIFY_NAME, OF_NET, net_on_name },
	{ NOTIFY_ACCEPT, OF_NET, net_on_accept },
	{ NOTIFY_RECEIVE, OF_NET, net_on_receive },
};

/* System calls whose handler is not that of their kind. */
static const struct {
	int nr;
	enum part part;
	notif_handler handle;
} overrides[] = {
	{ SYS_pidfd_open, OF_SUPERVISOR, pid1_on_pidfd_open },
	{ SYS_getppid, OF_SUPERVISOR, pid1_on_getppid },
	{ SYS_clock_gettime, OF_SUPERVISOR, cpu_time_on_read },
	{ SYS_clock_getres, OF_SUPERVISOR, cpu_time_on_read },
	{ SYS_mq_unlink, OF_IPC, ipc_on_mq_unlink },
};
_Static_assert(COUNT(overrides) <= NOTIF_OVERRIDES_MAX, "more than notif has room for");

void handlers_install(struct supervisor *s)
{
	/* NULL: this container does not use the part, and the filter traps none of its calls. */
	void *const parts[] = {
		[OF_SUPERVISOR] = s,
		[OF_VIEW] = s->view,
		[OF_IPC] = s->ipc,
		[OF_NET] = s->net,
	};

	for (size_t i = 0; i < COUNT(handlers); i++)
		if (parts[handlers[i].part])
			notif_handle(&s->notif, handlers[i].kind, handlers[i].handle,
				parts[handlers[i].part]);
	for (size_t i = 0; i < COUNT(overrides); i++)
		if (parts[overrides[i].part])
			notif_override(&s->notif, overrides[i].nr, overrides[i].handle,
				parts[overrides[i].part]);
}
