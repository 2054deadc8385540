/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container's root takes on disk. If the root is an overlay, this is its upper directory:
 * what the container has written. Otherwise it is the whole root.
 *
 * Volumes and tmpfs mounts do not count. A file with several names counts once. A deleted file
 * counts as long as a process has it open.
 */
#ifndef SANDLOCK_LIMITS_LAYER_H
#define SANDLOCK_LIMITS_LAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/members/members.h"

/* Directories in each other. What is deeper cannot be measured, and counts as UINT64_MAX. */
#define LAYER_DEPTH_MAX 128

struct layer {
	int fd;           /* of the directory, readable; -1: an overlay that cannot be written */
	dev_t devices[2]; /* st_dev of a file, seen through the root and in the layer */
};

/* root: the path of the root directory, in the mount namespace of the calling process. */
int layer_open(struct layer *l, const char *root, struct sl_err *err);

/* Measures the files with a name. Returns 0, or -1 with errno if something could not be read. */
int layer_measure(const struct layer *l, uint64_t *ret);

/* Measures deleted files that members have open; a process that cannot be read is left out. */
uint64_t layer_measure_deleted(const struct layer *l, const struct members *m);

/* The bytes in use on the layer's whole file system: never less than what the container has, and
 * known at once. Returns 0 if it cannot be read. */
uint64_t layer_file_system(const struct layer *l);

#endif
