/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes on: fields that are for one hop stay behind, credentials replace what the client has
 * sent in their place, and nothing that cannot be in a header gets there.
 */
#include "tests/unit/http/conn.h"

static struct conn conn;
static char out[4096];

static const char *forward(const char *fields, const char *target, const struct http_attach *attach)
{
	char text[2048];
	size_t n;

	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: EXAMPLE.com\r\n%s\r\n", target,
		fields);
	conn_init(&conn, &case_connection);
	conn_feed(&conn, text, strlen(text), SIZE_MAX, 0);
	CHECK_STR(conn.words, "allow");
	conn_init(&conn, &case_connection);
	CHECK(conn_take(&conn, text, strlen(text), 0) == strlen(text));
	/* END has emptied the fields: judge again with them. */
	http_reader_init(&conn.reader, HTTP_REQUESTS, &case_limits);
	{
		struct http_piece p;

		CHECK(http_reader_next(&conn.reader, text, strlen(text), 0, &conn.head, &p) ==
			HTTP_GOT_HEAD);
		CHECK(http_request_make(&conn.head, &case_connection, &conn.req) == HTTP_NO_FAULT);
	}
	n = http_write_request(out, sizeof(out) - 1, &conn.head, &conn.req, attach);
	out[n] = '\0';
	return out;
}

#define LINE "GET /a HTTP/1.1\r\nHost: example.com\r\n"

