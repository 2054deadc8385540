/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of ports, and the grammar of those that may be bound: 0 to 65535, "8080,9000-9100", items
 * also separated by ';', or "*".
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_PORTS_H
#define SANDLOCK_ANNOTATIONS_RULE_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"

/* Both ends are part of the range. */
struct rule_ports {
	uint16_t first;
	uint16_t last;
};

struct rule_bind {
	const struct rule_ports *ports; /* sorted, disjoint, not touching */
	size_t n;
	bool any; /* "*" */
};

int rule_bind_parse_allow(struct arena *a, const char *value, struct rule_bind *ret);
int rule_bind_parse_deny(struct arena *a, const char *value, struct rule_bind *ret);
const char *rule_bind_render(struct arena *a, const struct rule_bind *b);

/* Sorts and merges in place; the result is sorted, disjoint and without adjacent ranges. Returns
 * the new number. */
size_t rule_ports_merge(struct rule_ports *ports, size_t n);

#endif
