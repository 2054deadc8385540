/* SPDX-License-Identifier: Apache-2.0
 *
 * What is a document, what is not, and the line that the answer names.
 */
#include "runtime/base/json.h"
#include "tests/unit/check.h"

static int parse(struct arena *a, const char *text, const struct json **ret, struct sl_err *err)
{
	return json_parse(a, text, strlen(text), ret, err);
}

static void accepted(struct arena *a)
{
	const struct json *j = NULL;
	struct sl_err err;
	uint64_t u = 0;
	int64_t i = 0;

	CHECK(parse(a, "{\"a\":[1,-2,true,null,\"x\\u00e9\\ud83d\\ude00\"],\n\"b\":{}}", &j,
		      &err) == 0);
	CHECK(j->type == JSON_OBJECT && j->n == 2);
	CHECK(json_get(j, "a")->n == 5);
	CHECK(json_to_i64(json_get(j, "a")->items[1], &i) == 0 && i == -2);
	CHECK(json_to_u64(json_get(j, "a")->items[1], &u) == -1);
	CHECK(json_get(j, "a")->items[2]->boolean);
	CHECK_STR(json_get(j, "a")->items[4]->text, "x\xc3\xa9\xf0\x9f\x98\x80");
	CHECK(json_get(j, "a")->line == 1 && json_get(j, "b")->line == 2);
	CHECK(json_get(j, "c") == NULL && json_get(NULL, "c") == NULL);
	CHECK(parse(a, " 18446744073709551615 ", &j, &err) == 0 && json_to_u64(j, &u) == 0 &&
		u == UINT64_MAX);
	CHECK(json_to_i64(j, &i) == -1);
	CHECK(parse(a, "1.5", &j, &err) == 0 && json_to_u64(j, &u) == -1);
	CHECK(parse(a, "1e3", &j, &err) == 0 && json_to_i64(j, &i) == -1);
	CHECK(parse(a, "\"\\\\u0000\"", &j, &err) == 0);
	CHECK_STR(j->text, "\\u0000");
}

static void refused(struct arena *a)
{
	const struct json *j = NULL;
	struct sl_err err;

	CHECK_ERR_CONTAINS(parse(a, "", &j, &err), err, "line 1");
	CHECK_ERR_CONTAINS(parse(a, "{\n\n\"a\":\n}", &j, &err), err, "line 4");
	CHECK_ERR_CONTAINS(parse(a, "{}\n{}", &j, &err), err, "trailing garbage");
	CHECK_ERR_CONTAINS(parse(a, "{} // no", &j, &err), err, "line 1");
	CHECK_ERR_CONTAINS(parse(a, "{\"a\":1,\n\"a\":2}", &j, &err), err, "twice the key \"a\"");
	CHECK_ERR_CONTAINS(parse(a, "[\n\"\xc3\"]", &j, &err), err, "line 2: not UTF-8");
	CHECK_ERR_CONTAINS(parse(a, "[\"\xc0\xaf\"]", &j, &err), err, "not UTF-8");
	CHECK_ERR_CONTAINS(parse(a, "[\"\xed\xa0\x80\"]", &j, &err), err, "not UTF-8");
	CHECK_ERR_CONTAINS(parse(a, "[\"\xf4\x90\x80\x80\"]", &j, &err), err, "not UTF-8");
	CHECK_ERR_CONTAINS(parse(a, "[\"\\ud800\"]", &j, &err), err, "surrogate");
	CHECK_ERR_CONTAINS(parse(a, "[\"\\ud800\\u0041\"]", &j, &err), err, "surrogate");
	CHECK_ERR_CONTAINS(parse(a, "[\"\\udc00\"]", &j, &err), err, "surrogate");
	CHECK_ERR_CONTAINS(parse(a, "[\"a\\u0000b\"]", &j, &err), err, "NUL");
	CHECK_ERR_CONTAINS(parse(a, "{\"a\\u0000b\":1}", &j, &err), err, "NUL");
	CHECK_ERR_CONTAINS(parse(a, "[01]", &j, &err), err, "line 1");
	CHECK_ERR_CONTAINS(parse(a, "[NaN]", &j, &err), err, "line 1");
	CHECK(json_parse(a, "[1]\0", 4, &j, &err) == -1);
}

static void nesting(struct arena *a)
{
	char text[2 * JSON_MAX_DEPTH + 3] = { 0 };
	const struct json *j = NULL;
	struct sl_err err;

	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	CHECK(parse(a, text, &j, &err) == 0);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	CHECK_ERR_CONTAINS(parse(a, text, &j, &err), err, "nested deeper than 64 levels");
}

int main(void)
{
	auto_arena struct arena *a = arena_new();

	accepted(a);
	refused(a);
	nesting(a);
	return check_done();
}
