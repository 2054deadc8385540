/* SPDX-License-Identifier: Apache-2.0
 *
 * What trapped calls mean: in the default policy a few kinds, all rare; the network's where
 * its rules name addresses.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/supervisor.h"

/* The base of what the caller is by personality(2), on which the kernel's own answer depends. */
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

/* uname(2) when hostname or domainname differ from the host's. The answer is ours; the
 * caller's memory is only written. */
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

void handlers_install(struct supervisor *s)
{
	struct notif *n = &s->notif;

	notif_handle(n, NOTIFY_PID_MEMBER, aimed_on_call, s);
	notif_handle(n, NOTIFY_UNAME, on_uname, s);
	notif_handle(n, NOTIFY_BUSY, busy_on_call, s);
	notif_handle(n, NOTIFY_PID1, pid1_on_call, s);
	notif_handle(n, NOTIFY_GETPID, pid1_on_getpid, s);
	if (s->view) {
		notif_handle(n, NOTIFY_SOCKET, view_on_socket, s->view);
		notif_handle(n, NOTIFY_INTERFACE, view_on_interface, s->view);
	}
	if (s->ipc) {
		notif_handle(n, NOTIFY_SYSV, ipc_on_sysv, s->ipc);
		notif_handle(n, NOTIFY_QUEUE, ipc_on_queue, s->ipc);
	}
	if (!s->net)
		return;
	notif_handle(n, NOTIFY_CONNECT, net_on_connect, s->net);
	notif_handle(n, NOTIFY_SEND, net_on_send, s->net);
	notif_handle(n, NOTIFY_CLONE, net_on_clone, s->net);
	notif_handle(n, NOTIFY_BIND, net_on_bind, s->net);
	notif_handle(n, NOTIFY_LISTEN, net_on_listen, s->net);
	notif_handle(n, NOTIFY_NAME, net_on_name, s->net);
	notif_handle(n, NOTIFY_ACCEPT, net_on_accept, s->net);
	notif_handle(n, NOTIFY_RECEIVE, net_on_receive, s->net);
}
