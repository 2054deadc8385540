/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/charge.h"

#include <linux/kcmp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/limits/usage.h"

/* How often the processes are read until none is created or ends meanwhile. */
#define LOOKS_MAX 3

struct charge_look {
	struct charge_place *at;
	const struct charge_dying *dying;
	uint64_t page;
	struct charge sum;
};

static uint64_t tmpfs_bytes(const struct charge_place *at)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < at->n_tmpfs; i++) {
		struct statfs st;

		if (fstatfs(at->tmpfs_fds[i], &st) == 0)
			sum += (uint64_t)(st.f_blocks - st.f_bfree) * (uint64_t)st.f_bsize;
	}
	return sum;
}

static bool is_everybody(const struct members *m, const struct member *p)
{
	(void)m;
	(void)p;
	return true;
}

/* The pid cannot be reused before the process is gone, and memory.c has removed those that are
 * gone. */
static bool is_dying(const struct charge_look *l, pid_t pid)
{
	for (size_t i = 0; i < l->dying->n; i++)
		if (l->dying->ids[i].pid == pid)
			return true;
	return false;
}

static void add_candidate(struct charge *c, const struct member *p, uint64_t bytes)
{
	size_t at = c->n_rows < CHARGE_ROWS_MAX ? c->n_rows : CHARGE_ROWS_MAX - 1;
	struct proc_stat st;

	if ((c->n_rows == CHARGE_ROWS_MAX && c->rows[at].bytes >= bytes) ||
		proc_read_stat_at(p->dir_fd, &st) < 0)
		return;
	for (; at > 0 && c->rows[at - 1].bytes < bytes; at--)
		c->rows[at] = c->rows[at - 1];
	c->rows[at] = (struct charge_row){ { p->pid, st.start }, bytes };
	c->n_rows += c->n_rows < CHARGE_ROWS_MAX;
}

static void add_quick(struct member *p, void *ctx)
{
	struct charge_look *l = ctx;
	auto_fd int thread_fd = -1;
	uint64_t own = 0;

	activity_note(&l->at->activity, p->pid);
	if (is_dying(l, p->pid))
		return;
	if (!usage_own_pages(p->dir_fd, &own)) {
		thread_fd = usage_open_thread(p->dir_fd);
		if (thread_fd < 0 || !usage_own_pages(thread_fd, &own))
			return;
	}
	l->sum.anon += own * l->page;
}

/* A child of vfork(2) has the memory of its parent until it executes a program. */
static bool has_parents_memory(const struct member *p)
{
	struct proc_stat st;

	return proc_read_stat_at(p->dir_fd, &st) == 0 &&
	       syscall(SYS_kcmp, st.ppid, p->pid, KCMP_VM, 0, 0) == 0;
}

static uint64_t anon_of(int dir_fd)
{
	uint64_t anon = 0;
	char text[4096];

	if (io_slurp(dir_fd, "smaps_rollup", text, sizeof(text)) > 0)
		anon = proc_number_in(text, "\nPss_Anon:") * 1024;
	if (io_slurp(dir_fd, "status", text, sizeof(text)) > 0)
		anon += proc_number_in(text, "\nVmPTE:") * 1024;
	return anon;
}

static void add_exact(struct member *p, void *ctx)
{
	struct charge_look *l = ctx;
	auto_fd int thread_fd = -1;
	uint64_t own, anon, held;
	int dir_fd = p->dir_fd;

	activity_note(&l->at->activity, p->pid);
	if (is_dying(l, p->pid))
		return;
	if (!usage_own_pages(dir_fd, &own)) {
		dir_fd = thread_fd = usage_open_thread(dir_fd);
		if (dir_fd < 0)
			return;
	}
	anon = has_parents_memory(p) ? 0 : anon_of(dir_fd);
	l->sum.anon += anon;
	l->sum.shmem += shmem_of(&l->at->shmem, p->dir_fd, dir_fd, p->pid, &held);
	add_candidate(&l->sum, p, anon + held);
}

static int look_at_members(struct charge_place *at, const struct charge_dying *dying,
	members_fn *add, struct charge *ret)
{
	struct charge_look l = {
		.at = at,
		.dying = dying,
		.page = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	struct members below = at->members;
	int n = -1;

	/* Only processes below init count, not other children of the supervisor. */
	below.test = is_everybody;
	below.supervisor = at->members.init;
	for (int i = 0; i < LOOKS_MAX && n < 0; i++) {
		const bool last = i == LOOKS_MAX - 1; /* there may be too many below init */

		l.sum = (struct charge){ 0 };
		shmem_begin(&at->shmem);
		activity_begin(&at->activity);
		activity_note(&at->activity, at->members.init.pid);
		n = last ? members_each(&at->members, MEMBERS_ANYWHERE, add, &l)
			 : members_each(&below, MEMBERS_BELOW_SUPERVISOR, add, &l);
		at->activity.complete &= n >= 0 && !last;
	}
	l.sum.shmem += tmpfs_bytes(at);
	*ret = l.sum;
	return n < 0 ? -1 : 0;
}

int charge_quick(struct charge_place *at, const struct charge_dying *dying, struct charge *ret)
{
	return look_at_members(at, dying, add_quick, ret);
}

int charge_exact(struct charge_place *at, const struct charge_dying *dying, struct charge *ret)
{
	int rc = look_at_members(at, dying, add_exact, ret);

	ret->shmem += shmem_detached(at->members.proc_fd, at->members.supervisor.pid);
	return rc;
}
