/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/cmd/cmd.h"
#include "runtime/plan/mount_options.h"
#include "runtime/seccomp/profile.h"
#include "spec/features.h"

static const struct flag features_flags[] = { { 0 } };

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

static int features_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const struct spec_features features = {
		.mount_options = mount_options(cli->rt.arena),
		.seccomp_actions = profile_actions(),
		.seccomp_operators = profile_operators(),
		.seccomp_archs = profile_archs(),
		.seccomp_known_flags = profile_known_flags(),
		.seccomp_supported_flags = profile_known_flags(),
		.unsafe_annotations = unsafe_annotations,
		.runtime_version = SANDLOCK_VERSION,
	};
	size_t len;

	(void)f;
	(void)err;
	fputs(spec_features_render(cli->rt.arena, &features, &len), stdout);
	return 0;
}

const struct command cmd_features = {
	.name = "features",
	.usage = "",
	.summary = "print what this runtime supports (JSON)",
	.flags = features_flags,
	.max_args = 0,
	.failure_status = 1,
	.run = features_run,
};
