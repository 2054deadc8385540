/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of one container and the verdict about a request. Pure tables, made once by
 * runtime/plan; texts belong to whoever made them.
 *
 * A rule has a method, a host and a path. A path matches with and without a slash at its end. With
 * a slash and an asterisk behind it everything below it matches too, with an asterisk alone every
 * path that begins so. Methods are compared without case: a server may take "delete" for "DELETE".
 *
 * What must hold:
 * - a deny rule with an address also applies to what goes to that address, and one with a name to
 *   what goes to an address of the name, whatever host the request names; but names can share an
 *   address, so a name that an allow rule has is another site for what that rule lets pass;
 * - deny wins over allow; with an allow rule what none allows is denied; with deny rules only,
 *   everything else is allowed;
 * - a path that can be read in several ways (an escaped slash, backslash or percent sign, ";", a
 * dot or blank at the end of a name) is denied unless the verdict is the same, with the same
 * credential, for every reading;
 * - CONNECT and TRACE are never allowed: the first is no request to this host, the second would
 *   send a credential back;
 * - a credential is chosen only for a request that is allowed; a request that would carry one in
 *   the clear is denied unless its rule says that this is meant;
 * - a request for a name of a rule goes to an address of that name. For other names the server's
 *   certificate proves the name; without TLS the connection may not go to an address of a name of a
 *   rule, and no credential is sent.
 */
#ifndef SANDLOCK_HTTP_RULES_H
#define SANDLOCK_HTTP_RULES_H

#include "runtime/http/request.h"

struct http_rule {
	const char *method; /* upper case; NULL: any */
	const char *host;   /* as in struct http_host; NULL: any */
	const char *path;   /* decoded, canonical, without a slash or "*" at its end; "" is "/" */
	size_t path_len;
	enum http_path_kind {
		HTTP_PATH_EXACT,  /* path, path/ */
		HTTP_PATH_BELOW,  /* path, path/ and what is below it */
		HTTP_PATH_PREFIX, /* whatever begins with path */
	} kind;
};

enum http_shape {
	HTTP_AUTH_BEARER, /* Authorization: Bearer VALUE */
	HTTP_AUTH_BASIC,  /* Authorization: Basic base64(USER:VALUE) */
	HTTP_AUTH_HEADER, /* NAME: VALUE */
	HTTP_AUTH_QUERY,  /* NAME=VALUE in the query */
};

struct http_auth {
	struct http_rule rule; /* its host is never NULL */
	enum http_shape shape;
	const char *name;       /* the user, header or parameter; NULL for bearer */
	const char *credential; /* its name, never its value */
	bool cleartext;         /* may be sent without TLS */
	bool add_only;          /* leaves what the request has; otherwise that is replaced */
};

/* The addresses that a name of a rule had when the container was created. */
struct http_pin {
	const char *host;
	struct http_pin_addr {
		bool v6;
		uint8_t addr[16];
	} const *addrs;
	size_t n_addrs;
};

struct http_rules {
	const struct http_rule *allow;
	size_t n_allow;
	const struct http_rule *deny;
	size_t n_deny;
	const struct http_auth *auth;
	size_t n_auth;
	const struct http_pin *pins;
	size_t n_pins;
};

enum http_reason {
	HTTP_BY_DEFAULT = 0, /* there are allow rules, and none matches */
	HTTP_BY_DENY_RULE,
	HTTP_BY_ALLOW_RULE,
	HTTP_BY_NO_ALLOW_RULE, /* allowed, because there are deny rules only */
	HTTP_BY_METHOD,        /* CONNECT, TRACE */
	HTTP_BY_CLEARTEXT,     /* a credential would be sent without TLS */
	HTTP_BY_READINGS,      /* the path can be read in ways that differ in their verdict */
	HTTP_BY_ADDRESS,       /* the connection does not go to the host */
};

struct http_verdict {
	bool allowed;
	enum http_reason reason;
	unsigned int status;          /* not allowed: 403; HTTP_BY_READINGS 400, _ADDRESS 421 */
	const struct http_rule *rule; /* the rule that decided; NULL: none */
	const struct http_auth *auth; /* allowed: what to attach; NULL: nothing */
};

/* Parses the path of a rule: what follows the host; "" means all. Sets path (in ret_text), path_len
 * and kind. It refuses what no path of a request can match, or only in one of its readings: an
 * asterisk that is not the last character, a query, ";", escapes of slashes, backslashes and
 * percent signs, and dots and blanks at the end of a segment. */
enum http_fault http_rule_set_path(
	struct http_rule *r, struct http_span text, char ret_text[HTTP_PATH_MAX + 1]);

/* Whether a credential may be put into a header of that name. */
bool http_may_attach(struct http_span name);

/* Judges a request that came on the connection. */
struct http_verdict http_judge(const struct http_rules *rules, const struct http_request *req,
	const struct http_connection *where);

/* "no allow rule", ...: the class of the rule, for the body of a 403 and for a log line. */
const char *http_reason_text(enum http_reason r);

/* Whether the request's host has the address of the connection. This is known for an address and
 * for a name that a rule names; for other names the result is HTTP_PIN_UNKNOWN. */
enum http_pin_answer { HTTP_PIN_OTHER = 0, HTTP_PIN_SAME, HTTP_PIN_UNKNOWN };
enum http_pin_answer http_rules_pinned(const struct http_rules *rules, const struct http_host *host,
	const struct http_connection *c);

#endif
