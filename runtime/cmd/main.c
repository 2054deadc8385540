/* SPDX-License-Identifier: Apache-2.0
 *
 * sandlock-oci: an OCI container runtime without namespaces and without cgroups.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/daemon.h"
#include "runtime/base/image.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/base/printable.h"
#include "runtime/base/proctitle.h"
#include "runtime/cmd/cmd.h"
#include "runtime/store/store.h"
#include "spec/state_doc.h"

#define SPEC_VERSION "1.3.0"

static const struct flag global_flags[] = {
	{ "root", 0, FLAG_STRING, "where containers' state lives (default /run/sandlock-oci)" },
	{ "log", 0, FLAG_STRING, "file to append errors and warnings to" },
	{ "log-format", 0, FLAG_STRING, "text or json" },
	{ "debug", 0, FLAG_BOOL, "write what is done into the log as well, or to stderr" },
	{ "config", 0, FLAG_STRING, "node policy (default " NODE_CONFIG_PATH ")" },
	{ "systemd-cgroup", 0, FLAG_BOOL, "accepted without effect: no cgroup is made" },
	{ "cgroup-manager", 0, FLAG_STRING, "accepted without effect: no cgroup is made" },
	{ "rootless", 0, FLAG_STRING, "accepted without effect: rights are probed, not assumed" },
	{ "criu", 0, FLAG_STRING, "accepted without effect: there is no checkpoint" },
	{ "version", 'v', FLAG_BOOL, "print the version" },
	{ "help", 'h', FLAG_BOOL, "print this help" },
	{ 0 },
};

static const struct command *const commands[] = {
	&cmd_create,
	&cmd_start,
	&cmd_run,
	&cmd_state,
	&cmd_list,
	&cmd_ps,
	&cmd_kill,
	&cmd_delete,
	&cmd_exec,
	&cmd_pause,
	&cmd_resume,
	&cmd_events,
	&cmd_update,
	&cmd_wait,
	&cmd_spec,
	&cmd_features,
	&cmd_check,
	&cmd_policy,
	&cmd_checkpoint,
	&cmd_restore,
};
#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The log is opened before anything is done: a caller that asks for a log reads the reason of a
 * failure in it. */
static int open_log(struct cli *cli, const char *path, struct sl_err *err)
{
	if (!path || !*path)
		return 0;
	cli->log_fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	return cli->log_fd < 0 ? sl_err_set(err, errno, "--log: open %s", path) : 0;
}

