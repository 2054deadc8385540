/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls every number from 0 to 511, and every one of them once more with the x32 bit, each
 * in a child of its own, and prints `number<TAB>name<TAB>expected<TAB>got`. The expectation
 * comes from the one list, runtime/seccomp/syscalls.def; `same` means that the same program
 * outside of the sandbox has to get the same. The arguments are numbers that are no
 * descriptor, no process and no address, so that what is not refused fails without effect.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/seccomp/syscalls.h"
#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define NUMBERS 512
#define NOTHING 0x3fffffffL
#define ROUNDS  4000 /* half a millisecond each before a call counts as blocked */

static const struct {
	const char *name;
	enum syscall_verdict verdict;
} ROWS[NUMBERS] = {
#define SYSCALL(name, verdict, takes, arg, why) [__NR_##name] = { #name, VERDICT_##verdict },
#include "runtime/seccomp/syscalls.def"
#undef SYSCALL
};

/* Calls for which NOTHING as an argument would do something: a new process with strange
 * flags, objects that stay behind. */
static const struct {
	long number;
	long args[6];
} HARMLESS[] = {
	{ SYS_clone, { SIGCHLD } },
	{ SYS_shmget, { NOTHING, 0, 0 } },
	{ SYS_msgget, { NOTHING, 0 } },
	{ SYS_semget, { NOTHING, 0, 0 } },
};

static bool is_get(long number)
{
	return number == SYS_shmget || number == SYS_semget || number == SYS_msgget;
}

/* What the verdict gives for these arguments; without a sandbox the answer is the kernel's. */
static const char *expectation(long number)
{
	if (!ROWS[number].name)
		return "ENOSYS";
	switch (ROWS[number].verdict) {
	case VERDICT_ALLOW:
	case VERDICT_CLONE: /* without a flag */
	case VERDICT_IOCTL: /* an unknown command */
	case VERDICT_MKNOD: /* no type */
	case VERDICT_FCNTL:
	case VERDICT_PRCTL:
	case VERDICT_SETSOCKOPT:
	case VERDICT_TRACE: /* nobody's id */
	case VERDICT_ONE_ID:
	case VERDICT_TWO_IDS:
	case VERDICT_TELLS:
	case VERDICT_GETPID:
	case VERDICT_FORK:
	case VERDICT_CONNECT: /* of no descriptor */
	case VERDICT_BIND:
	case VERDICT_LISTEN:
	case VERDICT_NAME:
	case VERDICT_ACCEPT:
	case VERDICT_RECVFROM:
	case VERDICT_RECVMSG:
	case VERDICT_BUSY:
	case VERDICT_UNLINKAT:
	case VERDICT_CPU_TIME: /* no such clock */
	case VERDICT_SYSINFO:  /* memory is not limited */
	case VERDICT_UNAME: /* the name shown is the host's */ return "same";
	case VERDICT_ABSENT:
	case VERDICT_COUNT: return "ENOSYS";
	case VERDICT_SOCKET:
	case VERDICT_SOCKETPAIR: return "EAFNOSUPPORT";
	case VERDICT_REFUSE:
	case VERDICT_PERSONALITY:
	case VERDICT_SENDTO:
	case VERDICT_SENDMSG:
	case VERDICT_SEND: /* the flags have MSG_FASTOPEN's bit */
	case VERDICT_SELF:
	case VERDICT_MEMBER: /* not a member */
	case VERDICT_AFFINITY:
	case VERDICT_PRIORITY:
	case VERDICT_IOPRIO: return "EPERM";
	case VERDICT_SYSV_IPC: /* of an id that is not the pod's; of a key: nobody has made it */
		return is_get(number) ? "same" : "EINVAL";
	case VERDICT_MQUEUE: return "same";
	}
	return "?";
}

static const long *arguments(long number)
{
	static const long nothing[6] = { NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING };

	for (size_t i = 0; i < sizeof(HARMLESS) / sizeof(HARMLESS[0]); i++)
		if (HARMLESS[i].number == number)
			return HARMLESS[i].args;
	return nothing;
}

static void call(struct trial *t, long number, long bit)
{
	const long *a = arguments(number);
	long ret;

	setsid();
	ret = syscall(number | bit, a[0], a[1], a[2], a[3], a[4], a[5]);
	/* After fork, vfork and clone both sides come by here; the first has said it all. */
	if (t->error < 0)
		t->error = ret < 0 && ret >= -4095 ? errno : 0;
	_exit(0);
}

static const char *outcome(const struct trial *t, pid_t pid)
{
	static char text[32];
	int status = 0;

	for (int i = 0; i < ROUNDS; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		usleep(500);
		if (i == ROUNDS - 1) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return t->error < 0 ? "blocked" : "ok";
		}
	}
	if (t->error > 0)
		return strerrorname_np(t->error);
	if (t->error == 0)
		return "ok";
	if (WIFEXITED(status))
		return "exited";
	snprintf(text, sizeof(text), "killed:%s", sigabbrev_np(WTERMSIG(status)));
	return text;
}

static void try_number(struct trial *t, long number, long bit)
{
	const char *name = ROWS[number].name ? ROWS[number].name : "-";
	pid_t pid;

	t->error = -1;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		call(t, number, bit);
	printf("%ld%s\t%s\t%s\t%s\n", number, bit ? "x32" : "", name,
		bit ? "killed:SYS" : expectation(number), outcome(t, pid));
}

int attack_syscalls(void)
{
	struct trial *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (t == MAP_FAILED)
		return 1;
	for (long number = 0; number < NUMBERS; number++)
		try_number(t, number, 0);
#ifdef __x86_64__
	for (long number = 0; number < NUMBERS; number++)
		try_number(t, number, X32_BIT);
#endif
	printf("end\n");
	return 0;
}
