/* SPDX-License-Identifier: Apache-2.0
 *
 * The node policy for HTTP: the secrets that the proxy may attach to requests and the hosts that
 * may receive them, the files of the host that bundles may name, and the limits of a proxy.
 *
 *	"http": {
 *		"credentials": [{
 *			"name": "model-api",
 *			"source": "file:/path" | "env:VARIABLE" | "mount:/path/in/container",
 *			"hosts": ["api.example.com"],
 *			"namespaces": ["team-a"], "ids": ["agent-*"],
 *			"cleartext": false
 *		}],
 *		"hostPaths": ["/etc/sandlock/ca"], "caBundle": "/path",
 *		"headBytes": 32768, "headFields": 100, "connections": 256,
 *		"handshakeMs": 10000, "idleMs": 60000,
 *		"http2Streams": 100, "http2Resets": 1000, "http2Bytes": 4194304
 *	}
 *
 * A container may use a credential if its Kubernetes namespace or its id is listed. A "*" at the
 * end of an id matches any rest. Without both lists no container may use the credential.
 */
#ifndef SANDLOCK_PLAN_NODE_HTTP_H
#define SANDLOCK_PLAN_NODE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/http/http.h"

struct at;
struct node_policy;

enum node_http_source {
	NODE_HTTP_FILE,  /* a file on the host */
	NODE_HTTP_ENV,   /* a variable of the runtime's environment */
	NODE_HTTP_MOUNT, /* a file in a mount of the bundle */
};

struct node_credential {
	const char *name;
	enum node_http_source source;
	const char *where; /* path or variable */
	char **hosts;      /* as in struct http_host */
	char **namespaces; /* NULL: none */
	char **ids;        /* NULL: none */
	bool cleartext;    /* a rule may request that it is sent without TLS */
	size_t line;
};

struct node_http_limits {
	struct http_limits head;
	uint32_t connections; /* of one container, at the same time */
	uint32_t handshake_ms;
	uint32_t idle_ms;
	/* of one HTTP/2 connection */
	uint32_t http2_streams; /* at the same time */
	uint32_t http2_resets;  /* streams that the client gives up in a minute */
	uint32_t http2_bytes;   /* memory, besides the buffers of the two sockets */
};

struct node_http {
	const struct node_credential *credentials;
	size_t n_credentials;
	char **paths;          /* directories in which a bundle may name files; NULL: none */
	const char *ca_bundle; /* additional root certificates for servers; NULL: none */
	struct node_http_limits limits;
};

extern const struct node_http_limits node_http_defaults;

int node_parse_credentials(const struct at *at, struct node_policy *n);
int node_parse_host_paths(const struct at *at, struct node_policy *n);
int node_parse_ca_bundle(const struct at *at, struct node_policy *n);

#endif
