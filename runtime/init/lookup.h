/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the program inside the container, with the rights of its user, at `create`: callers
 * expect these errors there and compare their texts ("executable file not found in $PATH", "no such
 * file or directory", "permission denied").
 */
#ifndef SANDLOCK_INIT_LOOKUP_H
#define SANDLOCK_INIT_LOOKUP_H

#include "runtime/plan/process.h"

/* Builds argv and envp, and finds the file of args[0]. HOME is added from the container's
 * /etc/passwd if the environment has none (plan/env.h drops an empty one). The results stay
 * valid until execve. */
int lookup_program(const struct plan_process *p, char ***ret_args, char ***ret_env,
	const char **ret_file, struct sl_err *err);

/* The text of an error as Go writes it, because callers match it. Valid until the next call. */
const char *lookup_reason(int code);

#endif
