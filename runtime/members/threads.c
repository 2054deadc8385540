/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <dirent.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/members/members.h"

int members_each_thread(int dir_fd, bool (*fn)(int task_fd, const char *tid, void *ctx), void *ctx)
{
	auto_fd int fd = proc_open_dir(dir_fd, "task");
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int rc;

	if (!d)
		return -1;
	take_fd(&fd);
	do
		errno = 0, e = readdir(d);
	while (e && (!isdigit((unsigned char)e->d_name[0]) || fn(dirfd(d), e->d_name, ctx)));
	rc = e || errno == 0 ? 0 : -1;
	closedir(d);
	return rc;
}

int members_open_own_table(pid_t pid, int task_fd, const char *tid)
{
	if (syscall(SYS_kcmp, pid, atoi(tid), KCMP_FILES, 0, 0) == 0)
		return -1;
	return proc_open_dir(task_fd, tid);
}
