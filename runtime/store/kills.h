/* SPDX-License-Identifier: Apache-2.0
 *
 * How often a limit has ended processes of a container: the file `killed` of the state directory,
 * which exists only after the first time. It stays when the container has ended.
 */
#ifndef SANDLOCK_STORE_KILLS_H
#define SANDLOCK_STORE_KILLS_H

#include <stdint.h>

#include "runtime/base/err.h"

struct store_kills {
	uint64_t memory;  /* processes killed for want of memory */
	uint64_t disk;    /* containers' ends for want of disk: 0 or 1 */
	uint64_t timeout; /* the same for io.sandlock.limits.timeout */
};

int store_write_kills(int dir_fd, const struct store_kills *k, struct sl_err *err);
/* Zeros if there is no such file. */
void store_read_kills(int dir_fd, struct store_kills *ret);

#endif
