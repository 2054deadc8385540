/* SPDX-License-Identifier: Apache-2.0
 *
 * What proc(5) says of the caller while its call is pending.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/net/internal.h"

uint64_t caller_mask_in(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : 0;
}

int caller_mask(const struct net *n, const struct notif_call *c, const char *name, uint64_t *ret)
{
	char path[32], status[4096];

	snprintf(path, sizeof(path), "%d/status", c->pid);
	if (io_slurp(n->setup.proc_fd, path, status, sizeof(status)) < 0 || !strstr(status, name))
		return -1;
	/* Afterwards: another thread may have executed a program with more rights, which has the
	 * caller's number. */
	if (!notif_waits(c))
		return -1;
	*ret = caller_mask_in(status, name);
	return 0;
}
