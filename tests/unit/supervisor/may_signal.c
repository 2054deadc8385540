/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may signal process 1: by user, by CAP_KILL, and SIGCONT within one session, as kill(2) says.
 * Two processes that are gone have no session in common.
 */
#include <linux/capability.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/supervisor/internal.h"
#include "tests/unit/check.h"

/* A process' number that is nobody's for now. */
static pid_t gone(void)
{
	const pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static struct proc_status owner(pid_t tgid, uid_t uid, uint64_t caps)
{
	return (struct proc_status){
		.tgid = tgid, .uid = { uid, uid, uid, uid }, .effective = caps
	};
}

static int in_own_session(void)
{
	const struct proc_status me = owner(getpid(), 1000, 0);
	const struct proc_status same = owner(getppid(), 1000, 0);
	const pid_t in_session = fork() ?: (pause(), 0);
	struct proc_status other = owner(in_session, 1001, 0), a, b;

	CHECK(pid1_may_signal(&me, &me, SIGTERM));
	CHECK(pid1_may_signal(&me, &same, SIGTERM));
	CHECK(!pid1_may_signal(&me, &other, SIGTERM));
	CHECK(pid1_may_signal(&me, &other, SIGCONT));
	a = owner(getpid(), 1000, 1ULL << CAP_KILL);
	CHECK(pid1_may_signal(&a, &other, SIGTERM));
	kill(in_session, SIGKILL);
	waitpid(in_session, NULL, 0);
	CHECK(!pid1_may_signal(&me, &other, SIGCONT));

	a = owner(gone(), 1000, 0);
	b = owner(gone(), 1001, 0);
	b.tgid += a.tgid == b.tgid;
	CHECK(getsid(a.tgid) == getsid(b.tgid));
	CHECK(!pid1_may_signal(&a, &b, SIGCONT));
	return check_done();
}

/* The caller's session may have no number in this pid namespace. */
int main(void)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		setsid();
		return in_own_session();
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
