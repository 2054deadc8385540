/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses what a container may be limited in; static, so that it runs inside any root.
 *
 *   load spin MS              uses so much processor time
 *   load unwaited MS          the same in a child that nobody waits for, which says "spun" and
 *                             ends at the end of stdin
 *   load flit MS              uses so much in one process after the other, and nobody waits for
 *                             them
 *   load hold KIND MIB [N]    N processes hold so much memory each: "held", or the errno; then
 *                             they stay. KIND: see below
 *   load hurry KIND MIB [N]   the same as fast as it can, without an end: again and again
 *   load map N                calls for memory, N times
 *   load bomb                 makes processes that make processes
 *   load tasks HOW N          makes up to N tasks that stay, says how many and the errno
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB   ((size_t)1 << 20)
#define STACK 65536

static void stay(void)
{
	for (;;)
		pause();
}

static void spin(long ms)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

/* Short processes that nobody waits for, without an end. */
static int flit(long ms)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		const pid_t pid = fork();

		if (pid == 0) {
			spin(ms);
			_exit(0);
		}
		/* returns when no child is left */
		while (waitpid(-1, NULL, 0) > 0)
			;
	}
}

static int unwaited(long ms)
{
	char c;

	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0) {
		spin(ms);
		puts("spun");
		(void)!read(0, &c, 1);
		_exit(0);
	}
	stay();
	return 0;
}

static char *map(size_t n, int flags, int fd)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static char *map_file(const char *path, size_t n)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL, 0600) : memfd_create("load", 0);

	if (fd < 0 || ftruncate(fd, (off_t)n) < 0 || (path && unlink(path) < 0))
		return NULL;
	return map(n, MAP_SHARED, fd);
}

/* A file of a tmpfs that has no name and is not mapped. */
static int fill_file(const char *path, size_t n)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL, 0600) : memfd_create("load", 0);

	if (fd < 0 || (path && unlink(path) < 0))
		return -1;
	return posix_fallocate(fd, 0, (off_t)n) == 0 ? 0 : -1;
}

static int touch(char *p, size_t n)
{
	if (!p)
		return -1;
	memset(p, 1, n);
	return 0;
}

/* A System V segment that is not attached any more. */
static int fill_segment(size_t n)
{
	int id = shmget(IPC_PRIVATE, n, IPC_CREAT | 0600);
	char *p = id < 0 ? (char *)-1 : shmat(id, NULL, 0);

	return p == (char *)-1 || touch(p, n) < 0 || shmdt(p) < 0 ? -1 : 0;
}

