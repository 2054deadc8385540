/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is a member: whoever descends from the container, whatever it does to look like nobody's.
 * Asked of two backends: the mount that a root is on, which is the runtime's, and the scope of a
 * Landlock domain (landlock(7), "Restricting IPC scope"), which needs neither a tree nor root: for
 * a thread inside, kill(pid, 0) fails with EPERM for every process outside. Control: the same
 * processes' neighbour that did all of it outside is none.
 */
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/kernel.h"
#include "runtime/members/members.h"
#include "runtime/tree/tree.h"
#include "tests/unit/check.h"

/* LANDLOCK_SCOPE_SIGNAL (ABI 6) and the struct that has it, for older headers. */
struct ruleset {
	uint64_t fs, net, scoped;
};
#define SCOPE_SIGNAL 2

enum who {
	NOT_EXECUTED,
	EXECUTED,
	OF_ANOTHER_SESSION, /* forked twice, setsid(2) */
	FIRST_THREAD_ENDED,
	N_WHO,
};

static int told[2];
static int tree_fd; /* a mount that nobody else has his root on */
static pid_t inside[N_WHO], outside[N_WHO];

/* A thread in the domain, which answers for it: one number in, one errno out. */
static int ask[2], answer[2];

static void tell(enum who who)
{
	const pid_t says[2] = { (pid_t)who, getpid() };

	if (write(told[1], says, sizeof(says)) != sizeof(says))
		_exit(1);
}

static _Noreturn void rest(void)
{
	for (;;)
		pause();
}

static void *outlive(void *arg)
{
	const int stay_fd = *(int *)arg;
	char c;

	pthread_detach(pthread_self());
	while (read(stay_fd, &c, 1) < 0)
		;
	return arg;
}

static _Noreturn void be(enum who who)
{
	static int never[2];
	pthread_t t;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	switch (who) {
	case NOT_EXECUTED: tell(who); rest();
	case EXECUTED:
		tell(who);
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(1);
	case OF_ANOTHER_SESSION:
		if (fork() != 0)
			_exit(0);
		setsid();
		if (fork() != 0)
			_exit(0);
		prctl(PR_SET_PDEATHSIG, 0);
		tell(who);
		alarm(60);
		rest();
	case FIRST_THREAD_ENDED:
	case N_WHO: break;
	}
	if (pipe(never) < 0 || pthread_create(&t, NULL, outlive, never) != 0)
		_exit(1);
	tell(who);
	alarm(60);
	syscall(SYS_exit, 0);
	_exit(1);
}

static void make_all(pid_t *ret, bool in_tree)
{
	pid_t says[2];

	for (enum who who = 0; who < N_WHO; who++) {
		const pid_t pid = fork();

		if (pid == 0) {
			if (in_tree && (fchdir(tree_fd) < 0 || chroot(".") < 0))
				_exit(1);
			be(who);
		}
		if (read(told[0], says, sizeof(says)) == sizeof(says))
			ret[says[0]] = says[1];
		if (who == OF_ANOTHER_SESSION)
			waitpid(pid, NULL, 0);
	}
}

