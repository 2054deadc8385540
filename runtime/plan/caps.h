/* SPDX-License-Identifier: Apache-2.0
 *
 * Capabilities without namespaces (capabilities(7)). The kernel checks every capability against the
 * host, so one can be granted only if something else limits its use. One table says what limits
 * each of them; docs/security.md contains it.
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
	const char *fence; /* what limits its use, or why nothing can */
};

/* Indexed by capability number, 0 … caps_last(). */
const struct caps_row *caps_row(unsigned int number);
unsigned int caps_last(void); /* the newest capability that this build knows: 40 */

/* The node's rules for capabilities. A container keeps a copy for processes that are exec'd
 * later. */
struct caps_rules {
	uint64_t unfenced;    /* capabilities whose use nothing limits */
	uint32_t on_unfenced; /* enum node_unfenced */
	/* uid 0 gets a limited CAP_SYS_PTRACE, so that `ps` shows all processes */
	bool proc_complete;
};

struct caps_rules caps_rules_of(const struct node_policy *node);

struct caps_decision {
	struct spec_caps caps; /* what the workload gets */
	uint64_t dropped;      /* requested, but dropped by capabilities.unfenced = drop */
};

/* Decides the five sets. If an unfenced capability is requested and capabilities.unfenced is
 * refuse, the error names the capability, what it would reach, and the node's option that accepts
 * it. */
int caps_decide(const struct spec_caps *asked, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err);

/* The sets of one process of the container, main or exec'd, with CAP_SYS_PTRACE for uid 0 if
 * proc_complete is set. */
int caps_of_process(const struct spec_process *p, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err);

/* Prints the table for docs/security.md. Returns 0, or -1 with errno. */
int caps_print_markdown(FILE *out);

#endif
