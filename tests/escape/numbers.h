/* SPDX-License-Identifier: Apache-2.0
 *
 * Call numbers and constants newer than the oldest headers the suite is built with
 * (Linux 6.1). Attacks call by number on purpose: a libc wrapper may refuse or rewrite.
 */
#ifndef SANDLOCK_TESTS_ESCAPE_NUMBERS_H
#define SANDLOCK_TESTS_ESCAPE_NUMBERS_H

#include <sys/syscall.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_statmount
#define SYS_statmount 457
#define SYS_listmount 458
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef PIDFD_THREAD
#define PIDFD_THREAD 0200 /* O_EXCL */
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#define X32_BIT 0x40000000

#endif
