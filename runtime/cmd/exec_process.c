/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/exec_process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

static int parse_id(const char *text, const char *end, uint32_t *ret)
{
	char *stop;
	unsigned long long v = strtoull(text, &stop, 10);

	/* strtoull(3) would accept white space and a sign. */
	if (stop != end || *text < '0' || *text > '9' || v >= UINT32_MAX)
		return -1;
	*ret = (uint32_t)v;
	return 0;
}

static int set_user(const char *text, struct spec_process *p, struct sl_err *err)
{
	const char *colon = strchrnul(text, ':');

	if (parse_id(text, colon, &p->uid) < 0 ||
		(*colon && parse_id(colon + 1, colon + 1 + strlen(colon + 1), &p->gid) < 0))
		return sl_err_set(err, 0, "--user: \"%s\": expected UID[:GID] in numbers", text);
	return 0;
}

static int set_groups(
	struct arena *a, const struct flags *f, struct spec_process *p, struct sl_err *err)
{
	size_t n;
	char **list = flags_list(a, f, "additional-gids", &n);
	uint32_t *gids = arena_array(a, p->n_additional_gids + n + 1, sizeof(*gids));

	if (n == 0)
		return 0;
	if (p->n_additional_gids)
		memcpy(gids, p->additional_gids, p->n_additional_gids * sizeof(*gids));
	for (size_t i = 0; i < n; i++)
		if (parse_id(list[i], list[i] + strlen(list[i]), &gids[p->n_additional_gids + i]) <
			0)
			return sl_err_set(err, 0, "--additional-gids: \"%s\"", list[i]);
	p->additional_gids = gids;
	p->n_additional_gids += n;
	return 0;
}

static void add_caps(struct arena *a, const struct flags *f, struct spec_process *p)
{
	size_t n;
	char **list = flags_list(a, f, "cap", &n);

	for (size_t i = 0; i < n; i++) {
		int cap = spec_cap_number(list[i]);
		uint64_t bit;

		if (cap < 0) {
			spec_cap_note_unknown(a, list[i], &p->unknown_caps);
			continue;
		}
		bit = 1ULL << cap;
		p->caps.set = true;
		/* Not inheritable: file capabilities of the image could raise an inheritable
		 * one. */
		p->caps.bounding |= bit;
		p->caps.effective |= bit;
		p->caps.permitted |= bit;
	}
}

static int add_env(
	struct arena *a, const struct flags *f, struct spec_process *p, struct sl_err *err)
{
	size_t n;
	char **list = flags_list(a, f, "env", &n);
	char **env = arena_array(a, p->n_env + n + 1, sizeof(*env));

	for (size_t i = 0; i < n; i++)
		if (spec_check_env(list[i], err) < 0)
			return sl_err_wrap(err, "--env");
	if (p->n_env)
		memcpy(env, p->env, p->n_env * sizeof(*env));
	if (n)
		memcpy(env + p->n_env, list, n * sizeof(*env));
	p->env = env;
	p->n_env += n;
	return 0;
}

static int apply_flags(
	struct cli *cli, const struct flags *f, struct spec_process *p, struct sl_err *err)
{
	const char *user = flags_string(f, "user"), *cwd = flags_string(f, "cwd");
	const char *label = flags_string(f, "process-label");
	const char *profile = flags_string(f, "apparmor");

	if (f->n_args < 2)
		return sl_err_set(err, 0, "process args cannot be empty");
	p->args = f->args + 1;
	p->n_args = (size_t)f->n_args - 1;
	p->terminal = flags_bool(f, "tty");
	if (cwd)
		p->cwd = cwd;
	if (!p->cwd || p->cwd[0] != '/')
		return sl_err_set(err, 0, "Cwd must be an absolute path");
	if (label)
		p->selinux_label = label;
	if (profile)
		p->apparmor_profile = profile;
	if (flags_bool(f, "no-new-privs"))
		p->no_new_privileges = true;
	if (add_env(cli->rt.arena, f, p, err) < 0)
		return -1;
	if (user && set_user(user, p, err) < 0)
		return -1;
	if (set_groups(cli->rt.arena, f, p, err) < 0)
		return -1;
	add_caps(cli->rt.arena, f, p);
	return 0;
}

/* The file is read completely here, because the caller removes it when this command returns. */
static int from_file(struct cli *cli, const char *path, struct spec_process *p, struct sl_err *err)
{
	bool had_umask = p->has_umask;
	uint32_t umask = p->umask;
	char *buf;
	size_t len;

	if (io_read_file(cli->rt.arena, AT_FDCWD, path, SPEC_MAX_BYTES, &buf, &len, err) < 0 ||
		spec_load_process(cli->rt.arena, buf, len, p, err) < 0)
		return -1;
	if (!p->has_umask) {
		p->has_umask = had_umask;
		p->umask = umask;
	}
	return 0;
}

int exec_process_read(
	struct cli *cli, const struct flags *f, struct spec_process *p, struct sl_err *err)
{
	const char *file = flags_string(f, "process");

	return file ? from_file(cli, file, p, err) : apply_flags(cli, f, p, err);
}
