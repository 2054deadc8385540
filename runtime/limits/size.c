/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/size.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/count.h"
#include "runtime/base/io.h"

/* The most fields of a cpu line in /proc/stat; there are ten today. */
#define STAT_FIELDS 16

/* The most threads that are read for the load average. */
#define LOAD_THREADS_MAX 4096

struct writer {
	char *out;
	size_t room, len;
	bool full;
};

static void put_bytes(struct writer *w, const char *text, size_t len)
{
	if (w->full || len >= w->room - w->len) {
		w->full = true;
		return;
	}
	memcpy(w->out + w->len, text, len);
	w->len += len;
	w->out[w->len] = '\0';
}

static __attribute__((format(printf, 2, 3))) void put_format(
	struct writer *w, const char *format, ...)
{
	char text[256];
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(text))
		w->full = true;
	else
		put_bytes(w, text, (size_t)len);
}

static size_t written(const struct writer *w)
{
	return w->full ? 0 : w->len;
}

/* The length of the line with its newline. */
static size_t line_length(const char *line)
{
	const size_t len = strcspn(line, "\n");

	return len + (line[len] == '\n');
}

static bool has_cpu(const struct size_facts *f, unsigned long cpu)
{
	return cpu < CPU_SETSIZE && CPU_ISSET(cpu, f->cpus);
}

/* On x86 and arm each block begins with the number of its processor. Lines before the first
 * block concern all processors. */
size_t size_cpuinfo(const struct size_facts *f, const char *host, char *out, size_t room)
{
	struct writer w = { out, room, 0, room == 0 };
	bool kept = true;
	unsigned long cpu;

	for (const char *line = host; *line; line += line_length(line)) {
		if (sscanf(line, "processor : %lu", &cpu) == 1)
			kept = has_cpu(f, cpu);
		else if (strncmp(line, "Hardware", strlen("Hardware")) == 0)
			kept = true;
		if (kept)
			put_bytes(&w, line, line_length(line));
	}
	return written(&w);
}

static size_t read_fields(const char *line, unsigned long long *ret)
{
	size_t n = 0;
	char *end;

	for (const char *p = line; n < STAT_FIELDS; p = end) {
		ret[n] = strtoull(p, &end, 10);
		if (end == p || *end == '\0')
			break;
		n++;
		if (*end == '\n')
			break;
	}
	return n;
}

static size_t sum_cpus(const struct size_facts *f, const char *host, unsigned long long *sum)
{
	unsigned long long fields[STAT_FIELDS];
	size_t n = 0;
	unsigned long cpu;

	for (const char *line = host; *line; line += line_length(line)) {
		if (sscanf(line, "cpu%lu", &cpu) != 1 || !has_cpu(f, cpu))
			continue;
		n = read_fields(line + strcspn(line, " \n"), fields);
		for (size_t i = 0; i < n; i++)
			sum[i] += fields[i];
	}
	return n;
}

size_t size_stat(const struct size_facts *f, const char *host, char *out, size_t room)
{
	struct writer w = { out, room, 0, room == 0 };
	unsigned long long sum[STAT_FIELDS] = { 0 };
	const size_t n = sum_cpus(f, host, sum);
	unsigned long cpu;

	put_format(&w, "cpu ");
	for (size_t i = 0; i < n; i++)
		put_format(&w, " %llu", sum[i]);
	put_format(&w, "\n");
	for (const char *line = host; *line; line += line_length(line)) {
		if (strncmp(line, "cpu ", 4) == 0 ||
			(sscanf(line, "cpu%lu", &cpu) == 1 && !has_cpu(f, cpu)))
			continue;
		put_bytes(&w, line, line_length(line));
	}
	return written(&w);
}

size_t size_cpus(const struct size_facts *f, const char *host, char *out, size_t room)
{
	struct writer w = { out, room, 0, room == 0 };

	(void)host;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		const unsigned int first = cpu;

		if (!has_cpu(f, cpu))
			continue;
		while (has_cpu(f, cpu + 1))
			cpu++;
		put_format(&w, "%s%u", w.len ? "," : "", first);
		if (cpu > first)
			put_format(&w, "-%u", cpu);
	}
	put_format(&w, "\n");
	return written(&w);
}

/* Pages that belong to the machine and not to the container: the container sees 0. */
static const char *const not_shown[] = { "Buffers", "Cached", "SwapCached", "Active", "Inactive",
	"Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable",
	"Mlocked", "SwapTotal", "SwapFree", "Zswap", "Zswapped", "Dirty", "Writeback", "Mapped",
	"Shmem", "KReclaimable", "Slab", "SReclaimable", "SUnreclaim", "KernelStack", "PageTables",
	"SecPageTables", "AnonHugePages" };

