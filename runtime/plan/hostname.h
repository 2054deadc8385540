/* SPDX-License-Identifier: Apache-2.0
 *
 * The name of a container that shares its pod's UTS namespace: its bundle has none, because
 * the namespace that it names by path has it. Without namespaces the same name is in the file
 * that the CRI binds over /etc/hostname, so that is where it comes from.
 */
#ifndef SANDLOCK_PLAN_HOSTNAME_H
#define SANDLOCK_PLAN_HOSTNAME_H

#include "runtime/base/arena.h"
#include "spec/spec.h"

/* Fills spec->hostname where the above holds; otherwise leaves it. */
void plan_pod_hostname(struct arena *a, struct spec *spec);

#endif
