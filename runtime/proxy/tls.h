/* SPDX-License-Identifier: Apache-2.0
 *
 * TLS on both sides of a connection. The client's hello is read first, then the server is asked for
 * the same name and what the client offers of protocols (ALPN, RFC 7301); only when it has proved
 * to be that name, and has chosen, the client gets its certificate. So both sides always speak the
 * same protocol, and a server that cannot be believed is told of in an answer to the request.
 */
#ifndef SANDLOCK_PROXY_TLS_H
#define SANDLOCK_PROXY_TLS_H

#include "runtime/proxy/proxy.h"

/* Before anything is confined; says in ready which certificate signs. */
int tls_open(const struct plan_http *plan, struct tls **ret, struct proxy_msg *ready,
	struct sl_err *err);

/* The connection begins with a hello. */
void tls_begin(struct conn *c);
/* Goes on with CONN_HELLO, CONN_OUTGOING and CONN_ACCEPT. */
void tls_run(struct conn *c);

#endif
