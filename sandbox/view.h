/* SPDX-License-Identifier: Apache-2.0
 *
 * How the file view of a sandbox can be made by this process, the cheapest exact way first.
 */
#ifndef SANDLOCK_SANDBOX_VIEW_H
#define SANDLOCK_SANDBOX_VIEW_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"

enum view {
	VIEW_TREE,   /* the caller may mount: a detached tree */
	VIEW_USERNS, /* the same tree inside a user and a mount namespace of its own */
	VIEW_COUNT,
};

struct view_choice {
	enum view view;
	const char *why; /* for people */
};

const char *view_name(enum view v);

/* Whether this process could make the view now; otherwise the error says what refuses it. */
int view_try(enum view v, struct sl_err *err);

/* word: of --view; NULL: auto. */
int view_choose(const char *word, struct view_choice *ret, struct sl_err *err);

/* What the process is after it has entered the view. */
struct view_entry {
	uid_t uid; /* in the user namespace: the caller's, or another name for it */
	gid_t gid;
	const char *state_root; /* the caller's, found before its user had another name */
};

/* Makes the calling process, which must have one thread, able to mount: with VIEW_USERNS it enters
 * a user namespace that maps this one user and group, and a mount namespace
 * (user_namespaces(7)), and executes this program again with argv. It has all capabilities there
 * until it executes another program, and none outside.
 *
 * Executing is necessary because the memory of a process belongs to the user namespace in which it
 * was made, and decides who may inspect the process and its children (ptrace(2), "Ptrace access
 * mode checking"). */
int view_enter(enum view v, const struct view_entry *entry, char *const *argv, struct sl_err *err);

/* Whether view_enter() has executed this program. Then *ret_state_root is set, and the environment
 * is the caller's again. */
bool view_is_entered(const char **ret_state_root);

#endif
