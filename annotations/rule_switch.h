/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of what is on or off: "true" or "false".
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_SWITCH_H
#define SANDLOCK_ANNOTATIONS_RULE_SWITCH_H

#include "runtime/base/arena.h"

enum rule_switch { RULE_UNSET, RULE_FALSE, RULE_TRUE };

int rule_switch_parse(struct arena *a, const char *value, enum rule_switch *ret);
const char *rule_switch_render(struct arena *a, const enum rule_switch *v);

#endif
