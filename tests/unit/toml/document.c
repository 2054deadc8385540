/* SPDX-License-Identifier: Apache-2.0
 *
 * Values, places and messages. What is TOML and what is not is tried with the public corpus
 * (tests/sandlock/toml.bats).
 */
#include "sandbox/toml/toml.h"
#include "tests/unit/check.h"

static struct arena *arena;
static struct sl_err err;

static const struct toml *parse(const char *text)
{
	const struct toml *root = NULL;

	err.msg[0] = '\0';
	return toml_parse(arena, text, strlen(text), &root, &err) == 0 ? root : NULL;
}

static void refused(const char *text, const char *message)
{
	CHECK(parse(text) == NULL);
	CHECK_STR(err.msg, message);
}

static void values(void)
{
	const struct toml *root = parse("[limits]\nmemory = \"1G\"\nprocesses = 0x10\n"
					"[program]\nargs = [\"a\", '''b\nc''', \"d\\u00e9\"]\n"
					"clean_env = true\nstart = 2020-02-29 12:00:00Z\n");
	const struct toml *limits, *program, *args;

	if (!root) {
		CHECK_STR(err.msg, "");
		return;
	}
	limits = toml_get(root, "limits");
	program = toml_get(root, "program");
	args = toml_get(program, "args");
	CHECK(limits->line == 1 && limits->column == 2);
	CHECK_STR(toml_get(limits, "memory")->text, "1G");
	CHECK(toml_get(limits, "processes")->integer == 16);
	CHECK(toml_get(limits, "processes")->line == 3);
	CHECK(args->type == TOML_ARRAY);
	CHECK_STR(args->first->text, "a");
	CHECK_STR(args->first->next->text, "b\nc");
	CHECK_STR(args->first->next->next->text, "d\u00e9");
	CHECK(args->first->next->next->next == NULL);
	CHECK(toml_get(program, "clean_env")->boolean && toml_get(program, "clean_env")->line == 7);
	CHECK(toml_get(program, "start")->type == TOML_TIME);
	CHECK_STR(toml_get(program, "start")->text, "2020-02-29 12:00:00Z");
	CHECK(toml_get(program, "absent") == NULL);
}

static void messages(void)
{
	refused("a = 1\nb = ", "line 2, column 5: the document ends where a value is expected");
	refused("a = nope\n", "line 1, column 5: 'nope' is no value; a string stands in quotes");
	refused("a = 1__0\n", "line 1, column 5: '1__0': an underscore stands between two digits");
	refused("a = 9223372036854775808\n",
		"line 1, column 5: the number does not fit into 64 bits");
	refused("a = 1 b = 2\n", "line 1, column 7: 'b' where the end of the line is expected");
	refused("a = \"\xc3\xa9\" x\n",
		"line 1, column 9: 'x' where the end of the line is expected");
	refused("[a]\n[a]\n", "line 2, column 2: a is there already (line 1)");
	refused("a = {}\n[a.b]\n", "line 2, column 2: a is complete already (line 1)");
	refused("a = [1, 2\n",
		"line 2, column 1: the document ends where a comma or a ] is expected");
	refused("a = 'x\n",
		"line 1, column 7: the line ends where the end of the string is expected");
	refused("a = \"\\u0000\"\n", "line 1, column 12: U+0000 cannot be used");
	refused("a = \"\\q\"\n",
		"line 1, column 7: 'q' where one of b t n f r u U \" \\ is expected");
	refused("a = 1\n\xff\n", "line 2, column 1: this is no UTF-8");
	refused("a = \"\x01\"\n", "line 1, column 6: a control character (0x01) where the end of "
				  "the string is expected");
}

static void bounds(void)
{
	static char text[TOML_MAX_SIZE + 2];

	memset(text, '[', 70);
	memcpy(text, "a = ", 4);
	refused(text, "line 1, column 70: more than 64 values in one another");
	memset(text, ' ', TOML_MAX_SIZE + 1);
	refused(text, "more than 256 KiB");
	text[0] = '\0';
	for (int i = 0; i < TOML_MAX_VALUES; i++)
		memcpy(text + 5 + 2 * i, "1,", 3);
	memcpy(text, "a = [", 5);
	refused(text, "line 1, column 20002: more than 10000 values");
}

int main(void)
{
	arena = arena_new();
	values();
	messages();
	bounds();
	arena_free(arena);
	return check_done();
}
