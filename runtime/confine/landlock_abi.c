/* SPDX-License-Identifier: Apache-2.0
 *
 * The only file that knows which ABI added which right (landlock(7)).
 */
#include "runtime/confine/landlock_abi.h"

#define FS_1                                                                                       \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |                              \
		LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |                       \
		LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                   \
		LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |                       \
		LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                       \
		LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                     \
		LANDLOCK_ACCESS_FS_MAKE_SYM)
#define FS_2 (FS_1 | LANDLOCK_ACCESS_FS_REFER)
#define FS_3 (FS_2 | LANDLOCK_ACCESS_FS_TRUNCATE)
#define FS_5 (FS_3 | LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* Bind is handled only on request: as long as all ports are free, the ruleset would need a rule for
 * every port. landlock.c adds the right for a container whose ports are limited. */
#define NET_4    LANDLOCK_ACCESS_NET_CONNECT_TCP

#define SCOPES_6 (LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL)

static const struct landlock_rights rights[] = {
	{ 0, 0, 0 },
	{ FS_1, 0, 0 },
	{ FS_2, 0, 0 },
	{ FS_3, 0, 0 },
	{ FS_3, NET_4, 0 },
	{ FS_5, NET_4, 0 },
	{ FS_5, NET_4, SCOPES_6 },
};
#define NEWEST ((int)(sizeof(rights) / sizeof(rights[0])) - 1)

struct landlock_rights landlock_abi_rights(int abi)
{
	if (abi < 0)
		abi = 0;
	return rights[abi < NEWEST ? abi : NEWEST];
}
