/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks below the supervisor, which is this program: threads and zombies count, init does not, but
 * what is below it does.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/members/members.h"
#include "tests/unit/check.h"

static void stay(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void *thread(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Two threads more, a child, and a zombie. Says so by closing the pipe. */
static pid_t make_init(void)
{
	int ready[2];
	pthread_t t;
	pid_t pid;
	char c;

	CHECK(pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fork() == 0) {
			close(ready[1]);
			stay();
		}
		if (fork() == 0)
			_exit(0);
		waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
		pthread_create(&t, NULL, thread, NULL);
		pthread_create(&t, NULL, thread, NULL);
		close(ready[1]);
		stay();
	}
	close(ready[1]);
	(void)!read(ready[0], &c, 1);
	close(ready[0]);
	return pid;
}

int main(void)
{
	const pid_t init = make_init();
	struct members m = { .proc_fd = proc_open() };
	uint64_t n = 0;

	CHECK(proc_identify(m.proc_fd, getpid(), &m.supervisor) == 0);
	CHECK(members_count_tasks(&m, &n) == 0);
	CHECK(n == 5);
	CHECK(proc_identify(m.proc_fd, init, &m.init) == 0);
	CHECK(members_count_tasks(&m, &n) == 0);
	CHECK(n == 2);
	kill(init, SIGKILL);
	waitpid(init, NULL, 0);
	return check_done();
}
