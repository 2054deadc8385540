/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that a bundle gives elsewhere than in the fields hostname and domainname.
 *
 * The name of a container that shares its pod's UTS namespace: its bundle has none, because
 * the namespace that it names by path has it. Without namespaces the same name is in the file
 * that the CRI binds over /etc/hostname, so that is where it comes from.
 */
#ifndef SANDLOCK_PLAN_HOSTNAME_H
#define SANDLOCK_PLAN_HOSTNAME_H

#include "runtime/base/arena.h"
#include "spec/spec.h"

/* Fills spec->hostname and spec->domainname (of the sysctl kernel.domainname) where they are
 * not set. */
void plan_names(struct arena *a, struct spec *spec);

#endif
