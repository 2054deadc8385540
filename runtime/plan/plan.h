/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan: bundle, annotations and node policy turned into what will be done. Immutable
 * once built; after it nobody parses anything from the user again. Belongs to the arena.
 */
#ifndef SANDLOCK_PLAN_PLAN_H
#define SANDLOCK_PLAN_PLAN_H

#include "runtime/plan/caps.h"
#include "runtime/plan/fs.h"
#include "runtime/plan/ipc.h"
#include "runtime/plan/net.h"
#include "runtime/plan/node.h"
#include "spec/spec.h"

/* What becomes of a bundle's wish that is neither fulfilled nor refused. */
#define PLAN_NOTES_MAX    4
#define PLAN_WARNINGS_MAX 2

struct plan {
	const char *id;
	const char *bundle; /* absolute */
	const struct spec *spec;
	const struct node_policy *node;
	struct plan_fs fs;
	struct plan_net net;
	struct plan_ipc ipc;
	struct caps_decision main_caps; /* of the main process */
	uint64_t caps_ceiling; /* what init's domain thread keeps to hand on (confine/steps.h) */
	bool trap_uname;       /* the names shown differ from the host's */
	bool has_personality;
	uint32_t personality;
	bool new_keyring;
	const char *notes[PLAN_NOTES_MAX]; /* for the log, and for `policy explain` */
	size_t n_notes;
	const char *warnings[PLAN_WARNINGS_MAX]; /* for stderr as well, where there is no log */
	size_t n_warnings;
};

struct plan_input {
	const char *id;
	const char *bundle; /* absolute */
	const struct spec *spec;
	const struct node_policy *node;
	bool new_keyring;
};

/* Judges the whole bundle; everything that is refused is refused here. */
int plan_build(struct arena *a, const struct plan_input *in, struct plan *ret, struct sl_err *err);

/* The capability sets of one process of the container, main or exec'd: decided against
 * the node policy, and with the fenced view of /proc for uid 0. */
int plan_process_caps(const struct spec_process *p, const struct node_policy *node,
	struct caps_decision *ret, struct sl_err *err);

/* What is told of capabilities that nobody knows; NULL: there are none. */
const char *plan_caps_warning(struct arena *a, const struct spec_process *p);

#endif
