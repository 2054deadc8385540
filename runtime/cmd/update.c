/* SPDX-License-Identifier: Apache-2.0
 *
 * Accepts all options of runc's update, and warns of those that have no effect. The flags become
 * a document like that of --resources (container/update.c). If both are given, --resources is
 * used and the flags are ignored, as in runc.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/cmd/cmd.h"

#define NO_EFFECT "accepted without effect"

static const struct flag update_flags[] = {
	{ "resources", 'r', FLAG_STRING, "file with an OCI resources object, - for stdin" },
	{ "memory", 0, FLAG_STRING, "bytes, with a unit like 64M; -1: no limit" },
	{ "pids-limit", 0, FLAG_STRING, "processes and threads; -1: no limit" },
	{ "blkio-weight", 0, FLAG_STRING, NO_EFFECT },
	{ "cpu-period", 0, FLAG_STRING, "microseconds in which the quota may be used" },
	{ "cpu-quota", 0, FLAG_STRING,
		"microseconds of processor time in each period; -1: no limit" },
	{ "cpu-burst", 0, FLAG_STRING, NO_EFFECT },
	{ "cpu-share", 0, FLAG_STRING, "weight of its processor time; 1024 without a limit" },
	{ "cpu-rt-period", 0, FLAG_STRING, NO_EFFECT },
	{ "cpu-rt-runtime", 0, FLAG_STRING, NO_EFFECT },
	{ "cpuset-cpus", 0, FLAG_STRING, "processors, like 0-3,7" },
	{ "cpuset-mems", 0, FLAG_STRING, NO_EFFECT },
	{ "cpu-idle", 0, FLAG_STRING, "1: runs only when nothing else wants to; 0: normal" },
	{ "memory-reservation", 0, FLAG_STRING, NO_EFFECT },
	{ "memory-swap", 0, FLAG_STRING, NO_EFFECT },
	{ "kernel-memory", 0, FLAG_STRING, NO_EFFECT },
	{ "kernel-memory-tcp", 0, FLAG_STRING, NO_EFFECT },
	{ "l3-cache-schema", 0, FLAG_STRING, NO_EFFECT },
	{ "mem-bw-schema", 0, FLAG_STRING, NO_EFFECT },
	{ 0 },
};

enum value_kind { VALUE_TEXT, VALUE_NUMBER, VALUE_BYTES };

/* The member of linux.resources for each flag, sorted by object, so that each object is written
 * once. */
static const struct place {
	const char *flag, *object, *member;
	enum value_kind kind;
} places[] = {
	{ "memory", "memory", "limit", VALUE_BYTES },
	{ "memory-reservation", "memory", "reservation", VALUE_BYTES },
	{ "memory-swap", "memory", "swap", VALUE_BYTES },
	{ "kernel-memory", "memory", "kernel", VALUE_BYTES },
	{ "kernel-memory-tcp", "memory", "kernelTCP", VALUE_BYTES },
	{ "cpu-period", "cpu", "period", VALUE_NUMBER },
	{ "cpu-quota", "cpu", "quota", VALUE_NUMBER },
	{ "cpu-burst", "cpu", "burst", VALUE_NUMBER },
	{ "cpu-share", "cpu", "shares", VALUE_NUMBER },
	{ "cpu-rt-period", "cpu", "realtimePeriod", VALUE_NUMBER },
	{ "cpu-rt-runtime", "cpu", "realtimeRuntime", VALUE_NUMBER },
	{ "cpuset-cpus", "cpu", "cpus", VALUE_TEXT },
	{ "cpuset-mems", "cpu", "mems", VALUE_TEXT },
	{ "cpu-idle", "cpu", "idle", VALUE_NUMBER },
	{ "pids-limit", "pids", "limit", VALUE_NUMBER },
	{ "blkio-weight", "blockIO", "weight", VALUE_NUMBER },
};

/* The syntax of docker's units.RAMInBytes(): 64, 64k, 64m, 64G, 64MB, 64MiB; units are powers of
 * 1024. */
static int read_bytes(const char *text, int64_t *ret)
{
	static const char letters[] = "kmgtp";
	char *end;
	int64_t n = strtoll(text, &end, 10);
	const char *letter;

	if (end == text || errno == ERANGE)
		return -1;
	letter = *end ? strchr(letters, *end | 0x20) : NULL;
	for (size_t i = 0; letter && i <= (size_t)(letter - letters); i++)
		if (n < 0 || __builtin_mul_overflow(n, (int64_t)1024, &n))
			return -1;
	end += letter != NULL;
	if (strcasecmp(end, "") != 0 && strcasecmp(end, "b") != 0 && strcasecmp(end, "ib") != 0)
		return -1;
	*ret = n;
	return 0;
}

static int read_value(enum value_kind kind, const char *text, int64_t *ret)
{
	char *end;

	errno = 0;
	if (kind == VALUE_BYTES)
		return read_bytes(text, ret);
	*ret = strtoll(text, &end, 10);
	return end == text || *end != '\0' || errno != 0 ? -1 : 0;
}

static int gen_flags(
	struct arena *a, const struct flags *f, struct container_update *ret, struct sl_err *err)
{
	struct json_gen *g = json_gen_new(a, false);
	const char *object = NULL;
	int64_t n = 0;

	json_gen_object(g);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct place *p = &places[i];
		const char *text = flags_string(f, p->flag);

		if (!text)
			continue;
		if (p->kind != VALUE_TEXT && read_value(p->kind, text, &n) < 0)
			return sl_err_set(
				err, 0, "invalid value \"%.80s\" for flag --%s", text, p->flag);
		if (object && strcmp(object, p->object) != 0)
			json_gen_end(g);
		if (!object || strcmp(object, p->object) != 0) {
			json_gen_key(g, p->object);
			json_gen_object(g);
			object = p->object;
		}
		if (p->kind == VALUE_TEXT)
			json_gen_member_string(g, p->member, text);
		else
			json_gen_member_i64(g, p->member, n);
	}
	if (object)
		json_gen_end(g);
	json_gen_end(g);
	ret->resources = json_gen_take(g, &ret->n_resources);
	return 0;
}

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

/* Returns the list of flags that have no effect; NULL: there are none. */
static const char *without_effect(struct arena *a, const struct flags *f)
{
	const char *list = NULL;

	for (const struct flag_value *v = f->first; v; v = v->next)
		if (strcmp(v->flag->help, NO_EFFECT) == 0)
			list = list ? arena_printf(a, "%s, --%s", list, v->flag->name)
				    : arena_printf(a, "--%s", v->flag->name);
	return list;
}

static int update_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *resources = flags_string(f, "resources");
	struct container_update req = { .id = f->args[0] };
	struct arena *a = cli->rt.arena;
	const char *list = without_effect(a, f);

	if (resources ? read_resources(a, resources, &req, err) < 0
		      : gen_flags(a, f, &req, err) < 0)
		return CMD_ERROR;
	if (container_update(&cli->rt, &req, err) < 0)
		return CMD_ERROR;
	if (list)
		cmd_warn(cli, arena_printf(a, "update: not applied: %s", list));
	return 0;
}

const struct command cmd_update = {
	.name = "update",
	.usage = "<container-id>",
	.summary = "change the limits of memory, processes and processors; others are checked",
	.flags = update_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = update_run,
};
