/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writer writes, the parser reads; bytes that are not UTF-8 are repaired.
 */
#include "runtime/base/json.h"
#include "tests/unit/check.h"

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct json_gen *g = json_gen_new(a, false);
	const struct json *j = NULL;
	const char *text;
	struct sl_err err;
	size_t len = 0;

	json_gen_object(g);
	json_gen_key(g, "s");
	json_gen_string(g, "a/\"\n\x01\xff\xc3\xa9");
	json_gen_key(g, "n");
	json_gen_string(g, NULL);
	json_gen_key(g, "l");
	json_gen_array(g);
	json_gen_i64(g, INT64_MIN);
	json_gen_u64(g, UINT64_MAX);
	json_gen_bool(g, true);
	json_gen_end(g);
	json_gen_end(g);
	text = json_gen_take(g, &len);
	CHECK_STR(text, "{\"s\":\"a/\\\"\\n\\u0001\xef\xbf\xbd\xc3\xa9\",\"n\":null,"
			"\"l\":[-9223372036854775808,18446744073709551615,true]}");
	CHECK(len == strlen(text));

	CHECK(json_parse(a, text, len, &j, &err) == 0);
	g = json_gen_new(a, false);
	json_gen_value(g, j);
	CHECK_STR(json_gen_take(g, NULL), text);

	g = json_gen_new(a, true);
	json_gen_value(g, j);
	text = json_gen_take(g, &len);
	CHECK_CONTAINS(text, "{\n  \"s\": ");
	CHECK(json_parse(a, text, len, &j, &err) == 0);
	return check_done();
}
