/* SPDX-License-Identifier: Apache-2.0
 *
 * --credential as what the node policy says of credentials otherwise (runtime/plan/node_http.h).
 */
#ifndef SANDLOCK_SANDBOX_CREDENTIALS_H
#define SANDLOCK_SANDBOX_CREDENTIALS_H

#include "runtime/plan/node_http.h"
#include "sandbox/options.h"

/* Sets the credentials of ret. *ret_names: all of them in the form of
 * io.sandlock.config.credential; NULL: there are none. */
int credentials_make(struct arena *a, const struct sandbox_options *o, const char *cwd,
	struct node_http *ret, const char **ret_names, struct sl_err *err);

/* Whether a variable of the environment, NAME=VALUE, is one that a secret is taken from: the
 * command must not have it. */
bool credential_is_source(const struct node_http *http, const char *entry);

#endif
