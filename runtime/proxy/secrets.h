/* SPDX-License-Identifier: Apache-2.0
 *
 * The credentials that rules attach. Their values are in this process and nowhere else of the
 * runtime, in memory that is never swapped out or in a core file (mlock(2)) and that is overwritten
 * before it is given up. So are the buffers of a connection that one has gone through (side.h). A
 * value leaves this process only in the request to which it was attached.
 *
 * A file is read again when it has changed. When the file is gone, the credential is not available
 * any more.
 */
#ifndef SANDLOCK_PROXY_SECRETS_H
#define SANDLOCK_PROXY_SECRETS_H

#include <stdbool.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/http/write.h"
#include "runtime/plan/http.h"

struct secrets;

/* Called before the process is confined. Receives the values of variables over the link, in the
 * order of the plan. */
int secrets_open(struct arena *a, const struct plan_http *plan, int link_fd, struct secrets **ret,
	struct sl_err *err);

/* The directories from which files are read later, for the confinement. */
const int *secrets_directories(const struct secrets *s, size_t *ret_n);

/* Gives what the rule attaches, valid until the next call. Returns 0, or -1: the credential is not
 * available, and *ret_why is a sentence for the answer. auth NULL: nothing is attached. */
int secrets_attach(struct secrets *s, const struct http_auth *auth, struct http_attach *ret,
	const char **ret_why);

/* Replaces fields of a response, or of its trailers, that repeat a credential by "[redacted]", and
 * such a reason phrase by the standard one. */
void secrets_redact(const struct secrets *s, struct http_head *head);

#endif
