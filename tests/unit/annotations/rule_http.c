/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of HTTP rules: what is accepted, as what it is rendered, what is refused and why.
 */
#include "annotations/annotations.h"
#include "tests/unit/check.h"

struct spelling {
	const char *in;
	const char *canonical; /* or a part of the error */
	bool refused;
};

static const struct spelling allow[] = {
	{ "GET example.com/a", "GET example.com/a", false },
	{ "get Example.COM./a/", "GET example.com/a", false },
	{ "* *", "* */*", false },
	{ "* */*", "* */*", false },
	{ "GET example.com", "GET example.com/*", false },
	{ "GET example.com/", "GET example.com/", false },
	{ "GET example.com/v1/*", "GET example.com/v1/*", false },
	{ "GET example.com/v1*", "GET example.com/v1*", false },
	{ "GET example.com//a/../b/./*", "GET example.com/b/*", false },
	{ "GET example.com/%61%2d", "GET example.com/a-", false },
	{ "GET example.com/a%20b", "GET example.com/a%20b", false },
	{ "GET example.com/%2A", "GET example.com/%2A", false },
	{ "GET example.com/caf%c3%a9*", "GET example.com/caf%C3%A9*", false },
	{ "GET 192.0.2.1/", "GET 192.0.2.1/", false },
	{ "GET [2001:DB8::1]/", "GET [2001:db8::1]/", false },
	{ "GET [::ffff:192.0.2.1]/", "GET 192.0.2.1/", false },
	{ " GET  a.example/x ;\tPOST b.example/y ", "GET a.example/x;POST b.example/y", false },
	{ "M-SEARCH a.example", "M-SEARCH a.example/*", false },
	{ "", "METHOD HOST/PATH", true },
	{ ";", "METHOD HOST/PATH", true },
	{ "GET", "METHOD HOST/PATH", true },
	{ "example.com/a", "METHOD HOST/PATH", true },
	{ "GET example.com/a extra", "behind", true },
	{ "GET example.com:8080/a", "http.ports", true },
	{ "GET *.example.com/a", "without wildcards", true },
	{ "GET ex\303\244mple.com/a", "ASCII", true },
	{ "GET 127.1/a", "IPv4", true },
	{ "GET 2001:db8::1/a", "brackets", true },
	{ "GET user@example.com/a", "the host is", true },
	{ "GET /a", "the host is", true },
	{ "GET http://example.com/a", "the host is", true },
	{ "GET example.com/*/a", "at its end", true },
	{ "GET example.com/a**", "at its end", true },
	{ "GET example.com/a?b", "no query", true },
	{ "GET example.com/a%2Fb", "escaped slash", true },
	{ "GET example.com/a%5cb", "escaped slash", true },
	{ "GET example.com/a%25b", "escaped slash", true },
	{ "GET example.com/a%3Bb", "escaped slash", true },
	{ "GET example.com/a%0ab", "escaped slash", true },
	{ "GET example.com/a%", "escaped slash", true },
	{ "GET example.com/a.", "dot or blank", true },
	{ "GET example.com/a%20/*", "dot or blank", true },
	{ "GET example.com/a%20./b*", "dot or blank", true },
	{ "GET example.com/v1.*", "GET example.com/v1.*", false },
	{ "GET example.com/a/.*", "at its end", true },
	{ "GET example.com/a/..*", "at its end", true },
	{ "CONNECT example.com", "never passed on", true },
	{ "trace example.com", "never passed on", true },
	{ "G@T example.com", "begins with a method", true },
};

