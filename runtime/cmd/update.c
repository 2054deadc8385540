/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that runc's update takes is accepted (container/update.c).
 */
#include <fcntl.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/cmd/cmd.h"

static const struct flag update_flags[] = {
	{ "resources", 'r', FLAG_STRING, "file with an OCI resources object, - for stdin" },
	{ "blkio-weight", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-period", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-quota", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-burst", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-share", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-rt-period", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-rt-runtime", 0, FLAG_STRING, "accepted without effect" },
	{ "cpuset-cpus", 0, FLAG_STRING, "accepted without effect" },
	{ "cpuset-mems", 0, FLAG_STRING, "accepted without effect" },
	{ "cpu-idle", 0, FLAG_STRING, "accepted without effect" },
	{ "memory", 0, FLAG_STRING, "accepted without effect" },
	{ "memory-reservation", 0, FLAG_STRING, "accepted without effect" },
	{ "memory-swap", 0, FLAG_STRING, "accepted without effect" },
	{ "kernel-memory", 0, FLAG_STRING, "accepted without effect" },
	{ "kernel-memory-tcp", 0, FLAG_STRING, "accepted without effect" },
	{ "pids-limit", 0, FLAG_STRING, "accepted without effect" },
	{ "l3-cache-schema", 0, FLAG_STRING, "accepted without effect" },
	{ "mem-bw-schema", 0, FLAG_STRING, "accepted without effect" },
	{ 0 },
};

static int read_resources(
	struct arena *a, const char *path, struct container_update *ret, struct sl_err *err)
{
	char *buf;
	int rc = strcmp(path, "-") == 0
			 ? io_read_all(a, 0, SPEC_MAX_BYTES, &buf, &ret->n_resources, err)
			 : io_read_file(
				   a, AT_FDCWD, path, SPEC_MAX_BYTES, &buf, &ret->n_resources, err);

	if (rc == 0)
		ret->resources = buf;
	return rc;
}

static const char *given(struct arena *a, const struct flags *f)
{
	const char *list = "";

	for (const struct flag_value *v = f->first; v; v = v->next)
		list = arena_printf(a, "%s%s--%s", list, *list ? ", " : "", v->flag->name);
	return list;
}

static int update_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *resources = flags_string(f, "resources");
	struct container_update req = { .id = f->args[0] };

	if (resources && read_resources(cli->rt.arena, resources, &req, err) < 0)
		return CMD_ERROR;
	if (container_update(&cli->rt, &req, err) < 0)
		return CMD_ERROR;
	if (f->first)
		cmd_warn(cli, arena_printf(cli->rt.arena,
				      "update: not applied: %s (limits without cgroups are not "
				      "built yet)",
				      given(cli->rt.arena, f)));
	return 0;
}

const struct command cmd_update = {
	.name = "update",
	.usage = "<container-id>",
	.summary = "check new resources; limits without cgroups are not built yet",
	.flags = update_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = update_run,
};
