/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of the kernel's interface that the headers of the oldest supported distribution (Linux
 * 6.1) do not have. What a kernel supports is always tried where it is used, and never derived from
 * a version.
 */
#ifndef SANDLOCK_BASE_KERNEL_H
#define SANDLOCK_BASE_KERNEL_H

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x00001000U
#endif
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x00004000U /* 6.8 */
#endif

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* 6.9 */
#endif

#ifndef NS_GET_MNTNS_ID
#define NS_GET_MNTNS_ID _IOR(0xb7, 0x5, uint64_t) /* 6.11 */
#endif

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* 6.3 */
#endif

#ifndef SYS_listmount
#define SYS_listmount 458 /* 6.8 */
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467 /* 6.15 */
#endif

#endif
