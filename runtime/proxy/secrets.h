/* SPDX-License-Identifier: Apache-2.0
 *
 * The credentials that rules attach. Their values are in this process and nowhere else of the
 * runtime, in memory that is never swapped out or in a core file (mlock(2)) and that is overwritten
 * before it is given up. So are the buffers of a connection that one has gone through (side.h). No
 * text that leaves this process has one in it but the request that it was attached to.
 *
 * One that comes from a file is read again when the file has changed; a file that is gone takes the
 * credential with it.
 */
#ifndef SANDLOCK_PROXY_SECRETS_H
#define SANDLOCK_PROXY_SECRETS_H

#include <stdbool.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/http/write.h"
#include "runtime/plan/http.h"

struct secrets;

/* Before anything is confined; variables come over the link, in the order of the plan. */
int secrets_open(struct arena *a, const struct plan_http *plan, int link_fd, struct secrets **ret,
	struct sl_err *err);

/* The directories that are read from later, for the confinement. */
const int *secrets_directories(const struct secrets *s, size_t *ret_n);

/* What is attached for the rule; valid until the next call. Returns 0, or -1: the credential is not
 * there now. auth NULL: nothing is attached. */
int secrets_attach(struct secrets *s, const struct http_auth *auth, struct http_attach *ret);

/* A response that repeats a credential in a field says "[redacted]" there instead. */
void secrets_redact(const struct secrets *s, struct http_head *head);

#endif
