/* SPDX-License-Identifier: Apache-2.0
 *
 * What TLS adds: the host of a request is the name that was asked for in the handshake; and where a
 * name of a rule was at create.
 */
#include "tests/unit/http/conn.h"

static struct conn conn;

static const char *judge(const char *sni, const char *host)
{
	struct http_connection c = { .tls = true, .addr = { 192, 0, 2, 1 }, .port = 443 };
	char text[256];

	if (sni) {
		c.has_sni = true;
		CHECK(http_host_parse(http_span_of(sni), &c.sni) == HTTP_NO_FAULT);
	}
	conn_init(&conn, &c);
	snprintf(text, sizeof(text), "GET /only HTTP/1.1\r\nHost: %s\r\n\r\n", host);
	conn_feed(&conn, text, strlen(text), SIZE_MAX, 0);
	return conn.words;
}

static void check_pins(void)
{
	static const struct http_pin_addr addrs[] = { { false, { 198, 51, 100, 7 } },
		{ false, { 192, 0, 2, 1 } } };
	static const struct http_pin pins[] = { { "example.com", addrs, 2 },
		{ "away.example", addrs, 1 } };
	const struct http_rules rules = { .pins = pins, .n_pins = 2 };
	struct http_connection mapped = { .v6 = true, .port = 80 };
	struct http_host h;

	memcpy(mapped.addr + 10, "\xff\xff\xc0\x00\x02\x01", 6);
	CHECK(http_host_parse(http_span_of("example.com"), &h) == HTTP_NO_FAULT);
	CHECK(http_rules_pinned(&rules, &h, &case_connection) == HTTP_PIN_SAME);
	CHECK(http_rules_pinned(&rules, &h, &mapped) == HTTP_PIN_SAME);
	CHECK(http_host_parse(http_span_of("away.example"), &h) == HTTP_NO_FAULT);
	CHECK(http_rules_pinned(&rules, &h, &case_connection) == HTTP_PIN_OTHER);
	CHECK(http_host_parse(http_span_of("nobody.example"), &h) == HTTP_NO_FAULT);
	CHECK(http_rules_pinned(&rules, &h, &case_connection) == HTTP_PIN_UNKNOWN);
	CHECK(http_host_parse(http_span_of("192.0.2.1"), &h) == HTTP_NO_FAULT);
	CHECK(http_rules_pinned(&rules, &h, &case_connection) == HTTP_PIN_SAME);
	CHECK(http_host_parse(http_span_of("192.0.2.9"), &h) == HTTP_NO_FAULT);
	CHECK(http_rules_pinned(&rules, &h, &mapped) == HTTP_PIN_OTHER);
}

static enum http_reason credential_at(const char *host, const struct http_connection *c)
{
	static const struct http_pin_addr addr = { false, { 192, 0, 2, 1 } };
	static const struct http_pin pin = { "example.com", &addr, 1 };
	const struct http_rule any = { .path = "", .kind = HTTP_PATH_BELOW };
	const struct http_auth auth = {
		.rule = { .host = host, .path = "", .kind = HTTP_PATH_BELOW },
		.credential = "k",
		.cleartext = true
	};
	const struct http_rules rules = {
		.allow = &any, .n_allow = 1, .auth = &auth, .n_auth = 1, .pins = &pin, .n_pins = 1
	};
	static struct http_request req;

	req = (struct http_request){ .tls = c->tls, .method = "GET", .path = "/", .path_len = 1 };
	CHECK(http_host_parse(http_span_of(host), &req.host) == HTTP_NO_FAULT);
	return http_judge(&rules, &req, c).reason;
}

/* Without TLS a credential goes only where its host is known to be. */
static void check_credential(void)
{
	struct http_connection there = case_connection, elsewhere = case_connection;

	elsewhere.addr[3] = 66;
	CHECK(credential_at("example.com", &there) == HTTP_BY_ALLOW_RULE);
	CHECK(credential_at("example.com", &elsewhere) == HTTP_BY_ADDRESS);
	CHECK(credential_at("192.0.2.1", &there) == HTTP_BY_ALLOW_RULE);
	CHECK(credential_at("unknown.example", &elsewhere) == HTTP_BY_ADDRESS);
	elsewhere.tls = true;
	CHECK(credential_at("unknown.example", &elsewhere) == HTTP_BY_ALLOW_RULE);
}

/* GET of the path on a connection to 192.0.2.1. There evil.example and good.example are; the rules
 * deny /admin of the host. */
static bool is_denied_at(const char *deny_host, const char *host, const char *path, bool tls)
{
	static const struct http_pin_addr addr = { false, { 192, 0, 2, 1 } };
	static const struct http_pin pins[] = { { "evil.example", &addr, 1 },
		{ "good.example", &addr, 1 } };
	static const struct http_rule allow[] = { { .path = "", .kind = HTTP_PATH_BELOW },
		{ .host = "good.example", .path = "/admin/x", .path_len = 8 },
		{ .host = "192.0.2.1", .path = "", .kind = HTTP_PATH_BELOW } };
	const struct http_rule deny = {
		.host = deny_host, .path = "/admin", .path_len = 6, .kind = HTTP_PATH_BELOW
	};
	const struct http_rules rules = {
		.allow = allow, .n_allow = 3, .deny = &deny, .n_deny = 1, .pins = pins, .n_pins = 2
	};
	struct http_connection c = case_connection;
	static struct http_request req;

	c.tls = tls;
	req = (struct http_request){ .tls = tls, .method = "GET", .path_len = strlen(path) };
	snprintf(req.path, sizeof(req.path), "%s", path);
	CHECK(http_host_parse(http_span_of(host), &req.host) == HTTP_NO_FAULT);
	return http_judge(&rules, &req, &c).reason == HTTP_BY_DENY_RULE;
}

/* A deny rule is not evaded by another name of the same address. */
static void check_deny(void)
{
	for (int tls = 0; tls < 2; tls++) {
		CHECK(is_denied_at("evil.example", "evil.example", "/admin/x", tls));
		CHECK(is_denied_at("evil.example", "192.0.2.1", "/admin/x", tls));
		CHECK(is_denied_at("evil.example", "unknown.example", "/admin/x", tls));
		CHECK(!is_denied_at("evil.example", "192.0.2.1", "/public", tls));
		CHECK(!is_denied_at("away.example", "192.0.2.1", "/admin/x", tls));
		/* an allow rule has this name, but for one path only */
		CHECK(!is_denied_at("evil.example", "good.example", "/admin/x", tls));
		CHECK(is_denied_at("evil.example", "good.example", "/admin/y", tls));
		/* an address is no name */
		CHECK(is_denied_at("192.0.2.1", "good.example", "/admin/x", tls));
		CHECK(is_denied_at("192.0.2.1", "unknown.example", "/admin/x", tls));
		CHECK(!is_denied_at("192.0.2.9", "unknown.example", "/admin/x", tls));
	}
}

int main(void)
{
	CHECK_STR(judge("example.com", "example.com"), "allow");
	CHECK_STR(judge("example.com", "EXAMPLE.com.:443"), "allow");
	CHECK_STR(judge("example.com", "other.example"), "other-sni");
	CHECK_STR(judge("other.example", "example.com"), "other-sni");
	CHECK_STR(judge("example.com", "example.com:80"), "other-port");
	CHECK_STR(judge(NULL, "example.com"), "other-sni");
	CHECK_STR(judge(NULL, "192.0.2.1"), "allow");
	CHECK_STR(judge("example.com", "192.0.2.1"), "other-sni");
	check_pins();
	check_credential();
	check_deny();
	return check_done();
}
