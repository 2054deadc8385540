/* SPDX-License-Identifier: Apache-2.0
 *
 * Configures a file system before it is mounted (fsopen(2), fspick(2), fsconfig(2), fsmount(2)).
 */
#include <stdio.h>
#include <string.h>

#include "runtime/tree/internal.h"

int fs_open(const char *type, struct sl_err *err)
{
	int fd = fsopen(type, FSOPEN_CLOEXEC);

	return fd < 0 ? sl_err_set(err, errno, "open file system %s", type) : fd;
}

/* The kernel writes why it has refused an option to the log of the context: "e tmpfs: Unknown
 * …". */
static int fs_refused(int fs_fd, const char *what, struct sl_err *err)
{
	int saved = errno;
	char log[256];
	ssize_t n = read(fs_fd, log, sizeof(log) - 1);

	if (n <= 2)
		return sl_err_set(err, saved, "%s", what);
	log[n] = '\0';
	log[strcspn(log, "\n")] = '\0';
	return sl_err_set(err, saved, "%s: %s", what, log + 2);
}

int fs_set(int fs_fd, const char *key, const char *value, struct sl_err *err)
{
	int r = value ? fsconfig(fs_fd, FSCONFIG_SET_STRING, key, value, 0)
		      : fsconfig(fs_fd, FSCONFIG_SET_FLAG, key, NULL, 0);
	char what[128];

	if (r == 0)
		return 0;
	snprintf(what, sizeof(what), "option %s%s%.64s", key, value ? "=" : "", value ? value : "");
	return fs_refused(fs_fd, what, err);
}

int fs_mount(int fs_fd, uint64_t attrs, struct sl_err *err)
{
	int fd;

	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return fs_refused(fs_fd, "create file system", err);
	fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned int)attrs);
	return fd < 0 ? fs_refused(fs_fd, "mount file system", err) : fd;
}

int fs_change(int mnt_fd, const char *key, const char *value, const char *what, struct sl_err *err)
{
	auto_fd int fs_fd = fspick(mnt_fd, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);

	if (fs_fd < 0)
		return sl_err_set(err, errno, "%s", what);
	if (fs_set(fs_fd, key, value, err) < 0)
		return sl_err_wrap(err, "%s", what);
	if (fsconfig(fs_fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) < 0)
		return fs_refused(fs_fd, what, err);
	return 0;
}
