/* SPDX-License-Identifier: Apache-2.0
 *
 * A good document arrives complete.
 */
#include "tests/unit/spec/spec_test.h"

static void process(const struct spec_process *p)
{
	CHECK(p->n_args == 3 && p->args[3] == NULL);
	CHECK_STR(p->args[2], "true");
	/* The order and duplicates are kept (plan/env.h makes one of them). */
	CHECK(p->n_env == 4);
	CHECK_STR(p->env[1], "A=1");
	CHECK_STR(p->env[2], "EQ==");
	CHECK(p->uid == 1 && p->gid == 2 && p->has_umask && p->umask == 022);
	CHECK(p->n_additional_gids == 2 && p->additional_gids[1] == 4);
	CHECK(p->caps.set && p->caps.bounding == ((UINT64_C(1) << 0) | (UINT64_C(1) << 5)));
	CHECK(p->caps.effective == 0);
	CHECK(p->n_rlimits == 1 && p->rlimits[0].resource == RLIMIT_NOFILE);
	CHECK(p->rlimits[0].soft == 10 && p->rlimits[0].hard == 20);
	CHECK(p->no_new_privileges && p->has_oom_score_adj && p->oom_score_adj == -998);
}

static void linux_part(const struct spec_linux *l)
{
	CHECK(l->set && l->n_namespaces == 2 && l->namespaces[1].path == NULL);
	CHECK(l->resources.has_memory_limit && l->resources.memory_limit == -1);
	CHECK(!l->resources.has_pids_limit);
	CHECK_STR(l->resources.cpus, "0-1");
	CHECK(l->n_devices == 1 && l->devices[0].minor == 229 && !l->devices[0].has_mode);
	CHECK(l->seccomp.set && l->seccomp.n_rules == 1);
	CHECK(l->seccomp.rules[0].args[0].value == UINT64_MAX);
	CHECK(l->seccomp.rules[0].args[0].op == SPEC_SECCOMP_EQ);
	CHECK(l->n_sysctl == 1 && l->n_masked_paths == 1);
	CHECK(l->n_readonly_paths == 0 && l->readonly_paths != NULL);
	CHECK_STR(l->rootfs_propagation, "rslave");
}

static void versions(struct arena *a)
{
	static const char *const good[] = { "1.0", "1.0.0", "1.0.2-dev", "1.1.0+dev", "1.2.1",
		"1.3.0-rc.1", "1.3.0", "1.99.7" };
	static const char *const bad[] = { "", "1", "1.", "2.0", "0.9.0", "1.x", "1.0.0.0", "1.0-",
		"1.0 ", "11.0", "v1.0" };
	struct sl_err err;
	struct spec s;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(load_changed(a, "1.2.0", good[i], &s, &err) == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_ERR_CONTAINS(load_changed(a, "1.2.0", bad[i], &s, &err), err, "ociVersion: ");
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err = { 0 };
	struct spec s = { 0 };

	CHECK(spec_load_buffer(a, GOOD_SPEC, strlen(GOOD_SPEC), &s, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK_STR(s.root_path, "rootfs");
	CHECK(s.root_readonly && s.has_process);
	CHECK_STR(s.hostname, "box");
	CHECK(s.n_mounts == 2 && s.mounts[0].options == NULL);
	CHECK_STR(s.mounts[1].destination, "/data");
	CHECK(s.hooks.prestart.n == 1 && s.hooks.prestart.items[0].timeout_seconds == 5);
	CHECK(s.hooks.prestart.items[0].args[1] == NULL);
	CHECK(s.n_annotations == 1);
	CHECK_STR(s.annotations[0].key, "k");
	CHECK_STR(s.annotations[0].value, "v");
	process(&s.process);
	linux_part(&s.linux_);
	versions(a);
	return check_done();
}
