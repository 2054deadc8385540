/* SPDX-License-Identifier: Apache-2.0
 *
 * A request that comes as fields of HTTP/2 is judged like one in text, and what HTTP/2 must not
 * have is refused.
 */
#include "tests/unit/http/conn.h"

static struct conn conn;

/* "name=value" each; ends with NULL. The verdict as in cases.def. */
static const char *judge(const char *const *fields, const struct http_connection *c, bool end)
{
	static char buf[1024];
	struct http_store store = { buf, sizeof(buf), 0 };
	struct http_h2_fields f;
	enum http_fault fault = HTTP_NO_FAULT;

	conn_init(&conn, c);
	http_h2_begin(&f, &conn.head, &store, &case_limits, false);
	for (; *fields && fault == HTTP_NO_FAULT; fields++) {
		const char *eq = strchr(*fields, '=');

		fault = http_h2_field(&f, &conn.head,
			(struct http_span){ *fields, (size_t)(eq - *fields) },
			http_span_of(eq + 1));
	}
	if (fault == HTTP_NO_FAULT)
		fault = http_h2_end(&f, &conn.head, end);
	if (fault != HTTP_NO_FAULT)
		conn_fault(&conn, fault);
	else
		conn_judge(&conn);
	return conn.words;
}

#define GET(path) ":method=GET", ":scheme=http", ":authority=example.com", ":path=" path

static const struct {
	const char *want;
	const char *fields[10];
} table[] = {
	{ "allow", { GET("/") } },
	{ "allow", { GET("/"), "te=trailers", "cookie=a", "cookie=b" } },
	{ "allow", { GET("/"), "host=example.com" } },
	{ "allow", { ":method=GET", ":scheme=http", ":path=/", "host=example.com" } },
	{ "deny", { GET("/admin/") } },
	{ "deny", { GET("//%61dmin") } },
	{ "readings", { GET("/x/..;/admin") } },
	{ "allow", { ":method=OPTIONS", ":scheme=http", ":authority=example.com", ":path=*" } },
	{ "deny", { ":method=CONNECT", ":authority=example.com:443" } },
	{ "host-differs", { GET("/"), "host=other.example" } },
	{ "no-host", { ":method=GET", ":scheme=http", ":path=/" } },
	{ "userinfo", { ":method=GET", ":scheme=http", ":path=/", ":authority=a@example.com" } },
	{ "scheme", { ":method=GET", ":scheme=https", ":path=/", ":authority=example.com" } },
	{ "target", { GET("admin") } },
	{ "target", { GET("http://example.com/") } },
	{ "pseudo",
		{
			GET(""),
		} },
	{ "pseudo", { ":method=GET", ":scheme=http", ":authority=example.com" } },
	{ "pseudo", { ":method=GET", ":path=/", ":authority=example.com" } },
	{ "pseudo", { ":scheme=http", ":path=/", ":authority=example.com" } },
	{ "pseudo", { GET("/"), ":path=/admin" } },
	{ "pseudo", { GET("/"), "a=b", ":method=GET" } },
	{ "pseudo", { GET("/"), ":status=200" } },
	{ "pseudo", { GET("/"), ":protocol=websocket" } },
	{ "pseudo", { GET("/ HTTP/1.1\r\nX: y") } },
	{ "pseudo", { ":method=GET /admin", ":scheme=http", ":authority=example.com", ":path=/" } },
	{ "pseudo", { ":method=GET", ":scheme=http", ":authority=a b", ":path=/" } },
	{ "upper-case", { GET("/"), "Accept=a" } },
	{ "field-name", { GET("/"), "a b=c" } },
	{ "field-name", { GET("/"), "a\r\nb=c" } },
	{ "field-name", { GET("/"), "=c" } },
	{ "field-value", { GET("/"), "a=b\r\nc: d" } },
	{ "field-value", { GET("/"), "a= b" } },
	{ "connection-field", { GET("/"), "connection=close" } },
	{ "connection-field", { GET("/"), "transfer-encoding=chunked" } },
	{ "connection-field", { GET("/"), "upgrade=h2c" } },
	{ "connection-field", { GET("/"), "keep-alive=1" } },
	{ "connection-field", { GET("/"), "te=gzip" } },
	{ "two-lengths", { GET("/"), "content-length=1", "content-length=1" } },
	{ "length", { GET("/"), "content-length=+1" } },
	{ "override", { GET("/"), "x-original-url=/admin" } },
};

static const char *const posted[] = { ":method=POST", ":scheme=http", ":authority=example.com",
	":path=/a", "content-length=5", "cookie=a=1", "x-b=2", "cookie=c=3", NULL };

int main(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK_STR(judge(table[i].fields, &case_connection, true), table[i].want);
	CHECK_STR(judge(posted, &case_connection, true), "length");
	CHECK_STR(judge(posted, &case_connection, false), "allow");
	conn.out[conn.out_len] = '\0';
	CHECK_STR(conn.out,
		"POST /a HTTP/1.1\r\nHost: example.com\r\nx-b: 2\r\nCookie: a=1; c=3\r\n"
		"Content-Length: 5\r\n\r\n");
	return check_done();
}
