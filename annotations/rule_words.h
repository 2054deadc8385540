/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammars that are a choice of words. 0 means "not set" and has no word. A parser returns 0,
 * or -1 when the value is not one of the words. A renderer returns NULL when nothing is set.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_WORDS_H
#define SANDLOCK_ANNOTATIONS_RULE_WORDS_H

#include "runtime/base/arena.h"

enum rule_switch { RULE_UNSET, RULE_FALSE, RULE_TRUE };

enum rule_rootfs {
	RULE_ROOTFS_UNSET, /* the node decides */
	RULE_ROOTFS_DETACHED,
	RULE_ROOTFS_NAMESPACE,
};

int rule_switch_parse(struct arena *a, const char *value, enum rule_switch *ret);
const char *rule_switch_render(struct arena *a, const enum rule_switch *v);

int rule_rootfs_parse(struct arena *a, const char *value, enum rule_rootfs *ret);
const char *rule_rootfs_render(struct arena *a, const enum rule_rootfs *v);

#endif
