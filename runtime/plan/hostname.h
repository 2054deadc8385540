/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that a bundle gives elsewhere than in the fields hostname and domainname.
 *
 * A container that shares the UTS namespace of its pod has no hostname in its bundle, because the
 * namespace that the bundle names by path has it. Here there are no namespaces, so the name is read
 * from the file that the CRI binds over /etc/hostname.
 */
#ifndef SANDLOCK_PLAN_HOSTNAME_H
#define SANDLOCK_PLAN_HOSTNAME_H

#include "runtime/base/arena.h"
#include "spec/spec.h"

/* Fills spec->hostname and spec->domainname (from the sysctl kernel.domainname) if they are not
 * set. */
void plan_names(struct arena *a, struct spec *spec);

#endif