/* Appends a line to the log, as a JSON object or as text. */
static void cmd_log(struct cli *cli, const char *level, const char *text)
{
	char when[SPEC_TIME_MAX];
	struct timespec now;

	if (cli->log_fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	spec_time_format(now, when);
	if (cli->log_json) {
		struct json_gen *g = json_gen_new(cli->rt.arena, false);
		const char *line;
		size_t len;

		json_gen_object(g);
		json_gen_member_string(g, "level", level);
		json_gen_member_string(g, "msg", text);
		json_gen_member_string(g, "time", when);
		json_gen_end(g);
		line = arena_printf(cli->rt.arena, "%s\n", json_gen_take(g, &len));
		io_write_all(cli->log_fd, line, strlen(line));
	} else {
		dprintf(cli->log_fd, "time=\"%s\" level=%s msg=\"%s\"\n", when, level,
			printable_text(cli->rt.arena, text, true));
	}
}

void cmd_warn(struct cli *cli, const char *text)
{
	fprintf(stderr, "warning: %s\n", printable_text(cli->rt.arena, text, false));
	cmd_log(cli, "warning", text);
}

/* With --debug, writes a line to the log, or to stderr without a log. */
static void cmd_debug(struct cli *cli, const char *text)
{
	if (!cli->debug)
		return;
	if (cli->log_fd < 0)
		fprintf(stderr, "debug: %s\n", printable_text(cli->rt.arena, text, false));
	cmd_log(cli, "debug", text);
}

/* While a container is made, stderr of this process becomes that of the container. If there is a
 * log, such warnings go only there, because others may read the container's stderr (runc does
 * the same). */
static void on_log(void *ctx, enum runtime_level level, const char *text)
{
	struct cli *cli = ctx;

	switch (level) {
	case RUNTIME_DEBUG: cmd_debug(cli, text); break;
	case RUNTIME_NOTE: cmd_log(cli, "warning", text); break;
	case RUNTIME_MAKING:
		if (cli->log_fd >= 0)
			cmd_log(cli, "warning", text);
		else
			cmd_warn(cli, text);
		break;
	case RUNTIME_WARNING: cmd_warn(cli, text); break;
	}
}

static void print_help(void)
{
	printf("sandlock-oci - an OCI container runtime without namespaces and without cgroups\n\n"
	       "usage: sandlock-oci [global options] command [options] [arguments]\n\ncommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("   %-12s %s\n", commands[i]->name, commands[i]->summary);
	printf("\nglobal options:\n");
	flags_print_help(global_flags);
	printf("\nA bundle is a directory with config.json and the root file system that it "
	       "names:\n"
	       "   sandlock-oci check         say whether this machine can run containers\n"
	       "   sandlock-oci spec          write a config.json that runs sh in ./rootfs\n"
	       "   sandlock-oci run NAME      run the bundle in the working directory\n"
	       "\nsandlock-oci COMMAND --help describes a command; see also sandlock-oci(8).\n");
}

static void print_command_help(const struct command *c)
{
	printf("%s - %s\n\nusage: sandlock-oci %s [options]%s%s\n\noptions:\n", c->name, c->summary,
		c->name, *c->usage ? " " : "", c->usage);
	flags_print_help(c->flags);
	printf("   %-32s %s\n", "--help, -h", "print this help");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int read_globals(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *format = flags_string(f, "log-format");

	cli->rt.root = flags_string(f, "root");
	cli->root_given = cli->rt.root != NULL;
	if (!cli->rt.root)
		cli->rt.root = store_default_root(cli->rt.arena);
	cli->rt.config = flags_string(f, "config");
	cli->rt.programs = image_directory(cli->rt.arena);
	cli->debug = flags_bool(f, "debug");
	if (format && strcmp(format, "json") == 0)
		cli->log_json = true;
	else if (format && strcmp(format, "text") != 0)
		return sl_err_set(
			err, 0, "invalid log-format \"%s\": expected text or json", format);
	return 0;
}

static bool wants_help(const struct command *c, int argc, char **argv)
{
	for (int i = 0; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0 ||
			strcmp(argv[i], "-help") == 0)
			return true;
	return argc > 0 && !c->stop_at_first && strcmp(argv[argc - 1], "--help") == 0;
}

static int run_command(
	struct cli *cli, const struct command *c, int argc, char **argv, struct sl_err *err)
{
	struct flags f = { 0 };

	if (c->unsupported)
		return c->run(cli, &f, err);
	if (flags_parse(cli->rt.arena, c->flags, c->stop_at_first, argc, argv, &f, err) < 0)
		return CMD_ERROR;
	if (f.n_args < c->min_args || (c->max_args >= 0 && f.n_args > c->max_args)) {
		sl_err_set(err, 0, "\"%s\" takes %s; see sandlock-oci %s --help", c->name, c->usage,
			c->name);
		return CMD_ERROR;
	}
	return c->run(cli, &f, err);
}

static int report(struct cli *cli, const struct sl_err *err, int status)
{
	fprintf(stderr, "%s\n", printable_text(cli->rt.arena, err->msg, false));
	cmd_log(cli, "error", err->msg);
	return status;
}

/* Reports errors of writing stdout, also those of earlier writes. Returns the exit status. */
static int finish_command(struct cli *cli, int status, int failure_status)
{
	struct sl_err err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	sl_err_set(&err, errno ? errno : EIO, "write the output");
	return report(cli, &err, failure_status);
}

int main(int argc, char **argv)
{
	struct cli cli = {
		.rt = { .arena = arena_new(), .log = on_log, .log_ctx = &cli },
		.argv = argv,
		.log_fd = -1,
	};
	const struct command *c;
	struct flags globals;
	struct sl_err err;
	int status;

	proctitle_init(argc, argv);
	/* The caller may have closed stdio. Without this, a file that is opened later would
	 * become stdio. */
	if (daemon_open_stdio() < 0) {
		sl_err_set(&err, errno, "open /dev/null for a missing stdio");
		return report(&cli, &err, 1);
	}
	/* A process that may read this one's memory could read secrets of the bundle. */
	if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) < 0) {
		sl_err_set(&err, errno, "shut this process to others");
		return report(&cli, &err, 1);
	}
	if (flags_parse(cli.rt.arena, global_flags, true, argc - 1, argv + 1, &globals, &err) < 0 ||
		read_globals(&cli, &globals, &err) < 0)
		return report(&cli, &err, 1);
	if (flags_bool(&globals, "version")) {
		printf("sandlock-oci version %s\nspec: %s\n", SANDLOCK_VERSION, SPEC_VERSION);
		return finish_command(&cli, 0, 1);
	}
	if (flags_bool(&globals, "help") || globals.n_args == 0 ||
		strcmp(globals.args[0], "help") == 0) {
		print_help();
		return finish_command(
			&cli, globals.n_args == 0 && !flags_bool(&globals, "help"), 1);
	}
	c = find_command(globals.args[0]);
	if (!c) {
		sl_err_set(&err, 0, "unknown command \"%s\"; see sandlock-oci --help",
			globals.args[0]);
		return report(&cli, &err, 1);
	}
	if (!c->unsupported && wants_help(c, globals.n_args - 1, globals.args + 1)) {
		print_command_help(c);
		return finish_command(&cli, 0, 1);
	}
	if (open_log(&cli, flags_string(&globals, "log"), &err) < 0)
		return report(&cli, &err, c->failure_status);
	cmd_debug(&cli, arena_printf(cli.rt.arena, "%s, version %s, state root %s", c->name,
				SANDLOCK_VERSION, cli.rt.root));
	status = run_command(&cli, c, globals.n_args - 1, globals.args + 1, &err);
	if (status == CMD_ERROR)
		return report(&cli, &err, c->failure_status);
	return status == 0 ? finish_command(&cli, 0, c->failure_status) : status;
}
