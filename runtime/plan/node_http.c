/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/node_http.h"

#include <string.h>

#include "runtime/base/json_read.h"
#include "runtime/http/request.h"
#include "runtime/plan/node.h"

/* Clients with large cookies need a head of 32 KiB. The usual limit of servers is twice as much.
 * RFC 9113 section 6.5.2 recommends 100 streams or more. A connection needs 2 MiB when it is full
 * of bodies in both directions (the windows are of 1 MiB), and the rest for heads that wait. */
const struct node_http_limits node_http_defaults = {
	.head = { .head_bytes = 32768, .fields = 100 },
	.connections = 256,
	.handshake_ms = 10000,
	.idle_ms = 60000,
	.http2_streams = 100,
	.http2_resets = 1000,
	.http2_bytes = 4 << 20,
};

static const struct {
	const char *prefix;
	enum node_http_source source;
} http_sources[] = {
	{ "file:/", NODE_HTTP_FILE },
	{ "env:", NODE_HTTP_ENV },
	{ "mount:/", NODE_HTTP_MOUNT },
};

static int parse_source(const struct at *at, struct node_credential *c)
{
	for (size_t i = 0; i < COUNT(http_sources); i++) {
		const char *colon = strchr(http_sources[i].prefix, ':');
		const size_t n = strlen(http_sources[i].prefix);

		if (strncmp(at->j->text, http_sources[i].prefix, n) != 0 || !at->j->text[n])
			continue;
		c->source = http_sources[i].source;
		c->where = at->j->text + (colon - http_sources[i].prefix) + 1;
		if (c->source == NODE_HTTP_ENV && strchr(c->where, '='))
			break;
		return 0;
	}
	/* The text may be a secret, so the message does not contain it. */
	return read_fail(at, "expected file:/path, env:VARIABLE or mount:/path");
}

/* Parses the names and addresses with which a request's host is compared. */
static int parse_hosts(const struct at *credential, struct node_credential *c)
{
	const struct at list = at_member(credential, "hosts");
	size_t n = 0;

	if (read_strs(credential, "hosts", &c->hosts, &n) < 0)
		return -1;
	if (n == 0)
		return read_fail(credential, "needs \"hosts\": the credential is sent to no other");
	for (size_t i = 0; i < n; i++) {
		struct http_host h;
		const struct at item = at_nth(&list, i);

		if (http_host_parse(http_span_of(c->hosts[i]), &h) != HTTP_NO_FAULT)
			return read_fail(
				&item, "\"%s\" is no host name and no address", c->hosts[i]);
		c->hosts[i] = arena_strdup(credential->rd->a, h.text);
	}
	return 0;
}

static int check_credential_keys(const struct at *credential)
{
	static const char *const known[] = { "name", "source", "hosts", "namespaces", "ids",
		"cleartext" };

	for (size_t i = 0; i < credential->j->n; i++) {
		const struct at member = at_nth_member(credential, i);
		bool found = false;

		for (size_t k = 0; k < COUNT(known); k++)
			found |= strcmp(known[k], member.key) == 0;
		if (!found)
			return read_fail(&member, "unknown key");
	}
	return 0;
}

static int parse_credential(const struct at *at, struct node_credential *ret)
{
	struct node_credential c = { .line = at->j->line };
	struct at source;
	const char *text;
	size_t n;

	if (read_is(at, JSON_OBJECT) < 0 || check_credential_keys(at) < 0 ||
		read_str(at, "name", READ_REQUIRED, &c.name) < 0 ||
		read_str(at, "source", READ_REQUIRED, &text) < 0)
		return -1;
	source = at_member(at, "source");
	if (parse_source(&source, &c) < 0 || parse_hosts(at, &c) < 0 ||
		read_strs(at, "namespaces", &c.namespaces, &n) < 0 ||
		read_strs(at, "ids", &c.ids, &n) < 0 ||
		read_bool(at, "cleartext", &c.cleartext) < 0)
		return -1;
	*ret = c;
	return 0;
}

int node_parse_credentials(const struct at *at, struct node_policy *n)
{
	struct node_credential *list;

	if (read_is(at, JSON_ARRAY) < 0)
		return -1;
	list = arena_array(at->rd->a, at->j->n + 1, sizeof(*list));
	for (size_t i = 0; i < at->j->n; i++) {
		const struct at item = at_nth(at, i);

		if (parse_credential(&item, &list[i]) < 0)
			return -1;
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k].name, list[i].name) == 0)
				return read_fail(&item, "\"%s\" is there twice", list[i].name);
	}
	n->http.credentials = list;
	n->http.n_credentials = at->j->n;
	return 0;
}

static int check_absolute(const struct at *at)
{
	if (read_is(at, JSON_STRING) < 0)
		return -1;
	if (at->j->text[0] != '/')
		return read_fail(at, "\"%s\" is no absolute path", at->j->text);
	return 0;
}

int node_parse_host_paths(const struct at *at, struct node_policy *n)
{
	char **paths;

	if (read_is(at, JSON_ARRAY) < 0)
		return -1;
	paths = arena_array(at->rd->a, at->j->n + 1, sizeof(*paths));
	for (size_t i = 0; i < at->j->n; i++) {
		const struct at item = at_nth(at, i);

		if (check_absolute(&item) < 0)
			return -1;
		paths[i] = arena_strdup(at->rd->a, item.j->text);
	}
	n->http.paths = paths;
	return 0;
}

int node_parse_ca_bundle(const struct at *at, struct node_policy *n)
{
	if (check_absolute(at) < 0)
		return -1;
	n->http.ca_bundle = at->j->text;
	return 0;
}
