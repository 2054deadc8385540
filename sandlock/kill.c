/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>

#include "sandbox/sandbox.h"
#include "sandlock/sandlock.h"

#define END_MS 10000

static int end_sandbox(struct runtime *rt, const char *name, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;

	if (sandlock_open(rt, name, &c, err) < 0)
		return -1;
	if (container_signal(&c, SIGKILL, CONTAINER_EVERYONE, err) < 0)
		return sl_err_wrap(err, "kill %s", name);
	if (!proc_wait_end(c.proc_fd, &c.record.supervisor, END_MS))
		return sl_err_set(
			err, 0, "kill %s: it has not ended after %d s", name, END_MS / 1000);
	printf("Killed sandbox '%s' (child PID %d, supervisor PID %d)\n", name,
		c.record.workload.pid, c.record.supervisor.pid);
	return 0;
}

int sandlock_kill(struct runtime *rt, int argc, char **argv, char *const *all)
{
	struct sl_err err;
	int failed = 0;

	(void)all;
	if (sandlock_helped(argc, argv, "kill NAME...\n\nends sandboxes, by their names"))
		return 0;
	if (argc == 0 || argv[0][0] == '-') {
		sl_err_set(&err, 0, "usage: sandlock kill NAME...");
		return sandlock_fail(rt, &err);
	}
	rt->root = sandbox_state_root(rt->arena, &err);
	if (!rt->root)
		return sandlock_fail(rt, &err);
	for (int i = 0; i < argc; i++)
		if (end_sandbox(rt, argv[i], &err) < 0)
			failed = sandlock_fail(rt, &err);
	return failed;
}
