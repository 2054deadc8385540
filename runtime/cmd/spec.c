/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/cmd/cmd.h"
#include "spec/template.h"

static const struct flag spec_flags[] = {
	{ "bundle", 'b', FLAG_STRING, "directory to write config.json to" },
	{ "rootless", 0, FLAG_BOOL, "as the caller's user, without what needs root" },
	{ 0 },
};

static int spec_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *dir = flags_string(f, "bundle");
	const char *text =
		spec_template_render(cli->rt.arena, flags_bool(f, "rootless"), getuid(), getgid());
	auto_fd int dir_fd = open(dir ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = -1;

	if (dir_fd < 0)
		return sl_err_set(err, errno, "bundle %s", dir);
	fd = openat(dir_fd, "config.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		return sl_err_set(err, 0, "File config.json exists. Remove it first");
	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0)
		return sl_err_set(err, errno, "write config.json");
	return 0;
}

const struct command cmd_spec = {
	.name = "spec",
	.usage = "",
	.summary = "write a template config.json",
	.flags = spec_flags,
	.max_args = 0,
	.failure_status = 1,
	.run = spec_run,
};
