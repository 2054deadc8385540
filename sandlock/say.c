/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "runtime/base/printable.h"
#include "sandlock/sandlock.h"

int sandlock_fail(struct runtime *rt, const struct sl_err *err)
{
	fprintf(stderr, "sandlock: %s\n", printable_text(rt->arena, err->msg, false));
	return STATUS_FAILED;
}

bool sandlock_helped(int argc, char **argv, const char *usage)
{
	if (argc == 0 || (strcmp(argv[0], "--help") != 0 && strcmp(argv[0], "-h") != 0))
		return false;
	printf("usage: sandlock %s\n", usage);
	return true;
}

int sandlock_open(
	const struct runtime *rt, const char *name, struct container *ret, struct sl_err *err)
{
	if (container_open(rt, name, CONTAINER_READ, ret, err) < 0 || ret->status == RECORD_STOPPED)
		return sl_err_set(err, 0, "no sandbox named '%s'", name);
	return 0;
}
