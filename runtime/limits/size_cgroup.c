/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of the generated cgroup directory that follow the container (size.h;
 * Documentation/admin-guide/cgroup-v2.rst).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/limits/size.h"

static __attribute__((format(printf, 3, 4))) size_t print_line(
	char *out, size_t room, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(out, room, format, ap);
	va_end(ap);
	return len < 0 || (size_t)len >= room ? 0 : (size_t)len;
}

static size_t print_limit(char *out, size_t room, uint64_t limit)
{
	return limit == UINT64_MAX ? print_line(out, room, "max\n")
				   : print_line(out, room, "%" PRIu64 "\n", limit);
}

size_t size_memory_current(const struct size_facts *f, const char *host, char *out, size_t room)
{
	(void)host;
	return print_line(out, room, "%" PRIu64 "\n", f->memory_held);
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
	return print_line(out, room, "%u\n", f->load.n_tasks > 0 ? f->load.n_tasks : 1);
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
		return print_line(out, room, "max %" PRIu64 "\n", f->period_us);
	return print_line(out, room, "%" PRIu64 " %" PRIu64 "\n", f->quota_us, f->period_us);
}
