/* SPDX-License-Identifier: Apache-2.0
 *
 *   confine_time N
 *
 * Medians of N: installing our filter, installing a plain list with the same answer for every
 * call number (its arguments zero), what either costs a call, and Landlock. Prints lines like
 * `filter-tree 150.2`: microseconds, but nanoseconds for call-*.
 */
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/kernel.h"
#include "runtime/confine/filter.h"
#include "runtime/confine/landlock.h"
#include "runtime/seccomp/bpf_run.h"
#include "tests/helpers/clock.h"

#define NUMBERS   480 /* past the last number of today's kernels */
#define CALLS     20000
#define N_MAX     1000
#define N_RESULTS 2

struct program {
	struct sock_filter insns[FILTER_MAX];
	size_t n;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return v[n / 2];
}

static void make_list(const struct program *tree, struct program *list)
{
	struct sock_filter *p = list->insns;

	*p++ = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned int nr = 0; nr < NUMBERS; nr++) {
		struct seccomp_data data = { .nr = (int)nr, .arch = AUDIT_ARCH_X86_64 };

		*p++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
		*p++ = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, bpf_run(tree->insns, tree->n, &data).action);
	}
	*p++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	list->n = (size_t)(p - list->insns);
}

static void time_filter(const struct program *p, double *ret)
{
	const struct sock_fprog prog = {
		.len = (unsigned short)(p ? p->n : 0),
		.filter = (struct sock_filter *)(p ? p->insns : NULL),
	};
	double t0 = clock_us();

	if (p && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		_exit(1);
	ret[0] = clock_us() - t0;
	t0 = clock_us();
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	ret[1] = (clock_us() - t0) * 1e3 / CALLS;
}

static void time_landlock(double *ret)
{
	struct node_policy node = { 0 };
	struct landlock_rule root = { .access = LANDLOCK_TREE_ACCESS };
	const struct landlock_params p = { .rules = &root, .n_rules = 1, .waived = node.waived };
	struct sl_err err;
	double t0;
	int fd;

	root.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	t0 = clock_us();
	if (landlock_prepare(&p, &fd, &err) < 0)
		_exit(1);
	ret[0] = clock_us() - t0;
	t0 = clock_us();
	if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		_exit(1);
	ret[1] = clock_us() - t0;
}

/* Confinement can't be undone: each measurement is a process of its own. */
static int in_child(const struct program *p, int landlock, double *shared)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
		if (landlock)
			time_landlock(shared);
		else
			time_filter(p, shared);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static int measure(const struct program *tree, const struct program *list, int n)
{
	double v[4][N_RESULTS][N_MAX];
	double *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct program *programs[3] = { tree, list, NULL };

	if (shared == MAP_FAILED)
		return -1;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 4; k++) {
			if (in_child(k < 3 ? programs[k] : NULL, k == 3, shared) < 0)
				return -1;
			v[k][0][i] = shared[0];
			v[k][1][i] = shared[1];
		}
	}
	printf("filter-tree %.1f\nfilter-list %.1f\n", median(v[0][0], n), median(v[1][0], n));
	printf("call-tree %.1f\ncall-list %.1f\ncall-none %.1f\n", median(v[0][1], n),
		median(v[1][1], n), median(v[2][1], n));
	printf("landlock-prepare %.1f\nlandlock-enter %.1f\n", median(v[3][0], n),
		median(v[3][1], n));
	return 0;
}

int main(int argc, char **argv)
{
	static struct program tree, list;
	const struct filter_params p = {
		.supervisor = 2, .init = 3, .init_thread = 4, .init_fetcher = 5
	};
	struct sl_err err;
	int n = argc > 1 ? atoi(argv[1]) : 0;

	if (n <= 0 || n > N_MAX)
		return 2;
	if (filter_build(&p, tree.insns, FILTER_MAX, &tree.n, &err) < 0) {
		fprintf(stderr, "confine_time: %s\n", err.msg);
		return 1;
	}
	make_list(&tree, &list);
	if (measure(&tree, &list, n) < 0) {
		fprintf(stderr, "confine_time: a measurement failed\n");
		return 1;
	}
	return 0;
}
