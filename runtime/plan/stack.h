/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/plan: decides which network stack a bundle gets. All messages about it, errors and
 * notes, are here.
 */
#ifndef SANDLOCK_PLAN_STACK_H
#define SANDLOCK_PLAN_STACK_H

#include "runtime/plan/net.h"

/* Examines the namespace that the bundle names, because a path does not show whose it is. Fills the
 * fields of *p about the stack. */
int plan_net_stack(struct arena *a, const struct spec *spec, const struct node_policy *node,
	struct plan_net *p, struct sl_err *err);

/* For `policy explain`. */
void plan_net_print_stack(const struct plan_net *p, FILE *out);

#endif
