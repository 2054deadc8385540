/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/features.h"

#include "runtime/base/json.h"
#include "spec/load.h"

static void gen_strings(struct json_gen *g, const char *key, const char *const *list)
{
	json_gen_key(g, key);
	json_gen_array(g);
	for (; list && *list; list++)
		json_gen_string(g, *list);
	json_gen_end(g);
}

static void gen_enabled(struct json_gen *g, const char *key, bool value)
{
	json_gen_key(g, key);
	json_gen_object(g);
	json_gen_member_bool(g, "enabled", value);
	json_gen_end(g);
}

static void gen_capabilities(struct json_gen *g)
{
	json_gen_key(g, "capabilities");
	json_gen_array(g);
	for (unsigned int i = 0; spec_cap_name(i); i++)
		json_gen_string(g, spec_cap_name(i));
	json_gen_end(g);
}

static void gen_cgroup(struct json_gen *g)
{
	json_gen_key(g, "cgroup");
	json_gen_object(g);
	json_gen_member_bool(g, "v1", false);
	json_gen_member_bool(g, "v2", false);
	json_gen_member_bool(g, "systemd", false);
	json_gen_member_bool(g, "systemdUser", false);
	json_gen_member_bool(g, "rdma", false);
	json_gen_end(g);
}

static void gen_seccomp(struct json_gen *g, const struct spec_features *f)
{
	json_gen_key(g, "seccomp");
	json_gen_object(g);
	json_gen_member_bool(g, "enabled", true);
	gen_strings(g, "actions", f->seccomp_actions);
	gen_strings(g, "operators", f->seccomp_operators);
	gen_strings(g, "archs", f->seccomp_archs);
	gen_strings(g, "knownFlags", f->seccomp_known_flags);
	gen_strings(g, "supportedFlags", f->seccomp_supported_flags);
	json_gen_end(g);
}

static void gen_words(struct json_gen *g, const char *key, const struct read_word *words, size_t n)
{
	json_gen_key(g, key);
	json_gen_array(g);
	for (size_t i = 0; i < n; i++)
		json_gen_string(g, words[i].word);
	json_gen_end(g);
}

static void gen_memory_policy(struct json_gen *g)
{
	json_gen_key(g, "memoryPolicy");
	json_gen_object(g);
	gen_words(g, "modes", load_memory_modes, load_n_memory_modes);
	gen_words(g, "flags", load_memory_flags, load_n_memory_flags);
	json_gen_end(g);
}

static void gen_linux(struct json_gen *g, const struct spec_features *f)
{
	json_gen_key(g, "linux");
	json_gen_object(g);
	/* No namespace is ever created. Since "user" is missing here, a kubelet sends no pods with
	 * id mappings. */
	gen_strings(g, "namespaces", NULL);
	gen_capabilities(g);
	gen_cgroup(g);
	gen_seccomp(g, f);
	gen_enabled(g, "apparmor", true);
	gen_enabled(g, "selinux", true);
	gen_enabled(g, "intelRdt", false);
	gen_memory_policy(g);
	json_gen_key(g, "mountExtensions");
	json_gen_object(g);
	gen_enabled(g, "idmap", true);
	json_gen_end(g);
	gen_enabled(g, "netDevices", false);
	json_gen_end(g);
}

static void gen_annotations(struct json_gen *g, const struct spec_features *f)
{
	json_gen_key(g, "annotations");
	json_gen_object(g);
	if (f->libseccomp_version) {
		json_gen_member_string(
			g, "io.github.seccomp.libseccomp.version", f->libseccomp_version);
	}
	json_gen_member_string(g, "io.sandlock.version", f->runtime_version);
	json_gen_end(g);
}

const char *spec_features_render(struct arena *a, const struct spec_features *f, size_t *ret_len)
{
	static const char *const hooks[] = {
		"prestart",
		"createRuntime",
		"createContainer",
		"startContainer",
		"poststart",
		"poststop",
		NULL,
	};
	struct json_gen *g = json_gen_new(a, true);

	json_gen_object(g);
	json_gen_member_string(g, "ociVersionMin", SPEC_VERSION_MIN);
	json_gen_member_string(g, "ociVersionMax", SPEC_VERSION_MAX);
	gen_strings(g, "hooks", hooks);
	gen_strings(g, "mountOptions", f->mount_options);
	gen_linux(g, f);
	gen_annotations(g, f);
	gen_strings(g, "potentiallyUnsafeConfigAnnotations", f->unsafe_annotations);
	json_gen_end(g);
	return json_gen_take(g, ret_len);
}
