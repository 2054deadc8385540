/* SPDX-License-Identifier: Apache-2.0
 *
 * A unit test is a program: main() makes checks and returns check_done(). Every check
 * prints a TAP line; a failed one says where it stands and what it saw, and the rest goes
 * on. The process ends with 1 when a check failed or when none was made.
 */
#ifndef SANDLOCK_TESTS_UNIT_CHECK_H
#define SANDLOCK_TESTS_UNIT_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/err.h"

static int check_count_;
static int check_failed_;

static inline bool check_(bool good, const char *file, int line, const char *name)
{
	printf("%s %d - %s:%d %s\n", good ? "ok" : "not ok", ++check_count_, file, line, name);
	check_failed_ += !good;
	return good;
}

static inline void check_str_(
	const char *file, int line, const char *name, const char *got, const char *want)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!check_(same, file, line, name))
		printf("#  got: %s\n# want: %s\n", got ? got : "(null)", want ? want : "(null)");
}

static inline void check_contains_(
	const char *file, int line, const char *name, const char *text, const char *part)
{
	if (!check_(text && strstr(text, part), file, line, name))
		printf("# got: %s\n# it should contain: %s\n", text ? text : "(null)", part);
}

static inline int check_done(void)
{
	printf("1..%d\n", check_count_);
	return check_failed_ > 0 || check_count_ == 0;
}

#define CHECK(cond)                check_((cond), __FILE_NAME__, __LINE__, #cond)
#define CHECK_NOT_REACHED(why)     check_(false, __FILE_NAME__, __LINE__, why)
#define CHECK_STR(got, want)       check_str_(__FILE_NAME__, __LINE__, #got, (got), (want))
#define CHECK_CONTAINS(text, part) check_contains_(__FILE_NAME__, __LINE__, #text, (text), (part))

/* The call must fail with -1, and the message in err must contain the text. */
#define CHECK_ERR_CONTAINS(call, err, part)                                                        \
	do {                                                                                       \
		memset(&(err), 0, sizeof(err));                                                    \
		if (CHECK((call) == -1))                                                           \
			check_contains_(__FILE_NAME__, __LINE__, #call, (err).msg, (part));        \
	} while (0)

#endif
