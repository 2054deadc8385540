/* SPDX-License-Identifier: Apache-2.0
 *
 * What a supervisor that shows interfaces may make: one network namespace, and sockets of
 * five kinds; and that it moves no pages. Control: the same before it is confined.
 */
#include "runtime/confine/self.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/socket.h>

#include "runtime/confine/identity.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

enum attempt { CONTROL, SHOWS, SETTLED, PLAIN };

static int report(enum attempt how, const int *want, size_t n, const int *got)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			return 10 + (int)how * 20 + (int)i;
	return 0;
}

static int begin(enum attempt how)
{
	const bool duties[DUTY_COUNT] = { [DUTY_SHOW] = how != PLAIN };
	struct sl_err err;
	int fd = open("/", O_PATH | O_DIRECTORY);

	if (how != CONTROL && confine_supervisor(fd, duties, &err) < 0)
		return -1;
	return how == SETTLED ? confine_supervisor_shows() : 0;
}

static int namespaces(const void *arg)
{
	static const int want[][4] = {
		[CONTROL] = { 0, 0, 0, 0 },
		[SHOWS] = { EPERM, EPERM, EPERM, 0 },
		[SETTLED] = { EPERM, EPERM, EPERM, EPERM },
		[PLAIN] = { EPERM, EPERM, EPERM, EPERM },
	};
	const enum attempt how = *(const enum attempt *)arg;
	int got[4];

	if (begin(how) < 0)
		return 1;
	got[0] = child_errno(syscall(SYS_unshare, CLONE_NEWUTS));
	got[1] = child_errno(syscall(SYS_unshare, CLONE_NEWNET | CLONE_NEWIPC));
	got[2] = child_errno(syscall(SYS_unshare, how == CONTROL ? 0UL : CLONE_NEWNET | 1UL << 32));
	got[3] = child_errno(syscall(SYS_unshare, CLONE_NEWNET));
	return report(how, want[how], 4, got);
}

static int sockets(const void *arg)
{
	static const int want[][7] = {
		[CONTROL] = { 0, 0, 0, 0, 0, 0, 0 },
		[SHOWS] = { 0, 0, 0, 0, 0, EPERM, EPERM },
		[SETTLED] = { 0, 0, 0, 0, 0, EPERM, EPERM },
		[PLAIN] = { EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM },
	};
	const enum attempt how = *(const enum attempt *)arg;
	int got[7];

	if (begin(how) < 0)
		return 1;
	got[0] = child_errno(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0));
	got[1] = child_errno(syscall(SYS_socket, AF_INET6, SOCK_STREAM, 0));
	got[2] = child_errno(syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
	got[3] = child_errno(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
	got[4] = child_errno(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
	got[5] = child_errno(syscall(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_GENERIC));
	got[6] = child_errno(syscall(SYS_socket, AF_PACKET, SOCK_RAW, 0));
	return report(how, want[how], 7, got);
}

/* It is asked where pages are, and none is moved. */
static int pages(const void *arg)
{
	const enum attempt how = *(const enum attempt *)arg;
	const int want[] = { 0, how == CONTROL ? 0 : EPERM };
	int node = 0, status = 0, got[2];
	void *page = &node;

	if (begin(how) < 0)
		return 1;
	got[0] = child_errno(syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0));
	got[1] = child_errno(syscall(SYS_move_pages, 0, 1UL, &page, &node, &status, 0));
	return report(how, want, 2, got);
}

int main(void)
{
	for (enum attempt how = CONTROL; how <= PLAIN; how++) {
		int a = child_run(namespaces, &how), b = child_run(sockets, &how),
		    c = child_run(pages, &how);

		printf("# attempt %d: %d %d %d\n", (int)how, a, b, c);
		CHECK(a == 0);
		CHECK(b == 0);
		CHECK(c == 0);
	}
	return check_done();
}