static const struct spelling auth[] = {
	{ "POST api.example/v1/* bearer key", "POST api.example/v1/* bearer key", false },
	{ "POST api.example basic:joe key replace", "POST api.example/* basic:joe key", false },
	{ "* api.example/a header:X-Key key add-only", "* api.example/a header:X-Key key add-only",
		false },
	{ "* api.example/a apikey:X-Key key", "* api.example/a header:X-Key key", false },
	{ "* api.example/a query:key key.1 replace cleartext",
		"* api.example/a query:key key.1 cleartext", false },
	{ "* api.example/a bearer key add-only cleartext",
		"* api.example/a bearer key add-only cleartext", false },
	{ "* * bearer key", "named, not to *", true },
	{ "* api.example/a", "the shape is", true },
	{ "* api.example/a bearer", "name of a credential", true },
	{ "* api.example/a bearer k/y", "name of a credential", true },
	{ "* api.example/a bearer: key", "the shape is", true },
	{ "* api.example/a basic: key", "the user", true },
	{ "* api.example/a basic:a:b key", "the user", true },
	{ "* api.example/a header: key", "cannot be in that header", true },
	{ "* api.example/a header:Host key", "cannot be in that header", true },
	{ "* api.example/a header:content-length key", "cannot be in that header", true },
	{ "* api.example/a header:X_Forwarded_Host key", "cannot be in that header", true },
	{ "* api.example/a query:a&b key", "parameter", true },
	{ "* api.example/a token:x key", "the shape is", true },
	{ "* api.example/a bearer key always", "behind the credential", true },
	{ "* api.example/a bearer key replace add-only", "behind the credential", true },
	{ "* api.example/a bearer key cleartext replace", "behind the credential", true },
};

/* Other keys: value and what it is rendered as, NULL: malformed. */
static const struct {
	const char *key, *in, *out;
} others[] = {
	{ "http.ports", "80,8080; 443", "80,443,8080" },
	{ "http.ports", "8000-8010", "8000-8010" },
	{ "http.ports", "0", NULL },
	{ "http.ports", "*", NULL },
	{ "http.ports", "", NULL },
	{ "config.credential", "a; b.c-d_1", "a;b.c-d_1" },
	{ "config.credential", "a=env:X", NULL },
	{ "config.credential", "", NULL },
	{ "config.http_ca", "ca.pem", "ca.pem" },
	{ "config.http_ca", "/etc/ca/ca.pem", "/etc/ca/ca.pem" },
	{ "config.http_ca", "../ca.pem", NULL },
	{ "config.http_ca", "a/../../ca.pem", NULL },
	{ "config.http_ca", "/etc//ca.pem", NULL },
	{ "config.http_ca", "", NULL },
	{ "config.http_key", "./ca.pem", NULL },
	{ "config.http_inject_ca", "/etc/ssl/a.pem;/b.pem", "/etc/ssl/a.pem;/b.pem" },
	{ "config.http_inject_ca", "etc/ssl/a.pem", NULL },
	{ "config.http_inject_ca", "/a/../b", NULL },
	{ "config.http_ca_env", "true", "true" },
	{ "config.http_ca_env", "1", NULL },
};

static int render_one(
	struct arena *a, const char *key, const char *value, const char **ret, struct sl_err *err)
{
	const struct key_value kv = { arena_printf(a, "io.sandlock.%s", key), value };
	struct key_value *out;
	struct annotations an;
	size_t n = 0;

	if (annotations_parse(a, &kv, 1, &an, err) < 0)
		return -1;
	annotations_render(a, &an, &out, &n);
	*ret = n == 1 && strcmp(out[0].key, kv.key) == 0 ? out[0].value : NULL;
	return 0;
}

static void check_spellings(struct arena *a, const char *key, const struct spelling *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sl_err err = { 0 };
		const char *text = NULL;

		if (list[i].refused) {
			printf("# %s\n", list[i].in);
			CHECK_ERR_CONTAINS(render_one(a, key, list[i].in, &text, &err), err,
				list[i].canonical);
			continue;
		}
		if (!CHECK(render_one(a, key, list[i].in, &text, &err) == 0)) {
			printf("# %s\n", err.msg);
			continue;
		}
		CHECK_STR(text, list[i].canonical);
		CHECK(render_one(a, key, text, &text, &err) == 0);
		CHECK_STR(text, list[i].canonical);
	}
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err;
	const char *text;

	check_spellings(a, "http.allow", allow, sizeof(allow) / sizeof(allow[0]));
	check_spellings(a, "http.auth", auth, sizeof(auth) / sizeof(auth[0]));
	CHECK(render_one(a, "http.deny", "CONNECT *;TRACE *", &text, &err) == 0);
	CHECK_STR(text, "CONNECT */*;TRACE */*");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		int rc = render_one(a, others[i].key, others[i].in, &text, &err);

		printf("# %s %s\n", others[i].key, others[i].in);
		if (CHECK(rc == (others[i].out ? 0 : -1)) && rc == 0)
			CHECK_STR(text, others[i].out);
	}
	return check_done();
}
