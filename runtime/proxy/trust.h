/* SPDX-License-Identifier: Apache-2.0
 *
 * The root certificates for checking servers: the host's, and those of a file that the node policy
 * names. The files are opened before this process is confined. They are read at the first use of
 * TLS, so that a container without TLS does not need memory for a hundred roots.
 */
#ifndef SANDLOCK_PROXY_TRUST_H
#define SANDLOCK_PROXY_TRUST_H

#include <openssl/ssl.h>
#include <stdbool.h>

#include "runtime/base/err.h"

struct trust {
	int host_fd; /* -1: the host has no roots */
	int node_fd; /* -1: the node policy names no file */
	bool read;
};

/* node: the path of the node's file, or NULL. */
int trust_open(struct trust *t, const char *node, struct sl_err *err);

/* Adds the roots to the store of the context, at the first call only. */
void trust_use(struct trust *t, SSL_CTX *ctx);

#endif
