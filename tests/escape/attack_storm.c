/* SPDX-License-Identifier: Apache-2.0
 *
 * Callers that do not wait for their answers: killed, stopped and let go on, replaced by execve,
 * their thread ended, their memory taken away, in the middle of calls that a supervisor answers.
 * Harmless by itself: the processes are the storm's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define CALLERS 12
#define THREADS 3
#define PAGE    4096

static unsigned int next_random(unsigned int *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 8;
}

/* Two pages; the second one comes and goes. */
static char *shaky;

static void call_by_address(unsigned int which, char *at)
{
	const struct sockaddr_in loopback = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	memcpy(at, &loopback, 4); /* may fault: then this process is gone */
	if (which == 0)
		syscall(SYS_connect, fd, at, sizeof(loopback));
	else if (which == 1)
		syscall(SYS_bind, fd, at, sizeof(loopback));
	else
		syscall(SYS_getsockname, fd, at, at + 16);
	close(fd);
}

/* One of the calls that may be trapped, with its buffer across the edge of the first page. */
static void one_call(unsigned int r)
{
	char *at = shaky + PAGE - 8 - r % 64;
	struct rlimit limit;
	int id;

	switch (r / 64 % 9) {
	case 0: syscall(SYS_uname, at); break;
	case 1:
		id = (int)syscall(SYS_mq_open, "storm", O_CREAT | O_RDWR, 0600, NULL);
		if (id >= 0)
			close(id);
		break;
	case 2: syscall(SYS_mq_unlink, "storm"); break;
	case 3:
		id = (int)syscall(SYS_shmget, 4711, PAGE, IPC_CREAT | 0600);
		syscall(SYS_shmctl, id, IPC_STAT, at);
		syscall(SYS_shmctl, id, IPC_RMID, NULL);
		break;
	case 4: rmdir("/storm/proc"); break;
	case 5: syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, &limit); break;
	case 6: syscall(SYS_semget, 4712, 1, 0600); break;
	default: call_by_address(r % 3, shaky + PAGE - 64); break;
	}
}

static void *caller_thread(void *arg)
{
	unsigned int state = (unsigned int)(uintptr_t)arg;

	/* Threads end, too, in what should be the middle of the others' calls. */
	for (int i = 0; i < 200; i++)
		one_call(next_random(&state));
	return NULL;
}

static _Noreturn void caller(unsigned int seed, const char *program)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shaky = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (;;) {
		for (int i = 0; i < THREADS; i++) {
			pthread_t t;

			if (pthread_create(
				    &t, NULL, caller_thread, (void *)(uintptr_t)(seed + i)) == 0)
				pthread_detach(t);
		}
		for (int i = 0; i < 50; i++) {
			one_call(next_random(&seed));
			mprotect(shaky + PAGE, PAGE, i % 2 ? PROT_NONE : PROT_READ | PROT_WRITE);
		}
		/* Replaces itself while its threads are in their calls. */
		if (next_random(&seed) % 2)
			execl(program, "attack", "direct", "storm-end", (char *)NULL);
	}
}

static int storm_end(struct trial *t, char **args)
{
	(void)t, (void)args;
	_exit(0);
}

struct toll {
	unsigned long killed, stopped;
};

static void disturb(pid_t *pid, unsigned int r, struct toll *toll)
{
	switch (r % 4) {
	case 0:
		kill(*pid, SIGKILL);
		kill(*pid, SIGCONT);
		waitpid(*pid, NULL, 0);
		*pid = 0;
		toll->killed++;
		break;
	case 1: toll->stopped += kill(*pid, SIGSTOP) == 0; break;
	default: kill(*pid, SIGCONT); break;
	}
}

/* For so many seconds. */
static int storm(struct trial *t, char **args)
{
	const time_t end = time(NULL) + arg_number(args[0]);
	pid_t callers[CALLERS] = { 0 };
	struct toll toll = { 0 };
	unsigned int r = 1;

	signal(SIGALRM, SIG_IGN);
	mkdir("/storm", 0777);
	while (time(NULL) < end)
		for (int i = 0; i < CALLERS; i++) {
			if (callers[i] > 0 && waitpid(callers[i], NULL, WNOHANG) == callers[i])
				callers[i] = 0;
			if (callers[i] == 0 && (callers[i] = fork()) == 0)
				caller(next_random(&r), "/attack");
			usleep(500);
			if (callers[i] > 0)
				disturb(&callers[i], next_random(&r), &toll);
		}
	for (int i = 0; i < CALLERS; i++)
		if (callers[i] > 0) {
			kill(callers[i], SIGKILL);
			waitpid(callers[i], NULL, 0);
		}
	if (toll.killed < 20 || toll.stopped < 20)
		return trial_say(t, "nobody was disturbed");
	return trial_say(t, "over killed %lu stopped %lu", toll.killed, toll.stopped);
}

/* A page of a file whose file system does not answer, as what a trapped call points to. */
static int slow_page(struct trial *t, char **args)
{
	int fd = open(args[1], O_RDWR);
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	if (fd < 0 || page == MAP_FAILED)
		return trial_fail(t, "map");
	alarm(0);
	if (strcmp(args[0], "uname") == 0)
		return (int)syscall(SYS_uname, page);
	if (strcmp(args[0], "mq_open") == 0)
		return (int)syscall(SYS_mq_open, page, O_RDWR, 0, NULL);
	return (int)syscall(SYS_bind, socket(AF_INET, SOCK_STREAM, 0), page, 16);
}

static void *slow_sleep(void *arg)
{
	pause();
	return arg;
}

/* A file instead of a socket, or passed along over one; the child only waits, and keeps the file.
 */
static int slow_close(struct trial *t, char **args)
{
	const struct sockaddr_in a = { .sin_family = AF_INET };
	int fd = open(args[1], O_RDWR), pair[2];
	char control[CMSG_SPACE(sizeof(int))] = "", byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr h = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	pthread_t thread;

	if (fd < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return trial_fail(t, "open");
	if (strcmp(args[0], "connect") == 0) {
		connect(fd, (const struct sockaddr *)&a, sizeof(a));
	} else {
		/* With a second thread the supervisor sends. */
		pthread_create(&thread, NULL, slow_sleep, NULL);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
		sendmsg(pair[0], &h, 0);
	}
	printf("%s\n", strerrorname_np(errno));
	fflush(stdout);
	pause();
	return 0;
}

const struct attack attacks_storm[] = {
	{ "slow-close", 2, slow_close },
	{ "slow-page", 2, slow_page },
	{ "storm", 1, storm },
	{ "storm-end", 0, storm_end },
	{ NULL, 0, NULL },
};
