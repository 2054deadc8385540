/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/tty/tty.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* the group tty of all distributions; it owns the slave, so that others can write to it */
#define TTY_GID 5

/* EINVAL: this user namespace does not have the group. The owner's own group then gets no access.
 */
static int give_slave(int slave_fd, uid_t uid)
{
	if (fchown(slave_fd, uid, TTY_GID) == 0)
		return fchmod(slave_fd, 0620);
	if (errno != EINVAL || fchown(slave_fd, uid, (gid_t)-1) < 0)
		return -1;
	return fchmod(slave_fd, 0600);
}

int tty_prepare(
	const struct tty_pair *pair, uint16_t height, uint16_t width, uid_t uid, struct sl_err *err)
{
	struct winsize size = { .ws_row = height, .ws_col = width };

	if (height && width && ioctl(pair->master_fd, TIOCSWINSZ, &size) < 0)
		return sl_err_set(err, errno, "process.consoleSize");
	if (give_slave(pair->slave_fd, uid) < 0)
		return sl_err_set(err, errno, "process.terminal: owner");
	return 0;
}

int tty_open(int root_fd, uint16_t height, uint16_t width, uid_t uid, struct tty_pair *ret,
	struct sl_err *err)
{
	struct open_how how = {
		.flags = O_RDWR | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
	};
	auto_fd int master = -1, slave = -1;
	struct tty_pair pair;
	int unlock = 0;

	master = (int)syscall(SYS_openat2, root_fd, "dev/pts/ptmx", &how, sizeof(how));
	if (master < 0)
		return sl_err_set(err, errno,
			"process.terminal: open /dev/pts/ptmx of the container (a devpts mount at "
			"/dev/pts is needed)");
	if (ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return sl_err_set(err, errno, "process.terminal: unlock");
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return sl_err_set(err, errno, "process.terminal: open the other side");
	pair = (struct tty_pair){ .master_fd = master, .slave_fd = slave };
	if (tty_prepare(&pair, height, width, uid, err) < 0)
		return -1;
	ret->master_fd = take_fd(&master);
	ret->slave_fd = take_fd(&slave);
	return 0;
}

int tty_send_fd(const char *path, const char *name, int fd, struct sl_err *err)
{
	char dir[PATH_MAX], base[PATH_MAX];
	auto_fd int dir_fd = -1, sock = -1;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return sl_err_set(err, ENAMETOOLONG, "socket");
	memcpy(base, dir, sizeof(base));
	dir_fd = open(dirname(dir), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "socket %s", path);
	sock = io_unix_connect(dir_fd, basename(base), SOCK_STREAM);
	if (sock < 0)
		return sl_err_set(err, errno, "connect to %s", path);
	if (io_send_fds(sock, name, strlen(name), &fd, 1) < 0)
		return sl_err_set(err, errno, "send a descriptor to %s", path);
	return 0;
}

int tty_send_master(const char *path, int master_fd, struct sl_err *err)
{
	char name[64];
	int n;

	if (ioctl(master_fd, TIOCGPTN, &n) < 0)
		return sl_err_set(err, errno, "console socket: name of the terminal");
	snprintf(name, sizeof(name), "/dev/pts/%d", n);
	if (tty_send_fd(path, name, master_fd, err) < 0)
		return sl_err_wrap(err, "console socket");
	return 0;
}
