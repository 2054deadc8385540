/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP rules of a bundle in the form that the proxy needs: the rules, the ports, the source of
 * its CA, and the credentials that it may attach. It contains no secret, only the place of each
 * one.
 *
 * The hosts of allow rules are also permitted in the network rules, for TCP and for the intercepted
 * ports only. UDP to these ports (HTTP/3) is denied, whatever network.allow says.
 */
#ifndef SANDLOCK_PLAN_HTTP_H
#define SANDLOCK_PLAN_HTTP_H

#include <stdio.h>

#include "annotations/annotations.h"
#include "runtime/http/rules.h"
#include "runtime/plan/env.h"
#include "runtime/plan/net.h"
#include "runtime/plan/node.h"
#include "spec/spec.h"

/* A file of the host. path is relative and is opened beneath base (openat2(2), RESOLVE_BENEATH);
 * symlinks are followed only if links is set. base NULL: the node has given the path, and it is
 * absolute. path NULL: there is no file. */
struct plan_http_file {
	const char *base;
	const char *path;
	bool links;
};

struct plan_http_credential {
	const char *name;
	const char *variable; /* in the runtime's environment; NULL: the file is used */
	struct plan_http_file file;
};

struct plan_http {
	bool needed; /* there is a rule, so a proxy must run */
	/* a pod's sandbox, which makes no requests: there are rules but no proxy, and the ports are
	 * denied */
	bool closed;
	bool tls; /* there is a CA; without one, TLS on an intercepted port is refused */
	/* pins: the addresses of all names in the rules; plan_http_pin() fills them in */
	struct http_rules rules;
	const struct rule_ports *ports; /* the intercepted ports: sorted, disjoint */
	size_t n_ports;
	struct plan_http_file ca; /* together with key; if neither is set, the CA is temporary */
	struct plan_http_file key;
	struct plan_http_file ca_out;
	const char *const *inject; /* absolute paths in the container, without . and .. */
	size_t n_inject;
	bool ca_env;                                    /* set variables that name inject[0] */
	const struct plan_http_credential *credentials; /* each of them is used by a rule */
	size_t n_credentials;
	struct node_http_limits limits;
	const char *trust; /* a file of the node with additional root certificates; NULL: none */
};

struct plan_http_request {
	const struct annotations *an;
	const struct spec *spec;
	const struct node_policy *node;
	const char *id; /* of the container, to which the node may grant credentials */
	const char *bundle;
};

int plan_http_build(struct arena *a, const struct plan_http_request *rq, struct plan_http *ret,
	struct sl_err *err);

/* The part for credentials (http_credential.c). */
int plan_http_credentials(struct arena *a, const struct plan_http_request *rq, struct plan_http *p,
	struct sl_err *err);

/* What the HTTP rules add to the network rules. */
struct plan_net_http plan_http_net(struct arena *a, const struct plan_http *p);
bool plan_http_intercepts(const struct plan_http *p, uint16_t port);

/* Fills in the addresses of the names; to be called after plan_net_resolve(). */
void plan_http_pin(struct arena *a, const struct plan_net *net, struct plan_http *p);

/* Adds rules for the variables of every process: those that contain a credential are removed, and
 * those that name the CA are set. */
void plan_http_env(struct arena *a, const struct plan_http *p, struct plan_env_rules *rules);

/* The proxy is another program. plan_http_pack() writes the plan into a sealed, close-on-exec
 * memfd, and plan_http_unpack() reads it; the texts belong to the arena. */
int plan_http_pack(const struct plan_http *p, int *ret_fd, struct sl_err *err);
int plan_http_unpack(struct arena *a, int fd, struct plan_http *ret, struct sl_err *err);

/* For `policy explain`: prints one line for each rule and what enforces it. */
void plan_http_print(struct arena *a, const struct plan_http *p, FILE *out);

#endif
