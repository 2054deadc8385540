/* SPDX-License-Identifier: Apache-2.0
 *
 * The exchange of the file that a process runs, and what takes its place where the kernel
 * refuses a step.
 */
#include "runtime/base/image.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "runtime/base/kernel.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

#define EXE     "/proc/self/exe"
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define LOW(n)  (offsetof(struct seccomp_data, args) + (n) * sizeof(__u64))

enum { READ_ONLY = 10, SEALED, NEITHER, FAILED, ANEW = 20 };

static char name[] = "image", again[] = "again";
static char *const AGAIN[] = { name, again, NULL };

static int kind_of_exe(void)
{
	struct statvfs st;
	int fd = open(EXE, O_RDONLY | O_CLOEXEC);

	if (fcntl(fd, F_GET_SEALS) > 0)
		return SEALED;
	if (fstatvfs(fd, &st) < 0 || !(st.f_flag & ST_RDONLY))
		return NEITHER;
	return chmod(EXE, 0755) < 0 && errno == EROFS ? READ_ONLY : NEITHER;
}

/* A writable variable and a constant table keep what they had. */
static int counted = 41;

struct refusal {
	bool clone, exchange, execute;
};

static int protect(const void *arg)
{
	const struct refusal *r = arg;
	const struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open_tree, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, r->clone ? REFUSED : SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open_tree_attr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, r->clone ? REFUSED : SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, r->execute ? REFUSED : SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(0)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_MM, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, r->exchange ? REFUSED : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sl_err err = { 0 };
	int mount_fd;

	if (child_filter(filter, sizeof(filter) / sizeof(filter[0]), 0) < 0)
		return -1;
	counted++;
	if (image_protect(AGAIN, &mount_fd, &err) < 0)
		return strstr(err.msg, "protect the runtime's file: execute it") ? FAILED : -1;
	return counted == 42 ? kind_of_exe() : -1;
}

int main(int argc, char **argv)
{
	static const struct refusal none = { 0 }, clone = { .clone = true },
				    exchange = { .exchange = true },
				    both = { .clone = true, .exchange = true },
				    all = { .clone = true, .exchange = true, .execute = true };
	struct stat before, after;

	if (argc == 2 && strcmp(argv[1], "again") == 0) {
		struct sl_err err;
		int mount_fd;

		/* Under the same refusal as before: it must not be executed for ever. */
		return image_protect(AGAIN, &mount_fd, &err) < 0 ? FAILED : ANEW + kind_of_exe();
	}
	CHECK(stat(EXE, &before) == 0);
	CHECK(kind_of_exe() == NEITHER);
	CHECK(child_run(protect, &none) == READ_ONLY);
	CHECK(child_run(protect, &clone) == SEALED);
	CHECK(child_run(protect, &exchange) == ANEW + READ_ONLY);
	CHECK(child_run(protect, &both) == ANEW + SEALED);
	CHECK(child_run(protect, &all) == FAILED);
	CHECK(stat(EXE, &after) == 0 && after.st_mode == before.st_mode);
	return check_done();
}
