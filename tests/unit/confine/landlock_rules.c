/* SPDX-License-Identifier: Apache-2.0
 *
 * A ruleset of two rules with different rights: each is granted what its own rule says, and
 * nothing is granted without one. Control: without the domain everything succeeds.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/landlock.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

enum dir { TO_READ, TO_WRITE, NEITHER, N_DIRS };

struct act {
	int dir_fd;
	int ruleset_fd; /* -1: the control arm */
	bool write;
};

static int do_act(const void *arg)
{
	const struct act *a = arg;

	if (a->ruleset_fd >= 0 &&
		(prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0 ||
			syscall(SYS_landlock_restrict_self, a->ruleset_fd, 0) < 0))
		return 255;
	return child_errno(a->write ? openat(a->dir_fd, "new", O_CREAT | O_WRONLY, 0600)
				    : openat(a->dir_fd, "old", O_RDONLY));
}

int main(void)
{
	static const int want[N_DIRS][2] = {
		[TO_READ] = { 0, EACCES },
		[TO_WRITE] = { EACCES, 0 },
		[NEITHER] = { EACCES, EACCES },
	};
	const struct node_policy node = { .own_namespace = false };
	struct landlock_rule rules[] = {
		{ .access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR },
		{ .access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG },
	};
	const struct landlock_params p = { .rules = rules, .n_rules = 2, .waived = node.waived };
	char dir[] = "/tmp/landlock-rules-XXXXXX", name[] = "0", command[64];
	int dirs[N_DIRS], top_fd = -1, fd = -1;
	struct sl_err err;

	CHECK(mkdtemp(dir) && (top_fd = open(dir, O_PATH | O_CLOEXEC)) >= 0);
	for (enum dir i = 0; i < N_DIRS; i++, name[0]++) {
		CHECK(mkdirat(top_fd, name, 0700) == 0);
		dirs[i] = openat(top_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(openat(dirs[i], "old", O_CREAT | O_WRONLY, 0600));
	}
	rules[0].fd = dirs[TO_READ];
	rules[1].fd = dirs[TO_WRITE];
	CHECK(landlock_prepare(&p, &fd, &err) == 0);
	for (enum dir i = 0; i < N_DIRS; i++)
		for (int write = 0; write < 2; write++) {
			struct act a = { dirs[i], -1, write };

			CHECK(child_run(do_act, &a) == 0);
			unlinkat(dirs[i], "new", 0);
			a.ruleset_fd = fd;
			CHECK(child_run(do_act, &a) == want[i][write]);
			unlinkat(dirs[i], "new", 0);
		}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK(system(command) == 0);
	return check_done();
}
