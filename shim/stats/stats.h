/* SPDX-License-Identifier: Apache-2.0
 *
 * Packs a container's statistics as containerd's message of cgroup metrics.
 */
#ifndef SANDLOCK_SHIM_STATS_STATS_H
#define SANDLOCK_SHIM_STATS_STATS_H

#include "runtime/container/container.h"
#include "shim/proto/proto.h"

#define STATS_TYPE "io.containerd.cgroups.v2.Metrics"

/* Returns 0, or -1: no memory. */
int stats_pack(const struct container_stats *st, struct proto_bytes *ret);

#endif
