/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/launch.h"

#include <limits.h>
#include <stdlib.h>

#include "runtime/base/image.h"
#include "runtime/cmd/listen_fds.h"
#include "runtime/cmd/notify.h"

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
	return container_raise_open_files(cli->rt.arena, ret, err);
}
