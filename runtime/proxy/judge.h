/* SPDX-License-Identifier: Apache-2.0
 *
 * Judges one request on one connection, and has the supervisor record refusals.
 */
#ifndef SANDLOCK_PROXY_JUDGE_H
#define SANDLOCK_PROXY_JUDGE_H

#include "runtime/proxy/proxy.h"

/* With allowed false, status and class are for the answer. */
struct decision {
	bool allowed;
	unsigned int status;
	const char *class;
	const char *text;
	struct http_attach attach; /* the credential; valid until the next call */
};

/* Judges c->p->request and records a refusal. */
struct decision judge_request(struct conn *c);
/* Whether any request to that host could be allowed. It is asked before the proxy connects for
 * TLS. */
bool judge_host(const struct proxy *p, const struct http_host *host);
/* req NULL: the request was not understood. */
void judge_record(struct proxy *p, const struct http_request *req, const char *what);

#endif
