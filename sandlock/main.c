/* SPDX-License-Identifier: Apache-2.0
 *
 * sandlock: runs a command in a sandbox, as the user who calls it.
 */
#include <stdio.h>
#include <string.h>

#include "runtime/base/daemon.h"
#include "runtime/base/image.h"
#include "runtime/base/printable.h"
#include "runtime/base/proctitle.h"
#include "sandlock/sandlock.h"

static const struct {
	const char *name;
	int (*run)(struct runtime *rt, int argc, char **argv, char *const *all);
	const char *summary;
} verbs[] = {
	{ "run", sandlock_run, "run a command in a sandbox" },
	{ "ps", sandlock_ps, "list the sandboxes of this user that run" },
	{ "inspect", sandlock_inspect, "print the options of a sandbox that runs" },
	{ "kill", sandlock_kill, "end sandboxes, by their names" },
	{ "check", sandlock_check, "say how sandboxes are made here, and what is missing" },
};
#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static void log_message(void *ctx, enum runtime_level level, const char *text)
{
	const struct runtime *rt = ctx;

	if (level >= RUNTIME_WARNING)
		fprintf(stderr, "sandlock: %s\n", printable_text(rt->arena, text, false));
}

static int print_usage(FILE *out)
{
	fprintf(out, "sandlock - runs a command in a sandbox, as the user who calls it\n\n"
		     "usage: sandlock VERB [options] [-- command]\n\nverbs:\n");
	for (size_t i = 0; i < N_VERBS; i++)
		fprintf(out, "   %-10s %s\n", verbs[i].name, verbs[i].summary);
	fprintf(out, "\nsandlock VERB --help describes a verb.\n");
	return out == stdout ? 0 : STATUS_FAILED;
}

/* The supervisor overwrites the command line (proctitle.h). */
static char **copy_words(struct arena *a, int argc, char **argv)
{
	char **copy = arena_array(a, (size_t)argc + 1, sizeof(*copy));

	for (int i = 0; i < argc; i++)
		copy[i] = arena_strdup(a, argv[i]);
	return copy;
}

int main(int argc, char **argv)
{
	struct runtime rt = { .arena = arena_new(), .log = log_message, .log_ctx = &rt };
	char **words = copy_words(rt.arena, argc, argv);
	struct sl_err err;

	proctitle_init(argc, argv);
	/* The caller may have closed stdio; a file that is opened later must not become stdio. */
	if (daemon_open_stdio() < 0) {
		sl_err_set(&err, errno, "prepare this process");
		return sandlock_fail(&rt, &err);
	}
	if (argc < 2)
		return print_usage(stderr);
	if (strcmp(words[1], "--version") == 0)
		return printf("sandlock version %s\n", SANDLOCK_VERSION) < 0;
	if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)
		return print_usage(stdout);
	rt.programs = image_directory(rt.arena);
	for (size_t i = 0; i < N_VERBS; i++)
		if (strcmp(words[1], verbs[i].name) == 0)
			return verbs[i].run(&rt, argc - 2, words + 2, words);
	sl_err_set(&err, 0, "unknown verb \"%s\"; see sandlock --help", words[1]);
	return sandlock_fail(&rt, &err);
}
