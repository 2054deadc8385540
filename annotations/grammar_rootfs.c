/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "annotations/grammar.h"

int annotation_parse_rootfs_mode(
	struct arena *a, const char *value, enum annotation_rootfs_mode *ret)
{
	(void)a;
	if (strcmp(value, "detached") == 0)
		*ret = ANNOTATION_ROOTFS_DETACHED;
	else if (strcmp(value, "namespace") == 0)
		*ret = ANNOTATION_ROOTFS_NAMESPACE;
	else
		return -1;
	return 0;
}

const char *annotation_render_rootfs_mode(struct arena *a, const enum annotation_rootfs_mode *v)
{
	(void)a;
	switch (*v) {
	case ANNOTATION_ROOTFS_UNSET: return NULL;
	case ANNOTATION_ROOTFS_DETACHED: return "detached";
	case ANNOTATION_ROOTFS_NAMESPACE: return "namespace";
	}
	return NULL;
}
