/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread executes a set-id program while another thread of it, the process' first, waits in a
 * call that the supervisor answers: from then on the caller's number is that of a program with
 * more rights. The test holds the supervisor up between its look and its act (strace(1),
 * --inject=…:delay_enter); without that the time is a microsecond, or as long as a busy machine
 * keeps the supervisor from its processor.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"

#define PLACE       ((char *)0x10000000)
#define PAGE        4096
#define USER        1000
#define EXEC_US     150000
#define WATCH_US    1500000
#define SOCKET_PATH "/root.sock"

struct plan {
	const char *program;
	const char *attack;
	char fd[16];
};

static char *map_place(void)
{
	return mmap(PLACE, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static void *execute_soon(void *arg)
{
	const struct plan *p = arg;

	usleep(EXEC_US);
	execl(p->program, "attack", "direct", p->attack, p->fd, (char *)NULL);
	_exit(errno);
}

/* An ordinary user, who may be looked at, with a thread that will be somebody else. */
static void become_user(struct plan *p)
{
	pthread_t thread;

	if (setresgid(USER, USER, USER) < 0 || setresuid(USER, USER, USER) < 0 ||
		prctl(PR_SET_DUMPABLE, 1) < 0 ||
		pthread_create(&thread, NULL, execute_soon, p) != 0)
		_exit(1);
}

/* The set-id program: keeps a page where the caller had its buffer, and says what became of it. */
static int midcall_keeper(struct trial *t, char **args)
{
	char *page = map_place(), word[32];
	int fd = (int)arg_number(args[0]);
	bool same = true;

	(void)t;
	if (page == MAP_FAILED)
		return -1;
	memset(page, 'A', PAGE);
	usleep(WATCH_US);
	for (int i = 0; i < PAGE; i++)
		same &= page[i] == 'A';
	snprintf(word, sizeof(word), "%s of %u", same ? "unchanged" : "overwritten",
		(unsigned int)geteuid());
	return write(fd, word, sizeof(word)) < 0 ? -1 : 0;
}

/* An answer that is meant for the caller lands in the program. */
static int midcall_write(struct trial *t, char **args)
{
	struct plan p = { .program = args[0], .attack = "midcall-keeper" };
	char word[32] = "nothing";
	int pipe_fds[2];
	pid_t pid;

	if (pipe(pipe_fds) < 0)
		return -1;
	snprintf(p.fd, sizeof(p.fd), "%d", pipe_fds[1]);
	pid = fork();
	if (pid == 0) {
		char *page = map_place();

		if (page == MAP_FAILED)
			_exit(1);
		*page = 1; /* what is not there is written by another process */
		become_user(&p);
		uname((struct utsname *)PLACE);
		pause();
	}
	close(pipe_fds[1]);
	(void)!read(pipe_fds[0], word, sizeof(word));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return trial_say(t, "%s", word);
}

/* The set-id program: is just there. */
static int midcall_wait(struct trial *t, char **args)
{
	(void)t, (void)args;
	usleep(WATCH_US);
	return 0;
}

static int listen_as_root(void)
{
	const struct sockaddr_un a = { AF_UNIX, SOCKET_PATH };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	unlink(SOCKET_PATH);
	return bind(fd, (const struct sockaddr *)&a, sizeof(a)) < 0 ||
			       chmod(SOCKET_PATH, 0600) < 0 || listen(fd, 5) < 0
		       ? -1
		       : fd;
}

static const char *outcome_of(int fd)
{
	struct sockaddr_un a;
	socklen_t len = sizeof(a);

	return getpeername(fd, (struct sockaddr *)&a, &len) == 0 ? "connected"
								 : strerrorname_np(errno);
}

/* A connect of a user to a socket of root's is done with the rights of the program. */
static int midcall_connect(struct trial *t, char **args)
{
	const struct sockaddr_un a = { AF_UNIX, SOCKET_PATH };
	struct plan p = { .program = args[0], .attack = "midcall-wait", .fd = "0" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;

	if (fd < 0 || listen_as_root() < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		become_user(&p);
		(void)!connect(fd, (const struct sockaddr *)&a, sizeof(a));
		pause();
	}
	usleep(EXEC_US + WATCH_US);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* The control: root may. */
	if (connect(other, (const struct sockaddr *)&a, sizeof(a)) < 0)
		return trial_fail(t, "control");
	return trial_say(t, "%s", outcome_of(fd));
}

#define HOGS    40
#define TRIES   300
#define DELAYS  60
#define LIMIT   7
#define GRACE_S 3

/* Shared with the processes of one try. */
static volatile int *called;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* State, and how often the process has waited. */
static char look_at(pid_t pid, long *ret_waits)
{
	char text[4096] = "", path[64];
	const char *state, *waits;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	state = strstr(text, "State:\t");
	waits = strstr(text, "\nvoluntary_ctxt_switches:");
	*ret_waits = n > 0 && waits ? atol(waits + 25) : -1;
	return n > 0 && state ? state[7] : '?';
}

static _Noreturn void hog(int start_fd)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	(void)!read(start_fd, &byte, 1);
	for (;;)
		;
}

/* Runs when nobody else wants its processor. */
static _Noreturn void idle_caller(int go_fd, pid_t target)
{
	const struct sched_param none = { 0 };
	const struct rlimit64 limit = { LIMIT, LIMIT };
	char byte;

	pin(1);
	sched_setscheduler(0, SCHED_IDLE, &none);
	(void)!read(go_fd, &byte, 1);
	*called = 1;
	syscall(SYS_prlimit64, target, RLIMIT_CORE, &limit, NULL);
	_exit(0);
}

static void end_all(const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
}

/* One try: returns true when the caller has had its answer and is kept from going on. Then the
 * target's number is free for somebody else. */
static bool starve(int delay)
{
	pid_t hogs[HOGS], target, caller;
	int start[2], go[2];
	char bytes[HOGS] = { 0 };
	long before, after;
	bool kept;

	if (pipe(start) < 0 || pipe(go) < 0)
		return false;
	*called = 0;
	target = fork();
	if (target == 0)
		for (;;)
			pause();
	for (int i = 0; i < HOGS; i++)
		if ((hogs[i] = fork()) == 0)
			hog(start[0]);
	caller = fork();
	if (caller == 0)
		idle_caller(go[0], target);
	usleep(5000);
	look_at(caller, &before);
	pin(0);
	(void)!write(go[1], bytes, 1);
	while (!*called)
		;
	for (volatile int k = 0; k < delay * 150; k++)
		;
	(void)!write(start[1], bytes, HOGS);
	usleep(3000);
	kept = look_at(caller, &after) == 'R' && after > before;
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	if (kept) {
		printf("free %d\n", target);
		fflush(stdout);
		sleep(GRACE_S);
	}
	end_all(hogs, HOGS);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (int i = 0; i < 2; i++) {
		close(start[i]);
		close(go[i]);
	}
	return kept;
}

/* A call that goes on in the kernel names whoever has the number by then. */
static int midcall_starve(struct trial *t, char **args)
{
	(void)args;
	alarm(0);
	called = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < TRIES; i++)
		if (starve(i % DELAYS))
			return trial_say(t, "kept");
	return trial_say(t, "never kept");
}

/* The calls aimed at another process, on a child: 'o' for done, and seen to be done. */
static int aimed_child(struct trial *t, char **args)
{
	const struct rlimit64 low = { 5, 5 }, high = { 6, 6 };
	const struct sched_param none = { 0 }, one = { 1 };
	struct {
		unsigned int size, policy;
		unsigned long flags;
		int nice;
		unsigned int priority;
		unsigned long rest[3];
	} attr = { .size = sizeof(attr), .policy = SCHED_BATCH, .nice = 7 };
	struct rlimit64 old = { 0 };
	cpu_set_t set, seen;
	char all[32] = "";
	size_t n = 0;
	pid_t pid;

	if (arg_number(args[0]) != 0 && setresuid(USER, USER, USER) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	CPU_ZERO(&set);
	CPU_SET(0, &set);
#define TRY(done) all[n++] = (done) ? 'o' : errno == EPERM ? 'p' : errno == EACCES ? 'a' : '?'
	TRY(setpriority(PRIO_PROCESS, (id_t)pid, 5) == 0 &&
		getpriority(PRIO_PROCESS, (id_t)pid) == 5);
	TRY(setpriority(PRIO_PROCESS, (id_t)pid, -5) == 0);
	TRY(sched_setscheduler(pid, SCHED_BATCH, &none) == 0 &&
		sched_getscheduler(pid) == SCHED_BATCH);
	TRY(sched_setscheduler(pid, SCHED_FIFO, &one) == 0);
	TRY(sched_setparam(pid, &none) == 0);
	TRY(syscall(SYS_sched_setattr, pid, &attr, 0) == 0 &&
		getpriority(PRIO_PROCESS, (id_t)pid) == 7);
	TRY(sched_setaffinity(pid, sizeof(set), &set) == 0 &&
		sched_getaffinity(pid, sizeof(seen), &seen) == 0 && CPU_EQUAL(&set, &seen));
	TRY(syscall(SYS_ioprio_set, 1, pid, 3 << 13) == 0 &&
		syscall(SYS_ioprio_get, 1, pid) == 3 << 13);
	TRY(syscall(SYS_prlimit64, pid, RLIMIT_CORE, &low, NULL) == 0);
	TRY(syscall(SYS_prlimit64, pid, RLIMIT_CORE, NULL, &old) == 0 && old.rlim_max == 5);
	TRY(syscall(SYS_prlimit64, pid, RLIMIT_CORE, &high, &old) == 0);
	TRY(syscall(SYS_prlimit64, getpid(), RLIMIT_CORE, NULL, &old) == 0);
#undef TRY
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return trial_say(t, "%s", all);
}

const struct attack attacks_midcall[] = {
	{ "midcall-starve", 0, midcall_starve },
	{ "aimed-child", 1, aimed_child },
	{ "midcall-write", 1, midcall_write },
	{ "midcall-keeper", 1, midcall_keeper },
	{ "midcall-connect", 1, midcall_connect },
	{ "midcall-wait", 1, midcall_wait },
	{ NULL, 0, NULL },
};
