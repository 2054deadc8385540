/* SPDX-License-Identifier: Apache-2.0
 *
 * tests/http/cases.def against reader, canonical request and verdict: at once, byte by byte and in
 * odd pieces it is the same, and what goes on is understood as what came.
 */
#include "tests/unit/http/conn.h"

static const struct {
	const char *name;
	const char *want;
	const char *bytes;
	size_t n;
} cases[] = {
#define CASE(name, want, bytes) { name, want, bytes, sizeof(bytes) - 1 },
#include "tests/http/cases.def"
#undef CASE
};

static struct conn conn, again;

static void check_forwarded(void)
{
	conn_init(&again, &case_connection);
	conn_feed(&again, conn.out, conn.out_len, conn.out_len, SIZE_MAX);
	CHECK(strncmp(again.words, "allow", 5) == 0);
	CHECK(again.out_len == conn.out_len && memcmp(again.out, conn.out, conn.out_len) == 0);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const size_t steps[] = { SIZE_MAX, 1, 7, 50 };

		printf("# %s\n", cases[i].name);
		for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
			conn_init(&conn, &case_connection);
			conn_feed(
				&conn, cases[i].bytes, cases[i].n, steps[k], k % 2 ? SIZE_MAX : 3);
			CHECK_STR(conn.words, cases[i].want);
		}
		if (conn.out_len > 0)
			check_forwarded();
	}
	return check_done();
}
