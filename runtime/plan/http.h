/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP rules of a bundle as the proxy needs them: rules, ports, where its CA comes from, which
 * credentials it may attach. No secret is in here, only where each one is.
 *
 * Hosts of allow rules open the network as well, for TCP and the intercepted ports only; UDP to
 * those ports (HTTP/3) is denied whatever network.allow says.
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

/* A file of the host: path is relative, to be opened beneath base (openat2(2), RESOLVE_BENEATH). A
 * link on the way is followed only where links says so. base NULL: path is the node's own and
 * absolute. path NULL: none. */
struct plan_http_file {
	const char *base;
	const char *path;
	bool links;
};

struct plan_http_credential {
	const char *name;
	const char *variable; /* of the runtime's environment; NULL: the file */
	struct plan_http_file file;
};

struct plan_http {
	bool needed; /* there is a rule, so a proxy must run */
	bool closed; /* of a pod's sandbox, which makes no requests: there are rules and no proxy,
		      * and nothing gets to the ports */
	bool tls;    /* there is a CA; without one TLS on an intercepted port is closed */
	struct http_rules rules; /* pins: of every name in them, filled in by plan_http_pin() */
	const struct rule_ports *ports; /* intercepted: sorted, disjoint */
	size_t n_ports;
	struct plan_http_file ca; /* with key, or neither: then the CA is ephemeral */
	struct plan_http_file key;
	struct plan_http_file ca_out;
	const char *const *inject; /* absolute paths in the container, without dots */
	size_t n_inject;
	bool ca_env;                                    /* variables that name inject[0] are set */
	const struct plan_http_credential *credentials; /* all of them are used */
	size_t n_credentials;
	struct node_http_limits limits;
	const char *trust; /* beside the host's roots: a file of the node's; NULL: none */
};

struct plan_http_request {
	const struct annotations *an;
	const struct spec *spec;
	const struct node_policy *node;
	const char *id; /* of the container, to which the node may give credentials */
	const char *bundle;
};

int plan_http_build(struct arena *a, const struct plan_http_request *rq, struct plan_http *ret,
	struct sl_err *err);

/* Of it: the credentials (http_credential.c). */
int plan_http_credentials(struct arena *a, const struct plan_http_request *rq, struct plan_http *p,
	struct sl_err *err);

/* What the rules mean for the network. */
struct plan_net_http plan_http_net(struct arena *a, const struct plan_http *p);
bool plan_http_intercepts(const struct plan_http *p, uint16_t port);

/* After plan_net_resolve(): the addresses of the names. */
void plan_http_pin(struct arena *a, const struct plan_net *net, struct plan_http *p);

/* Variables of every process: those that hold a credential go, those that name the CA come. */
void plan_http_env(struct arena *a, const struct plan_http *p, struct plan_env_rules *rules);

/* For the proxy, which is another program: a sealed, close-on-exec memfd, and back. Texts belong to
 * the arena. */
int plan_http_pack(const struct plan_http *p, int *ret_fd, struct sl_err *err);
int plan_http_unpack(struct arena *a, int fd, struct plan_http *ret, struct sl_err *err);

/* For `policy explain`: one line for each rule and what enforces it. */
void plan_http_print(struct arena *a, const struct plan_http *p, FILE *out);

#endif
