/* SPDX-License-Identifier: Apache-2.0
 *
 * without CALL... -- PROGRAM [ARGS]: executes a program for which these system calls are EPERM, as
 * on a machine that does not let it. Known are those below.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned int nr;
} known[] = {
	{ "perf_event_open", SYS_perf_event_open },
	{ "sched_setscheduler", SYS_sched_setscheduler },
};

static int refuse(unsigned int nr)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = insns };

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (strcmp(argv[i], known[k].name) == 0 && refuse(known[k].nr) < 0)
				return perror("seccomp"), 2;
	if (i + 1 >= argc)
		return fputs("without CALL... -- PROGRAM [ARGS]\n", stderr), 2;
	execvp(argv[i + 1], argv + i + 1);
	return perror(argv[i + 1]), 127;
}
