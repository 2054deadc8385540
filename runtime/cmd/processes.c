/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/members/members.h"

struct collector {
	pid_t *pids;
	size_t n;
	size_t cap;
	bool failed;
};

static void collect(pid_t pid, void *ctx)
{
	struct collector *c = ctx;

	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 64;
		pid_t *bigger = realloc(c->pids, cap * sizeof(*bigger));

		if (!bigger) {
			c->failed = true;
			return;
		}
		c->pids = bigger;
		c->cap = cap;
	}
	c->pids[c->n++] = pid;
}

int processes_list(
	struct arena *a, const struct container *c, struct processes *ret, struct sl_err *err)
{
	const struct members m = {
		.proc_fd = c->proc_fd,
		.mount_ids = c->record.mount_ids,
		.n_mount_ids = c->record.n_mount_ids,
		.except = { c->record.supervisor.pid, c->record.init.pid },
	};
	struct collector k = { 0 };
	int n = members_each(&m, collect, &k);

	if (n < 0 || k.failed) {
		free(k.pids);
		return sl_err_set(
			err, k.failed ? ENOMEM : errno, "list the processes of %s", c->id);
	}
	ret->pids = arena_array(a, k.n + 1, sizeof(*ret->pids));
	if (k.n)
		memcpy(ret->pids, k.pids, k.n * sizeof(*k.pids));
	ret->n = k.n;
	free(k.pids);
	return 0;
}

static uint64_t pss_bytes(int proc_fd, pid_t pid)
{
	char path[48], buf[4096], *p;

	snprintf(path, sizeof(path), "%d/smaps_rollup", pid);
	if (io_slurp(proc_fd, path, buf, sizeof(buf)) < 0)
		return 0;
	p = strstr(buf, "\nPss:");
	return p ? strtoull(p + 5, NULL, 10) * 1024 : 0;
}

struct usage processes_usage(const struct container *c, const struct processes *p)
{
	const uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	struct usage u = { 0 };

	for (size_t i = 0; i < p->n; i++) {
		struct proc_stat s;

		if (proc_read_stat(c->proc_fd, p->pids[i], &s) < 0)
			continue;
		u.user_ns += s.user_ticks * tick_ns;
		u.system_ns += s.system_ticks * tick_ns;
		u.memory_bytes += pss_bytes(c->proc_fd, p->pids[i]);
	}
	return u;
}

FILE *processes_run_ps(char **argv, struct sl_err *err)
{
	posix_spawn_file_actions_t actions;
	int fds[2], rc;
	FILE *in;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		sl_err_set(err, errno, "pipe");
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	in = rc == 0 ? fdopen(fds[0], "r") : NULL;
	if (!in) {
		sl_err_set(err, rc ? rc : errno, "run %s", argv[0]);
		close(fds[0]);
	}
	return in;
}
