/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks (runtime-spec, config.md "POSIX-platform Hooks"): each gets the container's state
 * as JSON on its stdin, its own environment, and at most its timeout.
 */
#ifndef SANDLOCK_HOOKS_HOOKS_H
#define SANDLOCK_HOOKS_HOOKS_H

#include "spec/spec.h"

/* Runs the list in order. The first failure (exit status, signal, timeout) stops it with
 * an error that holds the hook's number, path and the end of what it printed. */
int hooks_run(const struct spec_hook_list *list, const char *kind, const char *state,
	const char *directory, struct sl_err *err);

#endif
