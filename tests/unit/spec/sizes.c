/* SPDX-License-Identifier: Apache-2.0
 *
 * Large documents are fine: 64 KiB strings, 10 000 environment entries, 2 MiB of arguments.
 */
#include "runtime/base/cleanup.h"
#include "tests/unit/spec/spec_test.h"

#define STRING ((size_t)64 * 1024)

/* "x…x", n bytes and the quotes. */
static void put_string(FILE *f, size_t n)
{
	fputc('"', f);
	for (size_t i = 0; i < n; i++)
		fputc('x', f);
	fputc('"', f);
}

static char *make_document(size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	if (!f)
		abort();
	fputs("{\"ociVersion\":\"1.0.0\",\"root\":{\"path\":\"r\"},\"annotations\":{\"a\":", f);
	put_string(f, STRING);
	fputs("},\"process\":{\"cwd\":\"/\",\"args\":[\"x\"", f);
	for (int i = 0; i < 32; i++) {
		fputc(',', f);
		put_string(f, STRING);
	}
	fputs("],\"env\":[\"A=\"", f);
	for (int i = 1; i < 10000; i++)
		fprintf(f, ",\"V%d=%d\"", i, i);
	fputs("]}}", f);
	fclose(f);
	return text;
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	size_t len = 0;
	auto_free char *text = make_document(&len);
	struct sl_err err = { 0 };
	struct spec s = { 0 };

	CHECK(spec_load_buffer(a, text, len, &s, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(s.process.n_args == 33 && strlen(s.process.args[32]) == STRING);
	CHECK(s.process.n_env == 10000);
	CHECK_STR(s.process.env[9999], "V9999=9999");
	CHECK(s.n_annotations == 1 && strlen(s.annotations[0].value) == STRING);
	/* What is shown of them stays short. */
	for (size_t i = 0; i < s.n_present; i++)
		if (strlen(s.present[i].value) > 160)
			CHECK_NOT_REACHED("a short value");
	CHECK_CONTAINS(s.present[s.n_present - 1].value, "(10000 in all)");
	return check_done();
}
