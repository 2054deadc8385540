/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/base/printable.h"
#include "sandlock/sandlock.h"

int sandlock_fail(struct runtime *rt, const struct sl_err *err)
{
	fprintf(stderr, "sandlock: %s\n", printable_text(rt->arena, err->msg, false));
	return STATUS_FAILED;
}
