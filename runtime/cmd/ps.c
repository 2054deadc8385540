/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/cmd/cmd.h"

static const struct flag ps_flags[] = { { "format", 'f', FLAG_STRING, "table or json" }, { 0 } };

/* Returns the number of the header's column "PID". */
static int pid_column(const char *header)
{
	int column = 0;

	while (*header) {
		size_t n;

		header += strspn(header, " \t\n");
		n = strcspn(header, " \t\n");
		if (n == 3 && strncmp(header, "PID", 3) == 0)
			return column;
		header += n;
		column++;
	}
	return -1;
}

static pid_t pid_at(const char *line, int column)
{
	for (int i = 0; i < column; i++) {
		line += strspn(line, " \t");
		line += strcspn(line, " \t");
	}
	return (pid_t)strtol(line, NULL, 10);
}

static bool contains(const struct container_processes *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pids[i] == pid)
			return true;
	for (size_t i = 0; i < p->n_reported; i++)
		if (p->reported[i].pid == pid)
			return true;
	return false;
}

/* Starts ps(1) and returns a stream of its output; NULL on failure. */
static FILE *run_ps(char **argv, struct sl_err *err)
{
	posix_spawn_file_actions_t actions;
	int fds[2], rc;
	FILE *in;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		sl_err_set(err, errno, "pipe");
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	in = rc == 0 ? fdopen(fds[0], "r") : NULL;
	if (!in) {
		sl_err_set(err, rc ? rc : errno, "run %s", argv[0]);
		close(fds[0]);
	}
	return in;
}

/* Runs ps(1) with the caller's options and prints only the lines of the container. No shell is
 * used. */
static int print_ps_table(struct cli *cli, const struct flags *f,
	const struct container_processes *p, struct sl_err *err)
{
	char **argv = arena_array(cli->rt.arena, (size_t)f->n_args + 2, sizeof(*argv));
	auto_free char *line = NULL;
	size_t size = 0;
	int column = -1;
	auto_file FILE *in = NULL;

	argv[0] = (char *)"ps";
	if (f->n_args > 1)
		memcpy(argv + 1, f->args + 1, ((size_t)f->n_args - 1) * sizeof(*argv));
	else
		argv[1] = (char *)"-ef";
	in = run_ps(argv, err);
	if (!in)
		return -1;
	while (errno = 0, getline(&line, &size, in) > 0) {
		if (column < 0) {
			column = pid_column(line);
			if (column < 0)
				return sl_err_set(err, 0, "couldn't find PID field in ps output");
			fputs(line, stdout);
		} else if (contains(p, pid_at(line, column))) {
			fputs(line, stdout);
		}
	}
	if (errno != 0)
		return sl_err_set(err, errno, "read the output of ps");
	return 0;
}

static void print_ps_json(struct cli *cli, const struct container_processes *p)
{
	struct json_gen *g = json_gen_new(cli->rt.arena, false);
	size_t len;

	/* Callers look for the pids that they know: containerd's shim finds out which one is an
	 * exec. */
	json_gen_array(g);
	for (size_t i = 0; i < p->n_reported; i++)
		json_gen_i64(g, p->reported[i].pid);
	for (size_t i = 0; i < p->n; i++)
		json_gen_i64(g, p->pids[i]);
	json_gen_end(g);
	puts(json_gen_take(g, &len));
}

static int ps_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *format = flags_string(f, "format");
	struct container_processes p = { 0 };
	auto_container struct container c = CONTAINER_NONE;

	if (format && strcmp(format, "table") != 0 && strcmp(format, "json") != 0)
		return sl_err_set(err, 0, "invalid format option \"%s\"", format);
	if (container_open(&cli->rt, f->args[0], CONTAINER_READ, &c, err) < 0)
		return CMD_ERROR;
	/* A stopped container has no processes, which is no error for runc: it prints null, or
	 * only the header. */
	if (container_processes(&cli->rt, &c, &p, err) < 0)
		return CMD_ERROR;
	if (format && strcmp(format, "json") == 0) {
		if (c.status == RECORD_STOPPED)
			puts("null");
		else
			print_ps_json(cli, &p);
		return 0;
	}
	return print_ps_table(cli, f, &p, err) < 0 ? CMD_ERROR : 0;
}

const struct command cmd_ps = {
	.name = "ps",
	.usage = "<container-id> [ps options]",
	.summary = "show the processes of a container",
	.flags = ps_flags,
	.min_args = 1,
	.max_args = -1,
	.stop_at_first = true,
	.failure_status = 1,
	.run = ps_run,
};
