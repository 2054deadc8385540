/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/pid/status: what the kernel says of this process, a text with more groups than there is
 * room for, and texts from which something is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/proc_status.h"
#include "tests/unit/check.h"

#define BEFORE "Name:\tUid:\nUmask:\t0027\nTgid:\t12\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t"
#define AFTER                                                                                      \
	"\nThreads:\t9\nSigPnd:\t1\nShdPnd:\t2\nSigBlk:\t4\nSigIgn:\t8\nCapPrm:\tff\n"             \
	"CapEff:\t8000000000000001\n"

static void itself(void)
{
	const int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct proc_status s;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	CHECK(proc_read_status(proc_fd, getpid(), &s) == 0);
	CHECK(s.tgid == getpid() && s.threads == 1);
	CHECK(s.uid.real == getuid() && s.uid.effective == geteuid() && s.gid.real == getgid());
	CHECK(s.n_groups == (size_t)getgroups(0, NULL) && !s.more_groups);
	CHECK(s.blocked == 1ULL << (SIGUSR1 - 1) && (s.pending | s.shared) == s.blocked);
	CHECK(proc_read_status(proc_fd, 1 << 30, &s) < 0 && errno == ENOENT);
	close(proc_fd);
}

static void fields(void)
{
	struct proc_status s;

	CHECK(proc_parse_status(BEFORE "10 20 " AFTER, &s) == 0);
	CHECK(s.tgid == 12 && s.threads == 9 && s.umask == 027);
	CHECK(s.uid.real == 1 && s.uid.effective == 2 && s.uid.saved == 3 && s.uid.files == 4);
	CHECK(s.gid.real == 5 && s.gid.files == 8);
	CHECK(s.n_groups == 2 && s.groups[0] == 10 && s.groups[1] == 20);
	CHECK(s.pending == 1 && s.shared == 2 && s.blocked == 4 && s.ignored == 8);
	CHECK(s.permitted == 0xff && s.effective == 0x8000000000000001);
}

static void groups(void)
{
	char text[8192] = BEFORE;
	struct proc_status s;

	for (int i = 0; i < PROC_GROUPS_MAX; i++)
		strcat(text, "4294967294 ");
	strcat(text, AFTER);
	CHECK(proc_parse_status(text, &s) == 0 && !s.more_groups);
	CHECK(s.n_groups == PROC_GROUPS_MAX && s.groups[PROC_GROUPS_MAX - 1] == 4294967294);
	strcpy(text + sizeof(BEFORE) - 1, "1 ");
	for (int i = 0; i < PROC_GROUPS_MAX; i++)
		strcat(text, "2 ");
	strcat(text, AFTER);
	CHECK(proc_parse_status(text, &s) == 0 && s.more_groups);
}

/* Every text that ends before its last line does. */
static void torn(void)
{
	const char whole[] = BEFORE AFTER;
	const size_t last = strlen(whole) - strlen("CapEff:\t8000000000000001\n");
	struct proc_status s;
	char text[sizeof(whole)];

	for (size_t n = 0; n <= last; n++) {
		memcpy(text, whole, n);
		text[n] = '\0';
		CHECK(proc_parse_status(text, &s) < 0 && errno == EBADMSG);
	}
}

int main(void)
{
	itself();
	fields();
	groups();
	torn();
	return check_done();
}
