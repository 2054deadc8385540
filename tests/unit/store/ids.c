/* SPDX-License-Identifier: Apache-2.0
 *
 * Which ids are taken: runc's rule (runtime-spec leaves it to the runtime).
 */
#include "runtime/store/store.h"

#include <string.h>

#include "tests/unit/check.h"

int main(void)
{
	static const char *const good[] = { "a", "A0", "a.b", "a+b", "_x", "-x", "...", "..a",
		"0123456789abcdef", ".hidden" };
	static const char *const bad[] = { "", ".", "..", "a/b", "/", "a b", "a\n", "\xc3\xa9",
		"a\\b", "a:b", "a*", "../x", "a@b", "a~" };
	char longest[1026];
	struct sl_err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(store_check_id(good[i], &err) == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_ERR_CONTAINS(
			store_check_id(bad[i], &err), err, "invalid container ID format");
	memset(longest, 'x', sizeof(longest));
	longest[1024] = '\0';
	CHECK(store_check_id(longest, &err) == 0);
	longest[1024] = 'x';
	longest[1025] = '\0';
	CHECK_ERR_CONTAINS(store_check_id(longest, &err), err, "invalid container ID format");
	return check_done();
}
