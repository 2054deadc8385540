/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/container/container.h"
#include "runtime/limits/clock.h"

void container_memory_watch(char *ret, size_t size)
{
	struct sl_err why;

	if (clock_can_open(&why))
		snprintf(ret, size, "by the allocation clock");
	else
		snprintf(ret, size, "by polling, without the allocation clock: %s", why.msg);
}
