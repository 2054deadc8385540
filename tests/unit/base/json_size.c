/* SPDX-License-Identifier: Apache-2.0
 *
 * Work is about linear in the size of a document: a huge object, also one whose keys all
 * have the same start, costs what its bytes cost. The bounds are loose, so that sanitizers
 * and busy machines pass; a quadratic check misses them by minutes.
 */
#include <stdlib.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "tests/unit/check.h"

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t make_object(char *buf, size_t size, int n, bool twice)
{
	size_t len = (size_t)snprintf(buf, size, "{");

	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(buf + len, size - len, "\"key-%07d\":%d,\n", i, i);
	return len + (size_t)snprintf(buf + len, size - len, "\"key-%07d\":0}", twice ? n / 2 : n);
}

int main(void)
{
	size_t size = (size_t)16 * 1024 * 1024, len;
	auto_free char *buf = malloc(size);
	auto_arena struct arena *a = arena_new();
	const struct json *j = NULL;
	struct sl_err err;
	double from;

	if (!CHECK(buf != NULL))
		return check_done();
	len = make_object(buf, size, 400000, false);
	from = seconds();
	CHECK(json_parse(a, buf, len, &j, &err) == 0 && j->n == 400001);
	CHECK(seconds() - from < 5);
	len = make_object(buf, size, 400000, true);
	CHECK_ERR_CONTAINS(json_parse(a, buf, len, &j, &err), err, "line 400001");
	CHECK_CONTAINS(err.msg, "\"key-0200000\"");

	/* One string of 8 MiB, and a document of nothing but opening brackets. */
	memset(buf, 'x', size);
	buf[0] = '"';
	buf[size / 2] = '"';
	CHECK(json_parse(a, buf, size / 2 + 1, &j, &err) == 0 && strlen(j->text) == size / 2 - 1);
	memset(buf, '[', size);
	from = seconds();
	CHECK_ERR_CONTAINS(json_parse(a, buf, size, &j, &err), err, "nested deeper");
	CHECK(seconds() - from < 5);
	return check_done();
}
