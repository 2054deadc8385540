/* SPDX-License-Identifier: Apache-2.0
 *
 * io.sandlock.limits.disk where the file system has no project quotas for the runtime: a thread of
 * the supervisor measures the layer (layer.h) and says when it is too large. So the limit can be
 * exceeded by what is written until the next measurement.
 *
 * The layer cannot have grown by more than its whole file system has. So it is measured when the
 * file system has grown by half of what is left, and otherwise rarely, because space that somebody
 * else frees hides growth. While the container sleeps nothing is measured.
 *
 * Errors: disk_start() returns an error; after it has returned, the thread never ends. If the layer
 * cannot be read, the last result counts.
 */
#ifndef SANDLOCK_LIMITS_DISK_H
#define SANDLOCK_LIMITS_DISK_H

#include "runtime/limits/layer.h"

/* How often the file system is looked at while the container runs; and how much later than this,
 * at most, a layer that grows unseen is measured if a measurement takes no time. Measurements take
 * at most a twentieth of a processor. */
#define DISK_LOOK_MS 100
#define DISK_SLOW_MS 10000

struct disk;

/* The layer is found by the path of the root directory, before the supervisor is confined. Returns
 * NULL with *err on failure. */
struct disk *disk_open(const char *root, uint64_t limit, struct sl_err *err);

/* Starts the thread, which first calls confine() (0, or -1 with errno). *members is copied. */
int disk_start(
	struct disk *d, const struct members *members, int (*confine)(void), struct sl_err *err);

/* An eventfd(2) that is readable when the limit is exceeded. */
int disk_event_fd(const struct disk *d);

/* The bytes of the layer at the last measurement. */
uint64_t disk_held(const struct disk *d);

#endif
