/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* How often the processes are read until none is created or ends meanwhile. If that never
 * happens, the last result is used. */
#define LOOKS_MAX 4

struct usage_sums {
	pid_t supervisor, init;
	uint64_t tick_ns;
	uint64_t sums[USAGE_COUNTERS];
	uint32_t n_processes, n_tasks;
};

void usage_count(struct usage_meter *u, const uint64_t sums[USAGE_COUNTERS], bool steady,
	uint64_t ret[USAGE_COUNTERS])
{
	for (size_t i = 0; i < USAGE_COUNTERS; i++) {
		uint64_t total = sums[i] + u->lost[i];

		if (steady && total < u->sure[i]) {
			u->lost[i] += u->sure[i] - total;
			total = u->sure[i];
		}
		if (steady)
			u->sure[i] = total;
		if (total > u->told[i])
			u->told[i] = total;
		ret[i] = u->told[i];
	}
}

void usage_correct(
	struct usage_meter *u, uint64_t exact_ns, uint64_t blur_ns, uint64_t ret[USAGE_COUNTERS])
{
	const uint64_t told_ns = ret[USAGE_USER_NS] + ret[USAGE_SYSTEM_NS] + blur_ns;
	const uint64_t more_ns = exact_ns > told_ns ? exact_ns - told_ns : 0;

	u->lost[USAGE_USER_NS] += more_ns;
	u->sure[USAGE_USER_NS] += more_ns;
	u->told[USAGE_USER_NS] += more_ns;
	ret[USAGE_USER_NS] += more_ns;
}

static void add_io(int dir_fd, uint64_t *sums)
{
	char text[512];

	if (io_slurp(dir_fd, "io", text, sizeof(text)) < 0)
		return;
	sums[USAGE_READ_BYTES] += proc_number_in(text, "\nread_bytes: ");
	sums[USAGE_WRITE_BYTES] += proc_number_in(text, "\nwrite_bytes: ");
}

/* init's own usage does not count, but that of the children which init has reaped does. */
static void sum_process(struct member *p, void *ctx)
{
	struct usage_sums *l = ctx;
	struct proc_stat s;

	/* Other children of the supervisor belong to the runtime. */
	if (proc_read_stat_at(p->dir_fd, &s) < 0 || (s.ppid == l->supervisor && p->pid != l->init))
		return;
	l->sums[USAGE_USER_NS] += s.waited_user_ticks * l->tick_ns;
	l->sums[USAGE_SYSTEM_NS] += s.waited_system_ticks * l->tick_ns;
	add_io(p->dir_fd, l->sums);
	if (p->pid == l->init)
		return;
	l->sums[USAGE_USER_NS] += s.user_ticks * l->tick_ns;
	l->sums[USAGE_SYSTEM_NS] += s.system_ticks * l->tick_ns;
	l->n_tasks += s.n_threads ? s.n_threads : 1;
	l->n_processes += s.state != 'Z' || s.n_threads > 1;
}

static bool is_descendant(const struct members *m, const struct member *p)
{
	(void)m;
	(void)p;
	return true;
}

/* A zombie has no root directory to recognise it by, but it has its times. So all processes
 * below the supervisor are read, not only members. */
static int look_once(const struct members *m, struct usage_sums *ret)
{
	const uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	struct members below = *m;

	*ret = (struct usage_sums){
		.supervisor = m->supervisor.pid, .init = m->init.pid, .tick_ns = tick_ns
	};
	below.test = is_descendant;
	below.init.pid = 0;
	return members_each(&below, MEMBERS_BELOW_SUPERVISOR, sum_process, ret);
}

void usage_look(
	struct usage_meter *u, const struct members *m, uint64_t exact_ns, struct usage_now *ret)
{
	struct usage_sums l;
	int n = -1;

	for (int i = 0; i < LOOKS_MAX && n < 0; i++)
		n = look_once(m, &l);
	usage_count(u, l.sums, n >= 0, ret->counters);
	/* Each process has four numbers that are rounded down. */
	usage_correct(u, exact_ns, 4 * (l.n_processes + 1) * l.tick_ns, ret->counters);
	ret->n_processes = l.n_processes;
	ret->n_tasks = l.n_tasks;
}

/* The first three fields of statm: mapped pages, resident pages, and resident pages that belong
 * to files. */
bool usage_own_pages(int dir_fd, uint64_t *ret_own)
{
	unsigned long long mapped, resident, shared;
	char text[128];

	if (io_slurp(dir_fd, "statm", text, sizeof(text)) < 0 ||
		sscanf(text, "%llu %llu %llu", &mapped, &resident, &shared) != 3 || mapped == 0)
		return false;
	*ret_own = resident > shared ? resident - shared : 0;
	return true;
}

static bool find_mapped(int task_fd, const char *tid, void *ctx)
{
	int *fd = ctx;
	uint64_t own;

	*fd = proc_open_dir(task_fd, tid);
	if (*fd >= 0 && usage_own_pages(*fd, &own))
		return false;
	drop_fd(fd);
	return true;
}

int usage_open_thread(int dir_fd)
{
	int fd = -1;

	members_each_thread(dir_fd, find_mapped, &fd);
	return fd;
}

int usage_memory(int dir_fd, struct usage_memory *ret)
{
	auto_fd int thread_fd = -1;
	char text[4096];
	uint64_t own;

	if (!usage_own_pages(dir_fd, &own))
		dir_fd = thread_fd = usage_open_thread(dir_fd);
	if (dir_fd < 0 || io_slurp(dir_fd, "smaps_rollup", text, sizeof(text)) < 0)
		return -1;
	ret->rss = proc_number_in(text, "\nRss:") * 1024;
	ret->anon = proc_number_in(text, "\nPss_Anon:") * 1024;
	ret->file = proc_number_in(text, "\nPss_File:") * 1024;
	ret->shmem = proc_number_in(text, "\nPss_Shmem:") * 1024;
	return 0;
}
