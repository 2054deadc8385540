/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass over /proc instead of a walk from parents to children: it ends even while a fork bomb
 * runs, and it sees zombies. Pids rise from parent to child except after a wrap, so that a
 * process that gets another parent meanwhile is found by its old or by its new one.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "runtime/base/cleanup.h"
#include "runtime/members/members.h"

struct seen {
	pid_t pid, ppid;
	uint32_t n_threads;
	bool below;
};

struct census {
	struct seen *rows;
	size_t n, room;
};

static int add_seen(struct census *c, pid_t pid, const struct proc_stat *st)
{
	if (c->n == c->room) {
		size_t room = c->room ? c->room * 2 : 256;
		struct seen *bigger = realloc(c->rows, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		c->rows = bigger;
		c->room = room;
	}
	c->rows[c->n++] = (struct seen){ pid, st->ppid, st->n_threads, false };
	return 0;
}

static int see_all(int proc_fd, struct census *c)
{
	auto_fd int fd = proc_open_dir(proc_fd, ".");
	struct dirent *e;
	int rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		return -1;
	take_fd(&fd);
	while (rc == 0 && (errno = 0, e = readdir(d)) != NULL) {
		struct proc_stat st;

		if (isdigit((unsigned char)e->d_name[0]) &&
			proc_read_stat(proc_fd, atoi(e->d_name), &st) == 0)
			rc = add_seen(c, atoi(e->d_name), &st);
	}
	if (rc == 0 && errno != 0)
		rc = -1;
	closedir(d);
	return rc;
}

static int by_pid(const void *a, const void *b)
{
	return ((const struct seen *)a)->pid - ((const struct seen *)b)->pid;
}

static bool is_seen_below(struct census *c, pid_t pid)
{
	const struct seen wanted = { .pid = pid };
	const struct seen *s = bsearch(&wanted, c->rows, c->n, sizeof(wanted), by_pid);

	return s && s->below;
}

/* One pass is usually enough, because parents come before their children. */
static void mark_below(struct census *c, pid_t top)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < c->n; i++) {
			struct seen *s = &c->rows[i];

			if (s->below || (s->pid != top && !is_seen_below(c, s->ppid)))
				continue;
			s->below = changed = true;
		}
	}
}

int members_count_tasks(const struct members *m, uint64_t *ret)
{
	/* Other children of the supervisor belong to the runtime. */
	const pid_t top = m->init.pid ? m->init.pid : m->supervisor.pid;
	struct census c = { 0 };
	uint64_t n = 0;
	int rc = see_all(m->proc_fd, &c);

	if (rc == 0 && c.n > 0)
		qsort(c.rows, c.n, sizeof(*c.rows), by_pid);
	mark_below(&c, top);
	for (size_t i = 0; rc == 0 && i < c.n; i++) {
		const struct seen *s = &c.rows[i];

		if (s->below && s->pid != top)
			n += s->n_threads ? s->n_threads : 1;
	}
	free(c.rows);
	if (rc == 0)
		*ret = n;
	return rc;
}
