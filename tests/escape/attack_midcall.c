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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
		if (map_place() == MAP_FAILED)
			_exit(1);
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

const struct attack attacks_midcall[] = {
	{ "midcall-write", 1, midcall_write },
	{ "midcall-keeper", 1, midcall_keeper },
	{ "midcall-connect", 1, midcall_connect },
	{ "midcall-wait", 1, midcall_wait },
	{ NULL, 0, NULL },
};
