/* SPDX-License-Identifier: Apache-2.0
 *
 * What root of a user namespace cannot give to a container, in which it starts all the same: the
 * machine and its other users are safe without it. For the log, `policy explain` and `check`.
 */
#ifndef SANDLOCK_CONTAINER_LACKING_H
#define SANDLOCK_CONTAINER_LACKING_H

#include <stddef.h>

struct lacking {
	const char *name; /* of the protection, as `check` prints it */
	const char *text;
};

#define LACKING_MAX 2

/* What the caller lacks; without rights at all: what a user namespace would lack. Returns how
 * many: none for root. */
size_t lacking_list(struct lacking ret[LACKING_MAX]);

/* What is said of the protection, or NULL: it is there. */
const char *lacking_of(const char *name);

#endif
