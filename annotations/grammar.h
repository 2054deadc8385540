/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammars of keys.def. A parser returns 0, or -1 when the value is malformed (the
 * caller names key, value and grammar); a renderer returns NULL when the field is not set.
 * Pure: nothing is opened or resolved here.
 */
#ifndef SANDLOCK_ANNOTATIONS_GRAMMAR_H
#define SANDLOCK_ANNOTATIONS_GRAMMAR_H

#include "annotations/annotations.h"

int annotation_parse_rootfs_mode(
	struct arena *a, const char *value, enum annotation_rootfs_mode *ret);
const char *annotation_render_rootfs_mode(struct arena *a, const enum annotation_rootfs_mode *v);

#endif