static bool is_line(const char *line, const char *name)
{
	const size_t n = strlen(name);

	return strncmp(line, name, n) == 0 && line[n] == ':';
}

static uint64_t host_kb(const char *host, const char *name)
{
	for (const char *line = host; *line; line += line_length(line))
		if (is_line(line, name))
			return strtoull(line + strlen(name) + 1, NULL, 10);
	return 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void put_kb(struct writer *w, const char *name, uint64_t kb)
{
	const int width = (int)strlen(name) + 1;

	put_format(w, "%s:%*" PRIu64 " kB\n", name, width < 24 ? 24 - width : 1, kb);
}

size_t size_meminfo(const struct size_facts *f, const char *host, char *out, size_t room)
{
	struct writer w = { out, room, 0, room == 0 };
	const uint64_t total = lesser(f->memory_limit / 1024, host_kb(host, "MemTotal"));
	const uint64_t held = lesser(f->memory_held / 1024, total), left = total - held;

	for (const char *line = host; *line; line += line_length(line)) {
		size_t i = 0;

		while (i < COUNT(not_shown) && !is_line(line, not_shown[i]))
			i++;
		if (i < COUNT(not_shown))
			put_kb(&w, not_shown[i], 0);
		else if (is_line(line, "MemTotal"))
			put_kb(&w, "MemTotal", total);
		else if (is_line(line, "MemFree"))
			put_kb(&w, "MemFree", lesser(left, host_kb(host, "MemAvailable")));
		else if (is_line(line, "MemAvailable"))
			put_kb(&w, "MemAvailable", lesser(left, host_kb(host, "MemAvailable")));
		else if (is_line(line, "AnonPages"))
			put_kb(&w, "AnonPages", held);
		else if (is_line(line, "Committed_AS"))
			put_kb(&w, "Committed_AS", held);
		else if (is_line(line, "CommitLimit"))
			put_kb(&w, "CommitLimit", total);
		else
			put_bytes(&w, line, line_length(line));
	}
	return written(&w);
}

size_t size_loadavg(const struct size_facts *f, const char *host, char *out, size_t room)
{
	struct writer w = { out, room, 0, room == 0 };

	(void)host;
	for (size_t i = 0; i < COUNT(f->load.average); i++)
		put_format(&w, "%" PRIu64 ".%02" PRIu64 " ", f->load.average[i] / SIZE_LOAD_ONE,
			f->load.average[i] % SIZE_LOAD_ONE * 100 / SIZE_LOAD_ONE);
	put_format(&w, "%u/%u %d\n", f->load.n_running, f->load.n_tasks, f->load.last);
	return written(&w);
}

/* Each step keeps exp(-2 s / 1, 5 and 15 min) of the average (kernel/sched/loadavg.c has steps
 * of 5 s). */
void size_decay(struct size_load *l, uint32_t n_running, uint64_t n_steps)
{
	static const uint64_t kept[] = { 1981, 2034, 2043 };

	for (uint64_t k = 0; k < n_steps && k < 3600; k++)
		for (size_t i = 0; i < COUNT(kept); i++)
			l->average[i] =
				(l->average[i] * kept[i] +
					n_running * SIZE_LOAD_ONE * (SIZE_LOAD_ONE - kept[i]) +
					SIZE_LOAD_ONE / 2) /
				SIZE_LOAD_ONE;
}

struct size_states {
	uint32_t n_running, n_tasks;
	pid_t last;
};

static bool add_state(int task_fd, const char *tid, void *ctx)
{
	struct size_states *s = ctx;
	char path[64], text[512], *end;
	const pid_t number = (pid_t)strtol(tid, NULL, 10);

	snprintf(path, sizeof(path), "%s/stat", tid);
	if (io_slurp(task_fd, path, text, sizeof(text)) < 0 || !(end = strrchr(text, ')')))
		return true;
	s->n_running += end[1] == ' ' && (end[2] == 'R' || end[2] == 'D');
	s->n_tasks++;
	s->last = number > s->last ? number : s->last;
	return s->n_tasks < LOAD_THREADS_MAX;
}

static void add_states(struct member *p, void *ctx)
{
	members_each_thread(p->dir_fd, add_state, ctx);
}

void size_look_load(struct size_load *l, const struct members *m, int64_t passed_ms)
{
	const uint64_t steps = (uint64_t)(passed_ms + SIZE_STEP_MS / 2) / SIZE_STEP_MS;
	struct size_states s = { 0 };

	members_each(m, MEMBERS_BELOW_SUPERVISOR, add_states, &s);
	l->n_running = s.n_running;
	l->n_tasks = s.n_tasks;
	l->last = s.last > l->last ? s.last : l->last;
	/* There was no measurement while the container was asleep: the load was 0. */
	if (steps > 1)
		size_decay(l, 0, steps - 1);
	size_decay(l, s.n_running, 1);
}
