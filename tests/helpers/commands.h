/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is called with the name of a command and its arguments.
 */
#ifndef SANDLOCK_TESTS_HELPERS_COMMANDS_H
#define SANDLOCK_TESTS_HELPERS_COMMANDS_H

#include <stdio.h>
#include <string.h>

struct probe_command {
	const char *name;
	int args; /* -1: any number */
	int (*run)(char **v);
};

/* Returns the exit status. */
static inline int run_command(const struct probe_command *commands, size_t n, int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < n; i++)
		if (strcmp(argv[1], commands[i].name) == 0 &&
			(commands[i].args < 0 || argc == 2 + commands[i].args))
			return commands[i].run(argv + 2);
	fprintf(stderr, "%s: what?\n", argv[0]);
	return 2;
}

#endif
