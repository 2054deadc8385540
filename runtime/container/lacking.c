/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container/lacking.h"

#include <string.h>
#include <unistd.h>

#include "runtime/base/proc.h"
#include "runtime/tree/tree.h"

static const struct lacking hidepid = { "proc.hidepid",
	"/proc is the host's, read-only: it shows processes of others with their command lines, "
	"mounts and network counters, but none can be opened, signalled or traced. A procfs that "
	"hides them needs a pid namespace of the caller's" };
static const struct lacking devices = { "devices",
	"nodes in /dev are the host's: a lock or a watch on one is felt by others who have it" };

size_t lacking_list(struct lacking ret[LACKING_MAX])
{
	size_t n = 0;

	if (geteuid() == 0 && !proc_in_user_namespace())
		return 0;
	if (!tree_can_mount_proc())
		ret[n++] = hidepid;
	ret[n++] = devices;
	return n;
}

const char *lacking_of(const char *name)
{
	struct lacking list[LACKING_MAX];
	size_t n = lacking_list(list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return list[i].text;
	return NULL;
}
