/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the program inside the container, with the user's own rights, at `create`: the
 * callers expect its errors there and match their words (contract: "executable file not
 * found in $PATH", "no such file or directory", "permission denied").
 */
#ifndef SANDLOCK_INIT_LOOKUP_H
#define SANDLOCK_INIT_LOOKUP_H

#include "runtime/plan/process.h"

/* Builds argv and envp (HOME is added from the container's /etc/passwd when it is absent;
 * an empty one is not packed, plan/env.h) and resolves args[0]. The results live until execve. */
int lookup_program(const struct plan_process *p, char ***ret_args, char ***ret_env,
	const char **ret_file, struct sl_err *err);

/* What an error is called in Go, whose words callers match; good until the next one. */
const char *lookup_reason(int code);

#endif
