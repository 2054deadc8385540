/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds a socket: its number in the links of /proc/<pid>/fd decides, and no file that a
 * link leads to. A process of a made-up /proc stands for one of a container that has opened a
 * socket file (O_PATH) with the number of somebody's socket: on a tmpfs of its own it gets any.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/members/members.h"
#include "runtime/tree/tree.h"
#include "tests/unit/check.h"

static uint64_t make_socket_file(int dir_fd, const char *name)
{
	struct stat st;

	if (mknodat(dir_fd, name, S_IFSOCK | 0600, 0) < 0 || fstatat(dir_fd, name, &st, 0) < 0)
		return 0;
	return st.st_ino;
}

static bool holds(const struct members *m, uint64_t inode)
{
	struct members_socket one = { .inode = inode };

	return members_find_sockets(m, &one, 1);
}

int main(void)
{
	char dir[] = "/tmp/sockets-XXXXXX";
	auto_fd int proc_fd = -1, dir_fd = -1;
	uint64_t root_id, file;
	const struct members_mounts mounts = { .ids = &root_id, .n = 1 };
	struct members m = { .test = members_by_mounts, .of = &mounts };
	struct members_socket both[] = { { .inode = 4711 }, { .inode = 4712 } };

	if (!mkdtemp(dir) || (proc_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
		mkdirat(proc_fd, "1", 0700) < 0 || mkdirat(proc_fd, "1/fd", 0700) < 0 ||
		symlinkat("/", proc_fd, "1/root") < 0)
		return 2;
	file = make_socket_file(proc_fd, "file");
	m.proc_fd = proc_fd;
	dir_fd = proc_open_dir(proc_fd, "1");
	root_id = tree_id_of_process(dir_fd);
	CHECK(file != 0 && root_id != 0);
	CHECK(members_has(&m, 1));
	CHECK(symlinkat("../../file", proc_fd, "1/fd/3") == 0);
	CHECK(symlinkat("socket:[4711]", proc_fd, "1/fd/4") == 0);
	CHECK(symlinkat("/socket:[4712]", proc_fd, "1/fd/5") == 0);
	CHECK(symlinkat("socket:[4712] (deleted)", proc_fd, "1/fd/6") == 0);
	CHECK(holds(&m, 4711));
	CHECK(!holds(&m, file));
	CHECK(!holds(&m, 4712));
	CHECK(!members_find_sockets(&m, both, 2));
	CHECK(both[0].held && !both[1].held);

	for (const char *const *p = (const char *const[]){ "1/fd/3", "1/fd/4", "1/fd/5", "1/fd/6",
		     "1/root", "file", NULL };
		*p; p++)
		unlinkat(proc_fd, *p, 0);
	unlinkat(proc_fd, "1/fd", AT_REMOVEDIR);
	unlinkat(proc_fd, "1", AT_REMOVEDIR);
	rmdir(dir);
	return check_done();
}