static void *domain_main(void *arg)
{
	const struct ruleset attr = { .scoped = SCOPE_SIGNAL };
	int fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	pid_t pid;

	if (fd < 0 || syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		exit(2);
	make_all(inside, true);
	pid = 0;
	do {
		int error = pid == 0 || kill(pid, 0) == 0 ? 0 : errno;

		if (write(answer[1], &error, sizeof(error)) != sizeof(error))
			break;
	} while (read(ask[0], &pid, sizeof(pid)) == sizeof(pid));
	return arg;
}

static int domain_answer(void)
{
	int error = ENODATA;

	return read(answer[0], &error, sizeof(error)) == sizeof(error) ? error : EIO;
}

static bool by_domain(const struct members *m, const struct member *p)
{
	struct proc_stat st;
	int error;

	(void)m;
	error = write(ask[1], &p->pid, sizeof(p->pid)) == sizeof(p->pid) ? domain_answer() : EIO;
	/* It was asked by number: the one behind the directory is still the one that has it, and no
	 * zombie. One whose first thread has ended has more than that. */
	return error == 0 && proc_read_stat_at(p->dir_fd, &st) == 0 &&
	       (st.state != 'Z' || st.n_threads > 1);
}

struct found {
	size_t n;
	pid_t pids[N_WHO + 1];
	int keep_fd; /* of the first that is in keep */
	pid_t keep;
};

static void find(struct member *p, void *ctx)
{
	struct found *f = ctx;

	if (f->n <= N_WHO)
		f->pids[f->n++] = p->pid;
	if (p->pid == f->keep)
		f->keep_fd = take_fd(&p->dir_fd);
}

static bool all_found(const struct found *f)
{
	size_t n = 0;

	for (enum who who = 0; who < N_WHO; who++)
		for (size_t i = 0; i < f->n; i++)
			n += f->pids[i] == inside[who];
	return n == N_WHO && f->n == N_WHO;
}

static void check_everyone(const struct members *m)
{
	for (enum members_where where = 0; where <= MEMBERS_BELOW_SUPERVISOR; where++) {
		struct found f = { .keep_fd = -1 };

		CHECK(members_each(m, where, find, &f) == N_WHO);
		CHECK(all_found(&f));
	}
	for (enum who who = 0; who < N_WHO; who++) {
		CHECK(members_has(m, inside[who]));
		CHECK(outside[who] > 0 && !members_has(m, outside[who]));
	}
	CHECK(!members_has(m, getpid()));
}

/* Who has ended is no member, though it is not waited for; and what was kept of it is not of who
 * gets its number. */
static void check_number(const struct members *m, enum who who)
{
	struct found f = { .keep = inside[who], .keep_fd = -1 };
	struct clone_args args = { .exit_signal = SIGCHLD,
		.set_tid = (uint64_t)(uintptr_t)&inside[who],
		.set_tid_size = 1 };
	struct proc_stat st;
	siginfo_t info;
	pid_t pid;

	CHECK(members_each(m, MEMBERS_ANYWHERE, find, &f) == N_WHO && f.keep_fd >= 0);
	CHECK(proc_read_stat_at(f.keep_fd, &st) == 0 && st.n_threads == 1);
	kill(inside[who], SIGKILL);
	CHECK(waitid(P_PID, (id_t)inside[who], &info, WEXITED | WNOWAIT | __WALL) == 0);
	CHECK(!members_has(m, inside[who]));
	CHECK(waitpid(inside[who], NULL, __WALL) == inside[who]);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		rest();
	CHECK(pid == inside[who]);
	CHECK(!members_has(m, pid));
	CHECK(proc_read_stat_at(f.keep_fd, &st) < 0 && errno == ESRCH);
	CHECK(!m->test(m, &(struct member){ f.keep_fd, pid }));
	CHECK(syscall(SYS_pidfd_send_signal, f.keep_fd, SIGKILL, NULL, 0) < 0 && errno == ESRCH);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(f.keep_fd);
}

static bool count_thread(int task_fd, const char *tid, void *ctx)
{
	(void)task_fd;
	(void)tid;
	++*(int *)ctx;
	return true;
}

int main(void)
{
	auto_fd int proc_fd = proc_open(), dir_fd = -1;
	struct statx st;
	uint64_t id;
	const struct members_mounts mounts = { .ids = &id, .n = 1 };
	struct members by_mounts = { .proc_fd = proc_fd, .test = members_by_mounts, .of = &mounts };
	struct members scoped = { .proc_fd = proc_fd, .test = by_domain };
	char name[16];
	pthread_t t;
	int n = 0;

	tree_fd = open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree_fd < 0 || pipe(told) < 0 || pipe(ask) < 0 || pipe(answer) < 0 ||
		statx(tree_fd, "", AT_EMPTY_PATH, STATX_MNT_ID_UNIQUE, &st) < 0)
		return 2;
	id = st.stx_mnt_id;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	CHECK(proc_identify(proc_fd, getpid(), &by_mounts.supervisor) == 0);
	scoped.supervisor = by_mounts.supervisor;
	fflush(stdout);
	make_all(outside, false);
	CHECK(pthread_create(&t, NULL, domain_main, NULL) == 0);
	CHECK(domain_answer() == 0);
	usleep(50000); /* for the first thread to end, and for sleep */

	check_everyone(&by_mounts);
	check_everyone(&scoped);
	snprintf(name, sizeof(name), "%d", inside[FIRST_THREAD_ENDED]);
	dir_fd = proc_open_dir(proc_fd, name);
	CHECK(members_each_thread(dir_fd, count_thread, &n) == 0 && n == 2);

	check_number(&by_mounts, EXECUTED);
	inside[EXECUTED] = -1;
	CHECK(members_each(&scoped, MEMBERS_ANYWHERE, NULL, NULL) == N_WHO - 1);
	CHECK(members_kill(&scoped, 5000) == 0);
	CHECK(members_each(&by_mounts, MEMBERS_ANYWHERE, NULL, NULL) == 0);
	for (enum who who = 0; who < N_WHO; who++)
		kill(outside[who], SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	return check_done();
}
