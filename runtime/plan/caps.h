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

/* What the node says of capabilities, as a value of its own: a container keeps it for what is
 * exec'd in it later. */
struct caps_rules {
	uint64_t unfenced;    /* bits whose use nothing fences */
	uint32_t on_unfenced; /* enum node_unfenced */
	bool proc_complete;   /* uid 0 gets the fenced CAP_SYS_PTRACE that makes `ps` complete */
};

struct caps_rules caps_rules_of(const struct node_policy *node);

struct caps_decision {
	struct spec_caps caps; /* what the workload gets */
	uint64_t dropped;      /* asked for, dropped by capabilities.unfenced = drop */
};

/* Decides the five sets. An unfenced bit with capabilities.unfenced = refuse is an error
 * naming the bit, what it would reach, and the node option that accepts it. */
int caps_decide(const struct spec_caps *asked, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err);

/* The sets of one process of the container, main or exec'd: decided, and with the fenced view of
 * /proc for uid 0. */
int caps_of_process(const struct spec_process *p, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err);

/* The table for docs/security.md. Returns 0, or -1 with errno. */
int caps_print_markdown(FILE *out);

#endif
