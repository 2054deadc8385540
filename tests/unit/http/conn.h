/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests of this room share: the rules of tests/http/cases.def, and a connection that is fed
 * with bytes and gives one word for each request.
 */
#ifndef SANDLOCK_TESTS_UNIT_HTTP_CONN_H
#define SANDLOCK_TESTS_UNIT_HTTP_CONN_H

#include <stdlib.h>

#include "runtime/http/reader.h"
#include "runtime/http/write.h"
#include "tests/unit/check.h"

static const struct http_rule allow_rules[] = {
	{ NULL, "example.com", "", 0, HTTP_PATH_BELOW },
	{ "GET", "192.0.2.1", "/only", 5, HTTP_PATH_PREFIX },
	{ NULL, "other.example", "/pub", 4, HTTP_PATH_BELOW },
};
static const struct http_rule deny_rules[] = {
	{ NULL, "example.com", "/admin", 6, HTTP_PATH_BELOW },
	{ NULL, "example.com", "/secret", 7, HTTP_PATH_EXACT },
	{ "DELETE", "example.com", "", 0, HTTP_PATH_BELOW },
};
static const struct http_rules case_rules = {
	.allow = allow_rules,
	.n_allow = 3,
	.deny = deny_rules,
	.n_deny = 3,
};
static const struct http_connection case_connection = { .addr = { 192, 0, 2, 1 }, .port = 80 };
static const struct http_limits case_limits = { .head_bytes = 16384, .fields = 100 };

struct conn {
	struct http_reader reader;
	struct http_head head;
	struct http_request req;
	const struct http_connection *connection;
	char words[512]; /* the verdicts so far */
	char body[65536];
	size_t body_len;
	char out[HTTP_HEAD_MAX +
		 HTTP_WRITE_EXTRA]; /* the last head that was allowed, as it goes on */
	size_t out_len;
	bool closed;
};

static inline void conn_init(struct conn *c, const struct http_connection *connection)
{
	memset(c, 0, sizeof(*c));
	c->connection = connection;
	http_reader_init(&c->reader, HTTP_REQUESTS, &case_limits);
}

static inline void conn_say(struct conn *c, const char *word)
{
	size_t n = strlen(c->words);

	snprintf(c->words + n, sizeof(c->words) - n, "%s%s", n ? " " : "", word);
}

static inline void conn_fault(struct conn *c, enum http_fault f)
{
	conn_say(c, http_fault_word(f));
	c->closed = true;
}

static inline void conn_judge(struct conn *c)
{
	enum http_fault f = http_request_make(&c->head, c->connection, &c->req);
	struct http_verdict v;

	if (f != HTTP_NO_FAULT) {
		conn_fault(c, f);
		return;
	}
	v = http_judge(&case_rules, &c->req, c->connection);
	conn_say(c, v.allowed ? "allow" : v.reason == HTTP_BY_READINGS ? "readings" : "deny");
	if (v.allowed)
		c->out_len = http_write_request(c->out, sizeof(c->out), &c->head, &c->req, NULL);
}

/* Everything that the bytes complete; returns how many were taken. */
static inline size_t conn_take(struct conn *c, const char *s, size_t n, size_t room)
{
	size_t at = 0;

	while (!c->closed) {
		struct http_piece p;
		enum http_event e =
			http_reader_next(&c->reader, s + at, n - at, room, &c->head, &p);

		if (e == HTTP_GOT_HEAD)
			conn_judge(c);
		else if (e == HTTP_GOT_FAULT)
			conn_fault(c, c->reader.fault);
		if (e == HTTP_GOT_BODY && p.body.n <= room &&
			c->body_len + p.body.n <= sizeof(c->body)) {
			memcpy(c->body + c->body_len, p.body.s, p.body.n);
			c->body_len += p.body.n;
		}
		at += p.used;
		if (e == HTTP_NEED_MORE || e == HTTP_NEED_ROOM)
			break;
	}
	return at;
}

/* The bytes in pieces of at most step, in a buffer that is no longer than what came: what reads
 * beyond it is seen by the sanitizer. */
static inline void conn_feed(struct conn *c, const char *s, size_t n, size_t step, size_t room)
{
	char *buf = NULL;
	size_t have = 0;

	for (size_t sent = 0; sent < n && !c->closed;) {
		size_t more = n - sent < step ? n - sent : step, used;
		char *next = malloc(have + more);

		if (!next)
			abort();
		if (have)
			memcpy(next, buf, have);
		memcpy(next + have, s + sent, more);
		free(buf);
		buf = next;
		have += more;
		sent += more;
		used = conn_take(c, buf, have, room);
		memmove(buf, buf + used, have - used);
		have -= used;
	}
	if (!c->closed && http_reader_eof(&c->reader, have) != HTTP_GOT_EOF)
		conn_say(c, "more");
	free(buf);
}

#endif
