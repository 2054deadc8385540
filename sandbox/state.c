/* SPDX-License-Identifier: Apache-2.0
 *
 * The state root is in the user's runtime directory, or in /tmp where there is none. Other users
 * can make names in /tmp, so the directory must be a directory of this user that nobody else may
 * enter.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "sandbox/sandbox.h"

int sandbox_check_state_root(const char *path, struct sl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "open the state directory %s", path);
	if (st.st_uid != geteuid() || (st.st_mode & 077))
		return sl_err_set(err, 0,
			"the state directory %s is not of this user alone: it has owner %u and "
			"mode "
			"%03o; XDG_RUNTIME_DIR can name another place",
			path, st.st_uid, st.st_mode & 0777);
	return 0;
}

const char *sandbox_state_root(struct arena *a, struct sl_err *err)
{
	const char *runtime_dir = getenv("XDG_RUNTIME_DIR");
	const char *path;

	if (runtime_dir && runtime_dir[0] == '/')
		path = arena_printf(a, "%s/sandlock", runtime_dir);
	else if (geteuid() == 0)
		path = "/run/sandlock";
	else
		path = arena_printf(a, "/tmp/sandlock-%u", geteuid());
	if (mkdir(path, 0700) < 0 && errno != EEXIST) {
		sl_err_fill(err, errno, "make the state directory %s", path);
		return NULL;
	}
	return sandbox_check_state_root(path, err) < 0 ? NULL : path;
}
