/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "runtime/cmd/cmd.h"
#include "runtime/store/store.h"

static const struct flag list_flags[] = {
	{ "format", 'f', FLAG_STRING, "table or json" },
	{ "quiet", 'q', FLAG_BOOL, "ids only" },
	{ 0 },
};

static size_t read_all(struct cli *cli, char **ids, struct spec_state *states)
{
	size_t n = 0;

	for (; *ids; ids++) {
		auto_container struct container c = CONTAINER_NONE;
		struct sl_err err;

		/* An error of one container is reported and the others are listed. A container
		 * that is just being made or removed is skipped. */
		if (container_open(&cli->rt, *ids, CONTAINER_READ, &c, &err) == 0)
			container_state(&cli->rt, &c, &states[n++]);
		else if (strcmp(err.msg, "container does not exist") != 0)
			fprintf(stderr, "list: %s: %s\n", *ids, err.msg);
	}
	return n;
}

static void print_list_json(struct cli *cli, const struct spec_state *states, size_t n)
{
	struct json_gen *g = json_gen_new(cli->rt.arena, false);
	size_t len;

	json_gen_array(g);
	for (size_t i = 0; i < n; i++)
		spec_state_gen(g, &states[i]);
	json_gen_end(g);
	puts(json_gen_take(g, &len));
}

static void print_list_table(const struct spec_state *states, size_t n)
{
	printf("%-20s %-10s %-10s %-40s %-32s %s\n", "ID", "PID", "STATUS", "BUNDLE", "CREATED",
		"OWNER");
	for (size_t i = 0; i < n; i++) {
		const struct spec_state *s = &states[i];
		char when[SPEC_TIME_MAX];

		spec_time_format(s->created, when);
		printf("%-20s %-10d %-10s %-40s %-32s %s\n", s->id, s->pid, s->status, s->bundle,
			when, s->owner);
	}
}

static int list_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *format = flags_string(f, "format");
	struct spec_state *states;
	char **ids;
	int root_fd;
	size_t n = 0;

	if (format && strcmp(format, "table") != 0 && strcmp(format, "json") != 0)
		return sl_err_set(err, 0, "invalid format option \"%s\"", format);
	if (store_open_root(cli->rt.root, false, &root_fd, err) < 0) {
		/* No container was ever made here. */
		if (err->code != ENOENT)
			return CMD_ERROR;
		ids = arena_array(cli->rt.arena, 1, sizeof(*ids));
	} else if (store_list(cli->rt.arena, root_fd, &ids, err) < 0) {
		return CMD_ERROR;
	}
	while (ids[n])
		n++;
	states = arena_array(cli->rt.arena, n + 1, sizeof(*states));
	n = read_all(cli, ids, states);
	if (flags_bool(f, "quiet"))
		for (size_t i = 0; i < n; i++)
			puts(states[i].id);
	else if (format && strcmp(format, "json") == 0)
		print_list_json(cli, states, n);
	else
		print_list_table(states, n);
	return 0;
}

const struct command cmd_list = {
	.name = "list",
	.usage = "",
	.summary = "list the containers of a state root",
	.flags = list_flags,
	.min_args = 0,
	.max_args = 0,
	.failure_status = 1,
	.run = list_run,
};
