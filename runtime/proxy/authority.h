/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate authority that stands in for servers: the bundle's, or one whose key exists in
 * the memory of this process only. It signs a certificate for each name that is asked for (RFC
 * 5280); the last ones are kept.
 */
#ifndef SANDLOCK_PROXY_AUTHORITY_H
#define SANDLOCK_PROXY_AUTHORITY_H

#include <openssl/ssl.h>

#include "runtime/base/err.h"
#include "runtime/http/request.h"
#include "runtime/plan/http.h"
#include "runtime/proxy/proto.h"

struct cert_authority;

/* Before anything is confined; the certificate and its name go into ready. */
int authority_open(const struct plan_http *plan, struct cert_authority **ret,
	struct proxy_msg *ready, struct sl_err *err);

/* Gives a connection the certificate of the name, and its key. Returns 0, or -1. */
int authority_present(struct cert_authority *a, SSL *ssl, const struct http_host *host);

#endif