static void check_repeats(void)
{
	static const struct {
		const char *text, *value;
		bool found;
	} rows[] = {
		{ "Bearer k/1 =", "k/1 =", true },
		{ "https://h/?key=k%2F1%20%3D&a=1", "k/1 =", true },
		{ "/?key=k%2f1+%3d", "k/1 =", true },
		{ "/?key=k/1+%3d", "k/1 =", true },
		{ "%6b%2f1 =", "k/1 =", true },
		{ "a%25b", "a%b", true },
		{ "a%25b", "a%25b", true },
		{ "k%2f1+%3", "k/1 =", false },
		{ "k%2g1 =", "k/1 =", false },
		{ "k%2f1", "k%2f2", false },
		{ "+%", "++", false },
		{ "+", "", false },
		{ "", "k", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK(http_repeats(http_span_of(rows[i].text), http_span_of(rows[i].value)) ==
			rows[i].found);
}

static void check_hops(void)
{
	CHECK_STR(forward("A: b\r\nc:  d e \r\n", "/a", NULL), LINE "A: b\r\nc: d e\r\n\r\n");
	CHECK_STR(
		forward("Connection: X-Y, close\r\nX-Y: z\r\nx-y: z\r\nKeep: k\r\nKeep-Alive: 1\r\n"
			"Proxy-Connection: a\r\nProxy-Authorization: b\r\nTE: trailers\r\n",
			"/a", NULL),
		LINE "Keep: k\r\n\r\n");
	CHECK_STR(
		forward("Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: a\r\n", "/a", NULL),
		LINE "\r\n");
	CHECK_STR(
		forward("Connection: Upgrade, x\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: a\r\n",
			"/a", NULL),
		LINE "Sec-WebSocket-Key: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
	CHECK_STR(forward("Connection: upgrade\r\nUpgrade: websocket, h2c\r\n", "/a", NULL),
		LINE "\r\n");
	CHECK_STR(forward("", "//b/../%61?c=%2f", NULL),
		"GET /a?c=%2f HTTP/1.1\r\nHost: example.com\r\n\r\n");
	CHECK_STR(forward("", "/a|%7e%c3%a9/./", NULL),
		"GET /a%7C~%C3%A9/ HTTP/1.1\r\nHost: example.com\r\n\r\n");
}

static void check_headers(void)
{
	const struct http_auth bearer = { .shape = HTTP_AUTH_BEARER };
	const struct http_auth keep = { .shape = HTTP_AUTH_BEARER, .add_only = true };
	const struct http_auth key = { .shape = HTTP_AUTH_HEADER, .name = "X-Api-Key" };
	struct http_attach attach = { &bearer, http_span_of("secret") };

	CHECK_STR(forward("", "/a", &attach), LINE "Authorization: Bearer secret\r\n\r\n");
	CHECK_STR(forward("authorization: mine\r\nAuthorization: too\r\n", "/a", &attach),
		LINE "Authorization: Bearer secret\r\n\r\n");
	attach.auth = &keep;
	CHECK_STR(forward("authorization: mine\r\n", "/a", &attach),
		LINE "authorization: mine\r\n\r\n");
	CHECK_STR(forward("", "/a", &attach), LINE "Authorization: Bearer secret\r\n\r\n");
	CHECK_STR(forward("Connection: authorization\r\nauthorization: mine\r\n", "/a", &attach),
		LINE "Authorization: Bearer secret\r\n\r\n");
	attach.auth = &key;
	CHECK_STR(forward("x_api_key: a\r\nX-API-KEY: b\r\nX-Api-Keys: c\r\n", "/a", &attach),
		LINE "X-Api-Keys: c\r\nX-Api-Key: secret\r\n\r\n");
	attach.value = http_span_of("two\r\nlines");
	CHECK_STR(forward("", "/a", &attach), "");
	attach.value = http_span_of("");
	CHECK_STR(forward("", "/a", &attach), "");
}

static const char *target(const char *t, const struct http_attach *attach)
{
	char *end;

	forward("", t, attach);
	end = strstr(out, " HTTP/1.1");
	if (end)
		*end = '\0';
	return out + 4;
}

static void check_query(void)
{
	const struct http_auth key = { .shape = HTTP_AUTH_QUERY, .name = "key" };
	const struct http_auth keep = { .shape = HTTP_AUTH_QUERY, .name = "key", .add_only = true };
	struct http_attach attach = { &key, http_span_of("a b&c") };

	CHECK_STR(target("/a", &attach), "/a?key=a%20b%26c");
	CHECK_STR(target("/a?", &attach), "/a?key=a%20b%26c");
	CHECK_STR(target("/a?x=1", &attach), "/a?x=1&key=a%20b%26c");
	CHECK_STR(target("/a?key=1&x=1&key&k%65y=2", &attach), "/a?x=1&key=a%20b%26c");
	CHECK_STR(target("/a?keys=1&ke=2", &attach), "/a?keys=1&ke=2&key=a%20b%26c");
	attach.auth = &keep;
	CHECK_STR(target("/a?x=1&%6bey=2", &attach), "/a?x=1&%6bey=2");
	CHECK_STR(target("/a?x=1", &attach), "/a?x=1&key=a%20b%26c");
}

static void check_answers(void)
{
	size_t n = http_write_answer(out, sizeof(out), 403, "X-A: b\r\n", "no\n", false, true);

	out[n] = '\0';
	CHECK_STR(out, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
		       "X-A: b\r\nConnection: close\r\n\r\nno\n");
	CHECK(http_write_answer(out, n - 1, 403, "X-A: b\r\n", "no\n", false, true) == 0);
	n = http_write_chunk(out, sizeof(out), 0x1a0);
	out[n] = '\0';
	CHECK_STR(out, "1a0\r\n");
	n = http_write_last_chunk(out, sizeof(out), NULL);
	out[n] = '\0';
	CHECK_STR(out, "0\r\n\r\n");
}

static void check_response(void)
{
	static const char text[] = "HTTP/1.0 299 Odd\r\nServer: a\r\nConnection: Server2\r\n"
				   "Server2: b\r\nContent-Length: 5\r\n\r\n";
	struct http_reader r;
	struct http_piece p;
	size_t n;

	http_reader_init(&r, HTTP_RESPONSES, &case_limits);
	CHECK(http_reader_next(&r, text, strlen(text), 0, &conn.head, &p) == HTTP_GOT_HEAD);
	CHECK(!conn.head.keep_alive);
	n = http_write_response(out, sizeof(out), &conn.head, HTTP_BODY_LENGTH, false);
	out[n] = '\0';
	CHECK_STR(out, "HTTP/1.1 299 Odd\r\nServer: a\r\nContent-Length: 5\r\n\r\n");
	n = http_write_response(out, sizeof(out), &conn.head, HTTP_BODY_CHUNKED, true);
	out[n] = '\0';
	CHECK_STR(out, "HTTP/1.1 299 Odd\r\nServer: a\r\nTransfer-Encoding: chunked\r\n"
		       "Connection: close\r\n\r\n");
}

int main(void)
{
	check_hops();
	check_repeats();
	check_headers();
	check_query();
	check_answers();
	check_response();
	return check_done();
}
