/* SPDX-License-Identifier: Apache-2.0
 *
 * Every refused call, made by number in a child under the filter: the exact errno. The
 * control arm makes the same call as root without the filter, where the answer must be
 * another one, so that the refusal is the filter's. The arguments cannot do harm.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/confine/filter.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

struct attempt {
	const struct syscall_row *row;
	const struct sock_filter *insns;
	size_t n;
};

static int want_of(const struct syscall_row *row)
{
	switch ((enum syscall_verdict)row->verdict) {
	case VERDICT_ABSENT: return ENOSYS;
	case VERDICT_REFUSE:
	case VERDICT_TRACE:
	case VERDICT_SYSV_IPC:
	case VERDICT_MQUEUE: return EPERM;
	case VERDICT_ALLOW:
	case VERDICT_CLONE:
	case VERDICT_IOCTL:
	case VERDICT_MKNOD:
	case VERDICT_FCNTL:
	case VERDICT_PRCTL:
	case VERDICT_PERSONALITY:
	case VERDICT_SOCKET:
	case VERDICT_SOCKETPAIR:
	case VERDICT_SETSOCKOPT:
	case VERDICT_SEND:
	case VERDICT_BIND:
	case VERDICT_LISTEN:
	case VERDICT_NAME:
	case VERDICT_ACCEPT:
	case VERDICT_RECVFROM:
	case VERDICT_RECVMSG:
	case VERDICT_CONNECT:
	case VERDICT_FORK:
	case VERDICT_SENDTO:
	case VERDICT_SENDMSG:
	case VERDICT_ONE_ID:
	case VERDICT_TWO_IDS:
	case VERDICT_TELLS:
	case VERDICT_GETPID:
	case VERDICT_SELF:
	case VERDICT_MEMBER:
	case VERDICT_AFFINITY:
	case VERDICT_PRIORITY:
	case VERDICT_IOPRIO:
	case VERDICT_BUSY:
	case VERDICT_UNLINKAT:
	case VERDICT_CPU_TIME:
	case VERDICT_UNAME:
	case VERDICT_SYSINFO:
	case VERDICT_COUNT: break;
	}
	return 0;
}

/* Bad pointers, bad descriptors and flags that do not exist. */
static int attempt(const void *arg)
{
	const struct attempt *a = arg;

	setsid(); /* vhangup has no argument: let it have no terminal either */
	if (a->insns && child_filter(a->insns, a->n, 0) < 0)
		return 255;
	errno = 0;
	return child_errno(syscall(a->row->nr, -1L, -1L, -1L, -1L, -1L, -1L)) & 0xff;
}

static void check_row(const struct syscall_row *row, const struct sock_filter *insns, size_t n)
{
	const struct attempt with = { row, insns, n };
	const struct attempt without = { row, NULL, 0 };
	int want = want_of(row);
	int got, control;

	if (!want)
		return;
	got = child_run(attempt, &with);
	control = child_run(attempt, &without);
	/* The kernel may lack the call as well; then there is nothing to refuse. */
	if (got == want && (control != want || want == ENOSYS))
		return;
	printf("# %s: errno %d, without the filter %d, expected %d\n", row->name, got, control,
		want);
	CHECK_NOT_REACHED("the refusal is the filter's");
}

int main(void)
{
	static struct sock_filter insns[FILTER_MAX];
	const struct filter_params p = {
		.supervisor = getppid() > 1 ? getppid() : 2,
		.init = getpid(),
		.init_thread = getpid(),
		.init_fetcher = getpid(),
	};
	struct sl_err err;
	size_t n = 0;
	int denied = 0;

	CHECK(geteuid() == 0); /* otherwise EPERM could be the kernel's */
	CHECK(filter_build(&p, insns, FILTER_MAX, &n, &err) == 0);
	for (int nr = 0; nr <= syscall_newest(); nr++) {
		if (!syscall_row(nr))
			continue;
		denied += want_of(syscall_row(nr)) != 0;
		check_row(syscall_row(nr), insns, n);
	}
	printf("# %d refused calls\n", denied);
	CHECK(denied > 60); /* fewer where old calls never were */
	return check_done();
}
