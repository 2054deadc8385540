/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/container/internal.h"
#include "runtime/store/store.h"

#define INSIDE "/run/notify"

static const char *absolute_root(const struct runtime *rt)
{
	char cwd[PATH_MAX];

	if (rt->root[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return rt->root;
	return arena_printf(rt->arena, "%s/%s", cwd, rt->root);
}

void container_notify_plan(const struct runtime *rt, struct plan_request *request)
{
	static const char *const options[] = { "bind", "ro", "nosuid", "nodev", "noexec" };
	struct spec_mount *m = arena_alloc(rt->arena, sizeof(*m));

	*m = (struct spec_mount){
		.destination = INSIDE,
		.type = "bind",
		.source = arena_printf(
			rt->arena, "%s/%s/" STORE_NOTIFY, absolute_root(rt), request->id),
		.options = (char **)options,
		.n_options = sizeof(options) / sizeof(options[0]),
	};
	request->own_mount = m;
	plan_own_env_add(&request->own_env, "NOTIFY_SOCKET=" INSIDE "/" STORE_NOTIFY_SOCKET);
}

/* The mode does not depend on the caller's umask: users of the container need access. */
int container_notify_make(int dir_fd, struct sl_err *err)
{
	auto_fd int fd = -1;

	if (mkdirat(dir_fd, STORE_NOTIFY, 0755) < 0)
		return sl_err_set(err, errno, "NOTIFY_SOCKET: make the directory");
	fd = openat(dir_fd, STORE_NOTIFY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fchmod(fd, 0755) < 0)
		return sl_err_set(err, errno, "NOTIFY_SOCKET: make the directory");
	return 0;
}

int container_notify_open(int dir_fd, int *ret_fd, struct sl_err *err)
{
	auto_fd int at_fd = -1, fd = -1;

	at_fd = openat(dir_fd, STORE_NOTIFY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at_fd < 0 && errno == ENOENT)
		return sl_err_set(
			err, 0, "NOTIFY_SOCKET is set, and was not when the container was created");
	if (at_fd < 0)
		return sl_err_set(err, errno, "NOTIFY_SOCKET: open the directory");
	unlinkat(at_fd, STORE_NOTIFY_SOCKET, 0); /* left by a start that has failed */
	fd = io_unix_bind(at_fd, STORE_NOTIFY_SOCKET, SOCK_DGRAM);
	if (fd < 0 || fchmodat(at_fd, STORE_NOTIFY_SOCKET, 0777, 0) < 0)
		return sl_err_set(err, errno, "NOTIFY_SOCKET: bind the container's socket");
	*ret_fd = take_fd(&fd);
	return 0;
}
