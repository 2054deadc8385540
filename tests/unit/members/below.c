/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets are looked for among the descendants of the supervisor, however deep and whichever
 * thread has made them, and nowhere else. Control: without a supervisor among all processes, of
 * which each has this root.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/members/below.h"
#include "runtime/members/members.h"
#include "runtime/tree/tree.h"
#include "tests/unit/check.h"

enum whose { CHILD, GRANDCHILD, OF_THREAD, N_SOCKETS };

static int told[2];

static void hold_one(enum whose whose)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct stat st;
	uint64_t says[2] = { whose };

	fstat(fd, &st);
	says[1] = st.st_ino;
	CHECK(write(told[1], says, sizeof(says)) == sizeof(says));
}

static void descend(enum whose whose, bool further)
{
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hold_one(whose);
	if (further)
		descend(GRANDCHILD, false);
	for (;;)
		pause();
}

static void *thread(void *arg)
{
	descend(OF_THREAD, false);
	for (;;)
		pause();
	return arg;
}

static pid_t make_tree(void)
{
	pid_t pid = fork();
	pthread_t t;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	descend(CHILD, true);
	pthread_create(&t, NULL, thread, NULL);
	for (;;)
		pause();
}

static bool holds(const struct members *m, uint64_t inode)
{
	struct members_socket one = { .inode = inode };

	return members_find_sockets(m, &one, 1);
}

int main(void)
{
	uint64_t root_id, inodes[N_SOCKETS] = { 0 }, says[2];
	const struct members_mounts mounts = { .ids = &root_id, .n = 1 };
	struct members m = { .test = members_by_mounts, .of = &mounts };
	auto_fd int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int mine_fd = -1, self_fd = -1;
	struct below one, other;
	struct stat mine;
	pid_t top;

	CHECK(pipe(told) == 0);
	m.proc_fd = proc_fd;
	self_fd = proc_open_dir(proc_fd, "self");
	root_id = tree_id_of_process(self_fd);
	top = make_tree();
	mine_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(top > 0 && fstat(mine_fd, &mine) == 0);
	for (int i = 0; i < N_SOCKETS; i++)
		if (read(told[0], says, sizeof(says)) == sizeof(says))
			inodes[says[0]] = says[1];

	CHECK(below_list(proc_fd, top, &one) == 0 && one.n == 1 + N_SOCKETS && one.pids[0] == top);
	CHECK(below_list(proc_fd, top, &other) == 0 && below_same(&one, &other));
	CHECK(holds(&m, mine.st_ino) && holds(&m, inodes[GRANDCHILD]));
	CHECK(proc_identify(proc_fd, top, &m.supervisor) == 0);
	CHECK(holds(&m, inodes[CHILD]) && holds(&m, inodes[GRANDCHILD]));
	CHECK(holds(&m, inodes[OF_THREAD]));
	CHECK(!holds(&m, mine.st_ino));
	kill(one.pids[1], SIGKILL);
	usleep(50000);
	CHECK(below_list(proc_fd, top, &other) < 0 || !below_same(&one, &other));
	kill(top, SIGKILL);
	CHECK(waitpid(top, NULL, 0) == top);
	CHECK(below_list(proc_fd, top, &other) == -1);
	return check_done();
}
