/* SPDX-License-Identifier: Apache-2.0
 *
 * The Features structure (features.md, features-linux.md), which `features` prints. The caller
 * passes the lists, because spec does not know the rooms that own them.
 */
#ifndef SANDLOCK_SPEC_FEATURES_H
#define SANDLOCK_SPEC_FEATURES_H

#include <stddef.h>

#include "runtime/base/arena.h"

#define SPEC_VERSION_MIN "1.0.0"
#define SPEC_VERSION_MAX "1.3.0"

/* Lists are NULL-terminated; NULL is an empty list. */
struct spec_features {
	const char *const *mount_options;
	const char *const *seccomp_actions;
	const char *const *seccomp_operators;
	const char *const *seccomp_archs;
	const char *const *seccomp_known_flags;
	const char *const *seccomp_supported_flags;
	const char *const *unsafe_annotations; /* names, or prefixes that end in "." */
	const char *libseccomp_version;        /* NULL: left out */
	const char *runtime_version;
};

/* Returns one JSON document that ends with a newline. */
const char *spec_features_render(struct arena *a, const struct spec_features *f, size_t *ret_len);

#endif
