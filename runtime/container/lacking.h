/* SPDX-License-Identifier: Apache-2.0
 *
 * Protections that root of a user namespace cannot give to a container. The container starts all
 * the same, because the machine and its other users are safe without them. For the log, `policy
 * explain` and `check`.
 */
#ifndef SANDLOCK_CONTAINER_LACKING_H
#define SANDLOCK_CONTAINER_LACKING_H

#include <stddef.h>

struct lacking {
	const char *name; /* the name of the protection, as `check` prints it */
	const char *text;
};

#define LACKING_MAX 2

/* Lists what the caller lacks, and returns how many. Root lacks nothing; for a caller without
 * capabilities it lists what a user namespace would lack. */
size_t lacking_list(struct lacking ret[LACKING_MAX]);

/* The text about the protection, or NULL if the caller does not lack it. */
const char *lacking_of(const char *name);

#endif
