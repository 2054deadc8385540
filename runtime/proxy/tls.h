/* SPDX-License-Identifier: Apache-2.0
 *
 * TLS on both sides of a connection. The proxy reads the client's hello first. Then it does the
 * handshake with the server, with the same name and the protocols that the client offers (ALPN, RFC
 * 7301). The client gets its certificate only afterwards. So both sides always use the same
 * protocol, and when the server's certificate is not valid, the client gets an HTTP answer that
 * says so.
 */
#ifndef SANDLOCK_PROXY_TLS_H
#define SANDLOCK_PROXY_TLS_H

#include "runtime/proxy/proxy.h"

/* Called before the process is confined. Puts the CA's certificate into ready. */
int tls_open(const struct plan_http *plan, struct tls **ret, struct proxy_msg *ready,
	struct sl_err *err);

/* The first byte of the connection is that of a TLS handshake. */
void tls_begin(struct conn *c);
/* Continues in the stages CONN_HELLO, CONN_OUTGOING and CONN_ACCEPT. */
void tls_run(struct conn *c);

#endif
