/* SPDX-License-Identifier: Apache-2.0
 *
 * The config.json that the command `spec` writes.
 */
#ifndef SANDLOCK_SPEC_TEMPLATE_H
#define SANDLOCK_SPEC_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/arena.h"

/* rootless: the template for a caller that is not root, whose process has these ids. Otherwise the
 * process is root, and uid and gid are not used. */
const char *spec_template_render(struct arena *a, bool rootless, uint32_t uid, uint32_t gid);

#endif
