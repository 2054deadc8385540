/* SPDX-License-Identifier: Apache-2.0
 *
 * The command `sandlock`: one function for each verb. It prints its errors and returns the exit
 * status.
 */
#ifndef SANDLOCK_SANDLOCK_SANDLOCK_H
#define SANDLOCK_SANDLOCK_SANDLOCK_H

#include <stdbool.h>

#include "runtime/container/container.h"

/* Exit status when the command was not run; 126 and 127 are those of a shell. */
#define STATUS_FAILED    1
#define STATUS_NOT_EXEC  126
#define STATUS_NOT_FOUND 127
#define STATUS_TIMED_OUT 124

/* argv: the words after the verb; all: those of the process. */
int sandlock_run(struct runtime *rt, int argc, char **argv, char *const *all);

int sandlock_check(struct runtime *rt, int argc, char **argv, char *const *all);

int sandlock_ps(struct runtime *rt, int argc, char **argv, char *const *all);

int sandlock_inspect(struct runtime *rt, int argc, char **argv, char *const *all);

int sandlock_kill(struct runtime *rt, int argc, char **argv, char *const *all);

/* Prints the usage if the first word is --help or -h. Returns whether it was. */
bool sandlock_helped(int argc, char **argv, const char *usage);

/* Opens a sandbox that runs. rt->root is set. */
int sandlock_open(
	const struct runtime *rt, const char *name, struct container *ret, struct sl_err *err);

/* Prints "sandlock: …" on stderr; the value is STATUS_FAILED. */
int sandlock_fail(struct runtime *rt, const struct sl_err *err);

#endif
