/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/clock.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

#define TRACEPOINT "events/kmem/mm_page_alloc/id"
#define PAGE_BYTES 4096
/* Allocations of 16 pages and more are counted as huge pages. */
#define SMALL "order < 4"
#define LARGE "order >= 4"
#define HUGE  ((uint64_t)2 << 20)

/* Returns a detached mount, which goes away with its descriptor. */
static int mount_tracefs(void)
{
	auto_fd int fs_fd = fsopen("tracefs", FSOPEN_CLOEXEC);

	if (fs_fd < 0 || fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return fsmount(fs_fd, FSMOUNT_CLOEXEC, 0);
}

/* Returns the id of the tracepoint, 0 if it is not available. */
static uint64_t tracepoint(void)
{
	auto_fd int fd = -1;
	char text[32];

	if (io_slurp(AT_FDCWD, "/sys/kernel/tracing/" TRACEPOINT, text, sizeof(text)) > 0)
		return strtoull(text, NULL, 10);
	fd = mount_tracefs();
	if (fd < 0 || io_slurp(fd, TRACEPOINT, text, sizeof(text)) < 0)
		return 0;
	return strtoull(text, NULL, 10);
}

static int open_event(pid_t tid, uint64_t id, uint64_t period, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = period ? period : 1,
		.inherit = 1,
		.disabled = 1,
		.wakeup_events = 1,
	};
	auto_fd int fd = (int)syscall(
		SYS_perf_event_open, &attr, tid, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ||
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -1;
	return take_fd(&fd);
}

int clock_open(struct clock_events *c, pid_t tid, uint64_t tick, struct sl_err *err)
{
	const uint64_t id = tracepoint();

	*c = (struct clock_events)CLOCK_NONE;
	if (id == 0)
		return sl_err_set(err, errno, "find the tracepoint kmem:mm_page_alloc");
	c->fds[0] = open_event(tid, id, tick / PAGE_BYTES, SMALL);
	c->fds[1] = open_event(tid, id, tick / HUGE, LARGE);
	if (c->fds[0] < 0 || c->fds[1] < 0) {
		sl_err_set(err, errno,
			"count allocations (CAP_PERFMON, or kernel.perf_event_paranoid -1)");
		clock_close(c);
		return -1;
	}
	c->tick = tick;
	return 0;
}

bool clock_can_open(struct sl_err *ret_why)
{
	struct clock_events c;

	if (clock_open(&c, gettid(), HUGE, ret_why) < 0)
		return false;
	clock_close(&c);
	return true;
}

void clock_close(struct clock_events *c)
{
	drop_fd(&c->fds[0]);
	drop_fd(&c->fds[1]);
	c->tick = 0;
}

int clock_signal_me(const struct clock_events *c, int sig)
{
	const struct f_owner_ex me = { F_OWNER_TID, gettid() };

	for (size_t i = 0; i < 2; i++)
		if (c->fds[i] >= 0 &&
			(fcntl(c->fds[i], F_SETSIG, sig) < 0 ||
				fcntl(c->fds[i], F_SETOWN_EX, &me) < 0 ||
				fcntl(c->fds[i], F_SETFL, fcntl(c->fds[i], F_GETFL) | O_ASYNC) < 0))
			return -1;
	return 0;
}
