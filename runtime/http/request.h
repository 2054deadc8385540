/* SPDX-License-Identifier: Apache-2.0
 *
 * One canonical request, whatever version it came by: what is judged, and what is forwarded.
 *
 * The host is in lower case, without the dot at its end and without the scheme's default port; an
 * address is in the one form that inet_ntop(3) writes. Names beyond ASCII and percent escapes in a
 * name are refused, so are numbers that a resolver reads as an address (127.1, 0x7f.1).
 *
 * The path has its needless escapes decoded (RFC 3986 section 6.2.2), the others in upper case, dot
 * segments resolved and slashes in a row made one. What may still be read in two ways is left in
 * it (an escaped slash or backslash, an escaped percent sign, ";"): rules.h judges every reading.
 *
 * The query is as it was sent: no rule looks at it.
 */
#ifndef SANDLOCK_HTTP_REQUEST_H
#define SANDLOCK_HTTP_REQUEST_H

#include "runtime/http/http.h"

/* A host: a name, or an address in canonical text (v6 without brackets). */
struct http_host {
	char text[HTTP_HOST_MAX + 1];
	bool is_addr;
	bool v6;
	uint8_t addr[16]; /* network order; v4: the first four */
};

/* The connection on which requests come. */
struct http_connection {
	bool tls;
	bool has_sni;
	struct http_host sni; /* from http_host_parse(); a client sends none for an address */
	bool v6;              /* where the workload connected to */
	uint8_t addr[16];
	uint16_t port; /* host order */
};

struct http_request {
	enum http_version version;
	bool tls;
	bool asterisk;                    /* OPTIONS *: path is "*" */
	bool connect;                     /* CONNECT: there is no path; never forwarded */
	char method[HTTP_METHOD_MAX + 1]; /* as sent: methods are case-sensitive for servers */
	struct http_host host;
	uint16_t port;     /* the one of the connection */
	bool default_port; /* 80 without TLS, 443 with it */
	bool has_query;
	struct http_span query; /* in the head's buffer, without its "?" */
	size_t path_len;
	char path[HTTP_PATH_MAX + 1];
};

/* Fills in the request or returns the fault; then method, host.text and path are what is known, or
 * empty, for a record. Compares it with the connection: scheme, port, an
 * address as the host, SNI. http_rules_pinned() (rules.h) compares a name with the connection's
 * address. */
enum http_fault http_request_make(
	const struct http_head *head, const struct http_connection *c, struct http_request *ret);

/* Reads "host" or "[v6]", without a port. */
enum http_fault http_host_parse(struct http_span text, struct http_host *ret);

/* Reads "host[:port]"; ret_port is 0 when there is none. */
enum http_fault http_authority_parse(
	struct http_span text, struct http_host *ret, uint16_t *ret_port);

/* Addresses are as in struct http_connection. An IPv4-mapped address is the IPv4 address. */
void http_host_of_address(bool v6, const uint8_t addr[16], struct http_host *ret);
bool http_address_same(
	bool v6, const uint8_t addr[16], bool other_v6, const uint8_t other_addr[16]);

/* Whether the host is this address. */
bool http_host_is_at(const struct http_host *h, bool v6, const uint8_t addr[16]);

bool http_host_same(const struct http_host *a, const struct http_host *b);

/* Writes the canonical form of a path that begins with "/": at most HTTP_PATH_MAX bytes and a
 * zero. */
enum http_fault http_path_make(struct http_span path, char ret[HTTP_PATH_MAX + 1], size_t *ret_len);

#endif
