/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of the generated cgroup directory that follow the container (size.h;
 * Documentation/admin-guide/cgroup-v2.rst).
 */
#include <inttypes.h>
#include <stdio.h>

#include "runtime/limits/size.h"

/* The length that snprintf(3) has returned, or 0 if there was not enough room. */
static size_t printed(int len, size_t room)
{
	return len < 0 || (size_t)len >= room ? 0 : (size_t)len;
}

static size_t print_limit(char *out, size_t room, uint64_t limit)
{
	return limit == UINT64_MAX ? printed(snprintf(out, room, "max\n"), room)
				   : printed(snprintf(out, room, "%" PRIu64 "\n", limit), room);
}

size_t size_memory_current(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	return printed(snprintf(out, room, "%" PRIu64 "\n", f->memory_held), room);
}

size_t size_memory_max(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	return print_limit(out, room, f->memory_limit);
}

/* The container has at least its main process, also before the threads are counted. */
size_t size_pids_current(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	return printed(
		snprintf(out, room, "%u\n", f->load.n_tasks > 0 ? f->load.n_tasks : 1), room);
}

size_t size_pids_max(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	return print_limit(out, room, f->tasks_limit);
}

size_t size_cpu_max(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	if (f->quota_us == 0)
		return printed(snprintf(out, room, "max %" PRIu64 "\n", f->period_us), room);
	return printed(
		snprintf(out, room, "%" PRIu64 " %" PRIu64 "\n", f->quota_us, f->period_us), room);
}
