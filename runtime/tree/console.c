/* SPDX-License-Identifier: Apache-2.0
 *
 * process.terminal: a pty of the tree's own devpts, whose slave is bound at /dev/console
 * (config-linux.md, "Default Devices"). The descriptors of the multiplexer and the slave are
 * checked to be on a devpts (CVE-2025-52565).
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "runtime/tree/internal.h"

static int open_devpts(int root_fd, struct sl_err *err)
{
	auto_fd int fd = place_open(root_fd, "/dev/pts", O_DIRECTORY);
	struct statfs st;

	if (fd < 0 || fstatfs(fd, &st) < 0)
		return sl_err_set(err, errno, "/dev/pts");
	if (st.f_type != DEVPTS_SUPER_MAGIC)
		return sl_err_set(err, 0, "/dev/pts is no devpts: process.terminal needs one");
	return take_fd(&fd);
}

static int console_bind(struct builder *b, int pts_fd, struct sl_err *err)
{
	struct joined book = { .path = "/dev/console" };
	auto_fd int fd = -1;
	struct place place;
	char name[16];
	int r;

	snprintf(name, sizeof(name), "%u", b->console_index);
	fd = mount_clone_one(b, pts_fd, name, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);
	if (fd < 0 || place_make(b->a, b->root_fd, "/dev/console", false, &place, err) < 0)
		return -1;
	book.path = place.path;
	r = mount_join(b, fd, place.fd, "", &book, err);
	close(place.fd);
	return r;
}

int console_populate(struct builder *b, struct sl_err *err)
{
	auto_fd int pts_fd = -1, master_fd = -1;
	int unlock = 0;

	if (!b->fs->terminal)
		return 0;
	pts_fd = open_devpts(b->root_fd, err);
	if (pts_fd < 0)
		return -1;
	master_fd = openat(pts_fd, "ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
	if (master_fd < 0 || ioctl(master_fd, TIOCSPTLCK, &unlock) < 0 ||
		ioctl(master_fd, TIOCGPTN, &b->console_index) < 0)
		return sl_err_set(err, errno, "open a pty");
	if (console_bind(b, pts_fd, err) < 0)
		return -1;
	b->console_fd = take_fd(&master_fd);
	return 0;
}

int tree_open_console(const struct tree *tree, struct sl_err *err)
{
	auto_fd int pts_fd = open_devpts(tree->root_fd, err);
	char name[16];
	int fd;

	if (pts_fd < 0)
		return -1;
	snprintf(name, sizeof(name), "%u", tree->console_index);
	fd = openat(pts_fd, name, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? sl_err_set(err, errno, "open /dev/pts/%s", name) : fd;
}
