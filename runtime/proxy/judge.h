/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict about one request on one connection, and its record at the supervisor.
 */
#ifndef SANDLOCK_PROXY_JUDGE_H
#define SANDLOCK_PROXY_JUDGE_H

#include "runtime/proxy/proxy.h"

/* allowed false: status and class say what is answered. */
struct decision {
	bool allowed;
	unsigned int status;
	const char *class;
	const char *text;
	struct http_attach attach; /* the credential; valid until the next request is judged */
};

/* About c->p->request. A refusal is on record afterwards. */
struct decision judge_request(struct conn *c);
/* Whether any request to that host could be allowed; before a server is asked for its name. */
bool judge_host(const struct proxy *p, const struct http_host *host);
/* The request may be NULL: it was not understood. */
void judge_record(struct proxy *p, const struct http_request *req, const char *what);

#endif
