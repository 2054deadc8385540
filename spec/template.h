/* SPDX-License-Identifier: Apache-2.0
 *
 * The config.json that `spec` writes.
 */
#ifndef SANDLOCK_SPEC_TEMPLATE_H
#define SANDLOCK_SPEC_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/arena.h"

/* rootless: for the ids of whoever runs it; the others are root's. */
const char *spec_template_render(struct arena *a, bool rootless, uint32_t uid, uint32_t gid);

#endif
