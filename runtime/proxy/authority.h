/* SPDX-License-Identifier: Apache-2.0
 *
 * The certificate authority (CA) that signs the certificates that clients get: the bundle's CA, or
 * one whose key exists in the memory of this process only. It signs a certificate for each name
 * that a client asks for (RFC 5280), and keeps the latest ones.
 */
#ifndef SANDLOCK_PROXY_AUTHORITY_H
#define SANDLOCK_PROXY_AUTHORITY_H

#include <openssl/ssl.h>

#include "runtime/base/err.h"
#include "runtime/http/request.h"
#include "runtime/plan/http.h"
#include "runtime/proxy/proto.h"

struct cert_authority;

/* Called before the process is confined. Puts the CA's certificate and its hash name into ready. */
int authority_open(const struct plan_http *plan, struct cert_authority **ret,
	struct proxy_msg *ready, struct sl_err *err);

/* Gives a connection the certificate of the name, and its key. Returns 0, or -1. */
int authority_present(struct cert_authority *a, SSL *ssl, const struct http_host *host);

#endif
