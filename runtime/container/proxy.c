/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>

#include "runtime/container/internal.h"

#define PROGRAM "sandlock-proxy"

const char *container_proxy_program(const struct runtime *rt)
{
	const char *installed = SANDLOCK_LIBEXEC "/" PROGRAM;
	const char *beside =
		rt->programs ? arena_printf(rt->arena, "%s/" PROGRAM, rt->programs) : installed;

	if (access(beside, X_OK) == 0)
		return beside;
	return access(installed, X_OK) == 0 ? installed : NULL;
}

int container_open_proxy(
	const struct runtime *rt, const struct plan_http *plan, int *ret_fd, struct sl_err *err)
{
	const char *path = plan->needed ? container_proxy_program(rt) : NULL;

	*ret_fd = -1;
	if (!plan->needed)
		return 0;
	if (!path)
		return sl_err_set(err, 0,
			"HTTP rules need the program " PROGRAM ", which is neither in %s nor in %s",
			rt->programs ? rt->programs : "the runtime's directory", SANDLOCK_LIBEXEC);
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? sl_err_set(err, errno, "open %s", path) : 0;
}
