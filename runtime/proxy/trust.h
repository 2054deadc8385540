/* SPDX-License-Identifier: Apache-2.0
 *
 * Whom servers are believed: the roots of the host and those of a file of the node's. The files
 * are opened before this process is confined and read when TLS is spoken for the first time, as
 * what a hundred roots take is no cost of a container that never does.
 */
#ifndef SANDLOCK_PROXY_TRUST_H
#define SANDLOCK_PROXY_TRUST_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "runtime/base/err.h"

struct trust {
	int host_fd; /* -1: the host has none */
	int node_fd; /* -1: the node has none */
	bool read;
};

/* node: a path, or NULL. */
int trust_open(struct trust *t, const char *node, struct sl_err *err);

/* Into the store of the context, once. */
void trust_use(struct trust *t, SSL_CTX *ctx);

#endif
