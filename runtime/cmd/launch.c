/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "runtime/base/image.h"
#include "runtime/cmd/listen_fds.h"
#include "runtime/cmd/notify.h"

/* Raises the soft limit as far as possible. container_create() fails if that is not enough. */
static int raise_open_files(struct arena *a, const struct container_create *req,
	const struct rlimit **ret, struct sl_err *err)
{
	struct rlimit *callers = arena_alloc(a, sizeof(*callers)), enough;

	if (getrlimit(RLIMIT_NOFILE, callers) < 0)
		return sl_err_set(err, errno, "getrlimit");
	enough = *callers;
	enough.rlim_cur = CONTAINER_OPEN_FILES_MIN + (rlim_t)req->n_preserve;
	if (callers->rlim_cur >= enough.rlim_cur)
		return 0;
	if (enough.rlim_cur > enough.rlim_max)
		enough.rlim_cur = enough.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &enough) < 0)
		return sl_err_set(err, errno, "raise RLIMIT_NOFILE");
	*ret = callers;
	return 0;
}

int launch_prepare(
	struct cli *cli, const struct flags *f, struct container_create *ret, struct sl_err *err)
{
	const char *bundle = flags_string(f, "bundle");
	char real[PATH_MAX];

	*ret = (struct container_create){
		/* A copy, because the supervisor overwrites the command line (proctitle.h). */
		.id = arena_strdup(cli->rt.arena, f->args[0]),
		.console_socket = flags_string(f, "console-socket"),
		.notice = { flags_string(f, "pid-file"), flags_string(f, "pidfd-socket") },
		.keyring = flags_bool(f, "no-new-keyring") ? CONTAINER_KEYRING_CALLERS
							   : CONTAINER_KEYRING_NEW,
		.listen = listen_fds_given(),
		.notify = notify_host() ? CONTAINER_NOTIFY : CONTAINER_NO_NOTIFY,
		.image_fd = -1,
	};
	if (flags_preserve(f, ret->listen.n, &ret->n_preserve, err) < 0)
		return -1;
	if (!realpath(bundle ? bundle : ".", real))
		return sl_err_set(err, errno, "bundle %s", bundle ? bundle : ".");
	ret->bundle = arena_strdup(cli->rt.arena, real);
	/* This comes before any change, because it may execute this command again. */
	if (image_protect(cli->argv, &ret->image_fd, err) < 0)
		return -1;
	return raise_open_files(cli->rt.arena, ret, &ret->open_files, err);
}
