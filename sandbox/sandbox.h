/* SPDX-License-Identifier: Apache-2.0
 *
 * A command in a sandbox: what is asked for (options.h) becomes what plan_make() turns into a plan
 * otherwise from a bundle and the node's configuration (runtime/plan/plan.h). From there on a
 * sandbox is a container of the state root that sandbox_state_root() names, and everything that can
 * be done to a container (runtime/container) can be done to it.
 */
#ifndef SANDLOCK_SANDBOX_SANDBOX_H
#define SANDLOCK_SANDBOX_SANDBOX_H

#include "runtime/plan/plan.h"
#include "sandbox/grants.h"
#include "sandbox/options.h"
#include "sandbox/view.h"

/* The annotation with the options as a profile. */
#define SANDBOX_PROFILE_KEY "org.sandlock.profile"

struct sandbox_request {
	const char *id;
	struct plan_given given;
	struct grants grants; /* given contains them as mounts */
	uint64_t timeout_s;   /* 0: none, or plan_make() refuses it */
};

/* Everything that can be refused without a look at the plan is refused here, with the option and
 * its value. terminal: the command gets a terminal of its own. */
int sandbox_request_make(struct arena *a, const struct sandbox_options *o,
	const struct view_choice *view, bool terminal, struct sandbox_request *ret,
	struct sl_err *err);

/* Prints what would be done and what enforces it, for --explain. The plan is made, so everything
 * that is refused because of the options is refused here too. */
int sandbox_explain(struct arena *a, const struct sandbox_request *request,
	const struct view_choice *view, FILE *out, struct sl_err *err);

/* Puts the options in the place of the annotations that a message about a plan names. */
void sandbox_name_options(struct sl_err *err);

/* The user and group that the command gets: --user, or the caller's. */
int sandbox_user(
	const struct sandbox_options *o, uid_t *ret_uid, gid_t *ret_gid, struct sl_err *err);

/* Returns the directory with the state of the caller's sandboxes, made for nobody else. To be
 * called before the view is entered. */
const char *sandbox_state_root(struct arena *a, struct sl_err *err);

/* Fails if the directory is not the caller's alone. */
int sandbox_check_state_root(const char *path, struct sl_err *err);

#endif