/* Page tables without pages: one for each 2 MiB of which a page is read. */
static int fill_tables(size_t n)
{
	const size_t tables = n / 4096;
	const char *p = mmap(NULL, tables * 2 * MIB, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char sum = 0;

	if (p == MAP_FAILED || madvise((void *)p, tables * 2 * MIB, MADV_NOHUGEPAGE) < 0)
		return -1;
	for (size_t i = 0; i < tables; i++)
		sum += *(volatile const char *)(p + i * 2 * MIB);
	return sum;
}

/* Sends a descriptor, or (-1) receives one. */
static int pass(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	if (fd < 0)
		return recvmsg(sock, &msg, 0) == 1 ? 0 : -1;
	*c = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -1;
}

/* Another process keeps a file that this one has filled, passed and closed. */
static int pass_file(size_t n)
{
	int pair[2], fd = memfd_create("load", 0);

	if (fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return -1;
	if (fork() == 0) {
		close(fd);
		pass(pair[0], -1);
		stay();
	}
	if (pass(pair[1], fd) < 0 || posix_fallocate(fd, 0, (off_t)n) != 0)
		return -1;
	return close(fd);
}

static int hold_in_one(void *n)
{
	touch(map(*(size_t *)n, MAP_PRIVATE | MAP_ANONYMOUS, -1), *(size_t *)n);
	stay();
	return 0;
}

/* In a child that sends no signal at its end, or that is a child of the parent. */
static int hold_in_child(size_t n, int flags)
{
	if (clone(hold_in_one, map(STACK, MAP_PRIVATE | MAP_ANONYMOUS, -1) + STACK, flags, &n) < 0)
		return -1;
	usleep(300000);
	return 0;
}

/* Calls for memory, and page faults. */
static int map_often(int n)
{
	for (int i = 0; i < n; i++) {
		char *p = map(4 * 4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		if (touch(p, 4 * 4096) < 0 || mprotect(p, 4 * 4096, PROT_READ) < 0 ||
			madvise(p, 4096, MADV_DONTNEED) < 0)
			return 1;
		p = mremap(p, 4 * 4096, 8 * 4096, MREMAP_MAYMOVE);
		if (p == MAP_FAILED || munmap(p, 8 * 4096) < 0 || sbrk(4096) == (void *)-1 ||
			sbrk(-4096) == (void *)-1)
			return 1;
	}
	puts("mapped");
	stay();
	return 0;
}

struct part {
	const char *kind;
	size_t n;
};

static int hold(const char *kind, size_t n);

static int hold_part(void *arg)
{
	const struct part *p = arg;

	usleep(100000); /* a first thread that ends has ended by then */
	puts(hold(p->kind, p->n) < 0 ? strerrorname_np(errno) : "held");
	stay();
	return 0;
}

static void *hold_in_thread(void *arg)
{
	hold_part(arg);
	return NULL;
}

/* The first thread ends, and another one goes on. */
static void leave_it_to_a_thread(const char *kind, size_t n)
{
	static struct part p;
	pthread_t t;

	p = (struct part){ kind, n };
	pthread_create(&t, NULL, hold_in_thread, &p);
	syscall(SYS_exit, 0);
}

/* A thread with its own table of descriptors does it. */
static void fill_by_thread(const char *kind, size_t n)
{
	static struct part p;
	char *stack = map(65536, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	p = (struct part){ kind, n };
	clone(hold_part, stack + 65536, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, &p);
	stay();
}

/* Makes children by vfork(2), which share their parent's memory most of the time. */
static void vfork_again_and_again(void)
{
	for (;;) {
		pid_t pid = vfork();

		if (pid == 0) {
			usleep(200000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void hold_in_a_way(const char *kind, size_t n)
{
	if (strcmp(kind, "leaderless") == 0)
		leave_it_to_a_thread("anon", n);
	if (strcmp(kind, "leaderless-memfd") == 0)
		leave_it_to_a_thread("memfd-unmapped", n);
	if (strcmp(kind, "own-table") == 0)
		fill_by_thread("memfd-unmapped", n);
	if (strcmp(kind, "vfork") == 0) {
		touch(map(n, MAP_PRIVATE | MAP_ANONYMOUS, -1), n);
		puts("held");
		vfork_again_and_again();
	}
}

static int hold(const char *kind, size_t n)
{
	const int own = MAP_PRIVATE | MAP_ANONYMOUS;
	char path[64], *p;

	snprintf(path, sizeof(path), "/dev/shm/load.%d", getpid());
	if (strcmp(kind, "anon") == 0)
		return touch(map(n, own, -1), n);
	if (strcmp(kind, "huge") == 0) {
		p = map(n + 2 * MIB, own, -1);
		if (p)
			madvise(p, n + 2 * MIB, MADV_HUGEPAGE);
		return touch(p, n);
	}
	if (strcmp(kind, "reserve") == 0)
		return mmap(NULL, n, PROT_NONE, own | MAP_NORESERVE, -1, 0) == MAP_FAILED ? -1 : 0;
	if (strcmp(kind, "shared") == 0)
		return touch(map(n, MAP_SHARED | MAP_ANONYMOUS, -1), n);
	if (strcmp(kind, "memfd") == 0)
		return touch(map_file(NULL, n), n);
	if (strcmp(kind, "memfd-unmapped") == 0)
		return fill_file(NULL, n);
	if (strcmp(kind, "deleted") == 0)
		return fill_file(path, n);
	if (strcmp(kind, "segment") == 0)
		return fill_segment(n);
	if (strcmp(kind, "tables") == 0)
		return fill_tables(n);
	if (strcmp(kind, "passed") == 0)
		return pass_file(n);
	if (strcmp(kind, "silent") == 0 || strcmp(kind, "child-of-parent") == 0)
		return hold_in_child(n, kind[0] == 's' ? 0 : CLONE_PARENT);
	if (strcmp(kind, "deleted-mapped") == 0)
		return touch(map_file(path, n), n);
	errno = EINVAL;
	return -1;
}

static void hold_and_say(const char *kind, size_t n)
{
	puts(hold(kind, n) < 0 ? strerrorname_np(errno) : "held");
}

/* "cow": one has it, and the others are its children, who write to none of it or ("cow-written")
 * to all. */
static int hold_many(const char *kind, size_t n, int processes)
{
	const int written = strcmp(kind, "cow-written") == 0;
	char *p = NULL;

	hold_in_a_way(kind, n);
	if (strncmp(kind, "cow", 3) == 0) {
		p = map(n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		touch(p, n);
	}
	for (int i = 1; i < processes; i++) {
		if (fork() != 0)
			continue;
		if (p && written)
			touch(p, n);
		else if (!p)
			hold(kind, n);
		stay();
	}
	if (p)
		puts("held");
	else
		hold_and_say(kind, n);
	stay();
	return 0;
}

static int hurry(const char *kind, size_t n, int processes)
{
	for (int i = 1; i < processes; i++)
		if (fork() == 0)
			break;
	for (;;)
		if (hold(kind, n) < 0)
			return 1;
}

static void *thread(void *arg)
{
	stay();
	return arg;
}

static int child(void *arg)
{
	stay();
	return arg != NULL;
}

static int fork_twice(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pid = fork();
		if (pid == 0)
			stay();
		_exit(pid < 0 ? errno : 0);
	}
	if (pid > 0) {
		int status;

		waitpid(pid, &status, 0);
		errno = WEXITSTATUS(status);
		return errno ? -1 : 0;
	}
	return -1;
}

static char *new_stack(void)
{
	return map(STACK, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static int make_task(const char *how)
{
	pthread_attr_t attr;
	pthread_t t;
	pid_t pid;

	if (strcmp(how, "thread") == 0) {
		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 65536);
		errno = pthread_create(&t, &attr, thread, NULL);
		return errno ? -1 : 0;
	}
	if (strcmp(how, "silent") == 0) /* no signal for the parent at its end */
		return clone(child, new_stack() + STACK, 0, NULL);
	if (strcmp(how, "same-memory") == 0)
		return clone(child, new_stack() + STACK, CLONE_VM | SIGCHLD, NULL);
	if (strcmp(how, "twice") == 0)
		return fork_twice();
	if (strcmp(how, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			execl("/proc/self/exe", "load", "stay", (char *)NULL);
			_exit(1);
		}
		return pid;
	}
	pid = fork();
	if (pid == 0) {
		if (strcmp(how, "zombie") == 0)
			_exit(0);
		if (strcmp(how, "setsid") == 0)
			setsid();
		stay();
	}
	return pid;
}

static int tasks(const char *how, int n)
{
	int made = 0;

	errno = 0;
	while (made < n && make_task(how) >= 0)
		made++;
	printf("%d %s\n", made, made < n ? strerrorname_np(errno) : "ok");
	stay();
	return 0;
}

static void bomb(void)
{
	for (;;)
		(void)!fork();
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	const int n = argc > 4 ? atoi(argv[4]) : 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(verb, "stay") == 0)
		stay();
	if (strcmp(verb, "bomb") == 0)
		bomb();
	if (strcmp(verb, "spin") == 0 && argc == 3)
		return spin(atol(argv[2])), 0;
	if (strcmp(verb, "flit") == 0 && argc == 3)
		return flit(atol(argv[2]));
	if (strcmp(verb, "unwaited") == 0 && argc == 3)
		return unwaited(atol(argv[2]));
	if (strcmp(verb, "hold") == 0 && argc > 3)
		return hold_many(argv[2], (size_t)atol(argv[3]) * MIB, n);
	if (strcmp(verb, "hurry") == 0 && argc > 3)
		return hurry(argv[2], (size_t)atol(argv[3]) * MIB, n);
	if (strcmp(verb, "map") == 0 && argc == 3)
		return map_often(atoi(argv[2]));
	if (strcmp(verb, "tasks") == 0 && argc == 4)
		return tasks(argv[2], atoi(argv[3]));
	fputs("load: spin, unwaited, flit, hold, hurry, map, tasks\n", stderr);
	return 2;
}
