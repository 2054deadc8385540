/* SPDX-License-Identifier: Apache-2.0
 *
 * Capabilities without namespaces (capabilities(7)): the kernel checks every bit against
 * the *host*, so a bit may be honoured only when something else fences its use. One table
 * says what fences each bit; docs/security.md prints it.
 */
#ifndef SANDLOCK_PLAN_CAPS_H
#define SANDLOCK_PLAN_CAPS_H

#include <stdio.h>

#include "runtime/plan/node.h"
#include "spec/spec.h"

struct caps_row {
	unsigned int number;
	const char *name; /* "CAP_CHOWN" */
	bool fenced;
	const char *fence; /* what fences its use, or why nothing can */
};

/* Indexed by capability number, 0 … caps_last(). */
const struct caps_row *caps_row(unsigned int number);
unsigned int caps_last(void); /* the newest capability this build knows: 40 */

struct caps_decision {
	struct spec_caps caps; /* what the workload gets */
	uint64_t dropped;      /* asked for, dropped by capabilities.unfenced = drop */
};

/* Decides the five sets. An unfenced bit with capabilities.unfenced = refuse is an error
 * naming the bit, what it would reach, and the node option that accepts it. */
int caps_decide(const struct spec_caps *asked, const struct node_policy *node,
	struct caps_decision *ret, struct sl_err *err);

/* The fenced CAP_SYS_PTRACE that makes `ps` complete for uid 0 (node->proc_complete). */
void caps_add_proc_view(struct spec_caps *caps);

/* The table for docs/security.md. Returns 0, or -1 with errno. */
int caps_print_markdown(FILE *out);

#endif
