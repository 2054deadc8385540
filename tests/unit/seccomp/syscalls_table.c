/* SPDX-License-Identifier: Apache-2.0
 *
 * The table against itself: what takes a pid, a process group, a user, a pidfd, an address,
 * a handle or a foreign descriptor has a reason of its own, and what is never to be
 * trapped is not.
 */
#include <stdlib.h>

#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

#define THOUGHT_ABOUT                                                                              \
	(TAKES_PID | TAKES_PGID | TAKES_UID | TAKES_PIDFD | TAKES_ADDRESS | TAKES_FOREIGN_FD |     \
		TAKES_HANDLE)

static bool has_general_reason(const struct syscall_row *row)
{
	const char *why = syscall_why(row);

	return strcmp(why, syscall_why(syscall_row(__NR_read))) == 0 ||
	       strcmp(why, syscall_why(syscall_row(__NR_openat))) == 0;
}

static void check_rows(void)
{
	for (int nr = 0; nr <= syscall_newest(); nr++) {
		const struct syscall_row *row = syscall_row(nr);

		if (!row)
			continue;
		if (row->nr != nr || row->arg > 5 || !*syscall_why(row) ||
			(has_general_reason(row) &&
				((row->takes & THOUGHT_ABOUT) || row->verdict != VERDICT_ALLOW)) ||
			(row->notify == NOTIFY_PID_MEMBER &&
				(row->arg < 0 || !(row->takes & TAKES_PID)))) {
			printf("# %s\n", row->name);
			CHECK_NOT_REACHED("a row that is whole");
		}
	}
}

static void check_never_trapped(void)
{
	static const char *const names[] = { "open", "openat", "openat2", "stat", "fstat", "lstat",
		"newfstatat", "statx", "read", "write", "readv", "writev", "pread64", "pwrite64",
		"mmap", "munmap", "brk", "wait4", "waitid", "close", "close_range", "execve",
		"futex", "epoll_wait", "epoll_pwait", "poll", "ppoll" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct syscall_row *row = syscall_row_by_name(names[i]);

		if (row) /* the old ones are not on every architecture */
			CHECK(row->verdict == VERDICT_ALLOW && row->notify == NOTIFY_NONE);
	}
}

int main(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	check_rows();
	check_never_trapped();
	CHECK(!syscall_row(-1));
	CHECK(!syscall_row(400)); /* the gap below 424 */
	CHECK(!syscall_row(syscall_newest() + 1));
	CHECK(!syscall_row_by_name("no_such_call"));
	CHECK(!syscall_row_by_name(""));
	CHECK(syscall_newest() == __NR_file_setattr);
	CHECK(syscall_row(__NR_prlimit64)->notify == NOTIFY_PID_MEMBER);
	CHECK(syscall_row(__NR_prlimit64)->arg == 0);
	CHECK(syscall_row(__NR_setpriority)->arg == 1);
	CHECK(syscall_row(__NR_uname)->notify == NOTIFY_UNAME);
	CHECK(syscalls_print_markdown(out) == 0);
	fclose(out);
	CHECK_CONTAINS(text, "`open_by_handle_at` | handle | EPERM | ");
	CHECK_CONTAINS(text, "`clone3` |  | ENOSYS | ");
	free(text);
	return check_done();
}
