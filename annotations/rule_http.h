/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammars of HTTP rules. A list consists of items separated by ';'. Spaces around an item
 * are ignored.
 *
 *	rule   = method SP host [path]
 *	method = "*" | token, in any case; CONNECT and TRACE only where they are denied anyway
 *	host   = "*" | name | v4 | "[" v6 "]", no port
 *	path   = "/" ..., with "*" only as the last character; none means all (http/rules.h)
 *	auth   = method SP host [path] SP shape SP credential [SP ("replace" | "add-only")]
 *		[SP "cleartext"], which lets the credential be sent without TLS
 *	shape  = "bearer" | "basic:" user | ("header:" | "apikey:") name | "query:" name
 *
 * The host of an auth is a name or an address. Rendering writes a rule in its canonical form.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_HTTP_H
#define SANDLOCK_ANNOTATIONS_RULE_HTTP_H

#include "annotations/rule_ports.h"
#include "runtime/base/arena.h"
#include "runtime/http/rules.h"

struct rule_http_list {
	const struct http_rule *items;
	size_t n; /* 0: not set */
};

struct rule_auth_list {
	const struct http_auth *items;
	size_t n; /* 0: not set */
};

struct rule_word_list {
	const char *const *items;
	size_t n; /* 0: not set */
};

int rule_http_parse_allow(struct arena *a, const char *value, struct rule_http_list *ret);
int rule_http_parse_deny(struct arena *a, const char *value, struct rule_http_list *ret);
const char *rule_http_render(struct arena *a, const struct rule_http_list *l);
const char *rule_http_render_rule(struct arena *a, const struct http_rule *r);

int rule_auth_parse(struct arena *a, const char *value, struct rule_auth_list *ret);
const char *rule_auth_render(struct arena *a, const struct rule_auth_list *l);
const char *rule_auth_render_item(struct arena *a, const struct http_auth *auth);

/* Ports from 1 on; items also separated by ';'. */
int rule_http_parse_ports(struct arena *a, const char *value, struct rule_bind *ret);

/* Names of credentials: letters, digits, "-", "_" and ".". */
int rule_names_parse(struct arena *a, const char *value, struct rule_word_list *ret);
/* Absolute paths without dot segments and without empty segments. */
int rule_paths_parse(struct arena *a, const char *value, struct rule_word_list *ret);
const char *rule_words_render(struct arena *a, const struct rule_word_list *l);

/* One path on the host, absolute or relative to the bundle, without dot segments and without empty
 * segments. */
int rule_path_parse(struct arena *a, const char *value, const char **ret);
const char *rule_path_render(struct arena *a, const char *const *path);

/* Explains what is wrong with a malformed list of rules (allow, deny, auth). NULL: there is no
 * explanation. */
const char *rule_http_explain(struct arena *a, const char *value, bool auth, bool allow);

#endif
