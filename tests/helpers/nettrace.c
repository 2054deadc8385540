/* SPDX-License-Identifier: Apache-2.0
 *
 * A tracer that changes the connects of its child; static, so that it runs in any root. The
 * verdict is what the listeners saw.
 *
 *	entry regs|info GOOD BAD PORT N	N connects to GOOD, every second one turned to BAD at its
 *					entry, through the registers or PTRACE_SET_SYSCALL_INFO
 *	pending DEAD BAD PORT		a connect that hangs is stopped and goes on as one to BAD
 *					on another socket
 */
#include <arpa/inet.h>
#include <elf.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SET_SYSCALL_INFO ((enum __ptrace_request)0x4212) /* 6.16 */

/* Registers of a call at its entry (syscall(2)). */
#ifdef __x86_64__
#define CALL_NR(regs)   (regs).orig_rax
#define CALL_ARG0(regs) (regs).rdi
#define CALL_ARG1(regs) (regs).rsi
#else
#define CALL_NR(regs)   (regs).regs[8]
#define CALL_ARG0(regs) (regs).regs[0]
#define CALL_ARG1(regs) (regs).regs[1]
#endif

/* PTRACE_GETREGSET or PTRACE_SETREGSET of the general registers. */
static bool registers(enum __ptrace_request request, pid_t child, struct user_regs_struct *regs)
{
	struct iovec iov = { regs, sizeof(*regs) };

	return ptrace(request, child, (void *)NT_PRSTATUS, &iov) == 0;
}

static struct sockaddr_in address(const char *ip, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (inet_pton(AF_INET, ip, &a.sin_addr) != 1)
		exit(2);
	return a;
}

static _Noreturn void connect_traced(const struct sockaddr_in *a, int n)
{
	int good = 0, refused = 0;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (int i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		int rc = connect(fd, (const struct sockaddr *)a, sizeof(*a));

		good += rc == 0;
		refused += rc < 0 && errno == ECONNREFUSED;
		close(fd);
	}
	printf("good %d refused %d\n", good, refused);
	fflush(stdout);
	_exit(0);
}

static bool turn(pid_t child, bool by_info, const struct sockaddr_in *to)
{
	struct __ptrace_syscall_info info;
	struct user_regs_struct regs;

	if (by_info) {
		void *size = (void *)sizeof(info);

		if (ptrace(PTRACE_GET_SYSCALL_INFO, child, size, &info) <= 0)
			return false;
		info.entry.args[1] = (uintptr_t)to;
		return ptrace(SET_SYSCALL_INFO, child, size, &info) == 0;
	}
	if (!registers(PTRACE_GETREGSET, child, &regs))
		return false;
	CALL_ARG1(regs) = (uintptr_t)to;
	return registers(PTRACE_SETREGSET, child, &regs);
}

static bool enters_connect(pid_t child)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_connect;
}

/* The child is a fork, so the same addresses are valid in it. */
static int cmd_entry(char **v)
{
	const struct sockaddr_in good = address(v[1], v[3]), bad = address(v[2], v[3]);
	bool by_info = strcmp(v[0], "info") == 0;
	int n = atoi(v[4]), seen = 0, turned = 0, status;
	pid_t child = fork();

	if (child == 0)
		connect_traced(&good, n);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (enters_connect(child) && seen++ % 2 == 1)
			turned += turn(child, by_info, &bad);
		if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) < 0)
			return 3;
	}
	printf("turned %d\n", turned);
	return 0;
}

static int cmd_pending(char **v)
{
	const struct sockaddr_in dead = address(v[0], v[2]), bad = address(v[1], v[2]);
	int fd = socket(AF_INET, SOCK_STREAM, 0), other_fd = socket(AF_INET, SOCK_STREAM, 0);
	struct user_regs_struct regs;
	pid_t child = fork();
	int status;

	if (child == 0) {
		int rc = connect(fd, (const struct sockaddr *)&dead, sizeof(dead));

		printf("connect %s\n", rc < 0 ? strerrorname_np(errno) : "ok");
		fflush(stdout);
		_exit(0);
	}
	usleep(300000);
	if (ptrace(PTRACE_ATTACH, child, NULL, NULL) < 0) {
		printf("attach %s\n", strerrorname_np(errno));
		kill(child, SIGKILL);
		return 0;
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
		!registers(PTRACE_GETREGSET, child, &regs))
		return 3;
	printf("stopped in %s\n", CALL_NR(regs) == SYS_connect ? "connect" : "another call");
	CALL_ARG0(regs) = (unsigned int)other_fd;
	CALL_ARG1(regs) = (uintptr_t)&bad;
	if (!registers(PTRACE_SETREGSET, child, &regs) ||
		ptrace(PTRACE_DETACH, child, NULL, NULL) < 0)
		return 3;
	waitpid(child, &status, 0);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 7 && strcmp(argv[1], "entry") == 0)
		return cmd_entry(argv + 2);
	if (argc == 5 && strcmp(argv[1], "pending") == 0)
		return cmd_pending(argv + 2);
	fputs("nettrace: what?\n", stderr);
	return 2;
}
