/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/plan: which network stack a bundle gets. What is refused about it, and what
 * is logged, is worded here and nowhere else.
 */
#ifndef SANDLOCK_PLAN_STACK_H
#define SANDLOCK_PLAN_STACK_H

#include "runtime/plan/net.h"

/* Looks at the namespace that the bundle names, because a path says nothing about whose it
 * is. Fills the stack's part of *p. */
int plan_net_stack(struct arena *a, const struct spec *spec, const struct node_policy *node,
	struct plan_net *p, struct sl_err *err);

/* For `policy explain`. */
void plan_net_print_stack(const struct plan_net *p, FILE *out);

#endif
