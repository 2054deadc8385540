/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container/container.h"
#include "runtime/plan/mount_options.h"
#include "runtime/seccomp/profile.h"
#include "spec/features.h"

static const char *const unsafe_annotations[] = { "io.sandlock.", NULL };

static const char *const *mount_options(struct arena *a)
{
	const char **list;
	size_t n = 0;

	while (mount_options_name(n))
		n++;
	list = arena_array(a, n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = mount_options_name(i);
	return list;
}

const char *container_features(struct arena *a, size_t *ret_len)
{
	const struct spec_features features = {
		.mount_options = mount_options(a),
		.seccomp_actions = profile_actions(),
		.seccomp_operators = profile_operators(),
		.seccomp_archs = profile_archs(),
		.seccomp_known_flags = profile_known_flags(),
		.seccomp_supported_flags = profile_known_flags(),
		.unsafe_annotations = unsafe_annotations,
		.runtime_version = SANDLOCK_VERSION,
	};

	return spec_features_render(a, &features, ret_len);
}
