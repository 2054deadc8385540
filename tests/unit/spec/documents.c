/* SPDX-License-Identifier: Apache-2.0
 *
 * The documents that others decode: state, features, the template.
 */
#include "spec/features.h"
#include "spec/state_doc.h"
#include "spec/support.h"
#include "spec/template.h"
#include "tests/unit/check.h"

static void state(struct arena *a)
{
	struct key_value kv[] = { { "a", "b\"" } };
	struct spec_state s = {
		.oci_version = "1.0.2",
		.id = "x",
		.pid = 42,
		.status = "created",
		.bundle = "/b",
		.rootfs = "/b/rootfs",
		.created = { .tv_sec = 1767323045, .tv_nsec = 7 },
		.annotations = kv,
		.n_annotations = 1,
		.owner = "root",
	};

	CHECK_STR(spec_state_render(a, &s, false, NULL),
		"{\"ociVersion\":\"1.0.2\",\"id\":\"x\",\"pid\":42,\"status\":\"created\","
		"\"bundle\":\"/b\",\"rootfs\":\"/b/rootfs\","
		"\"created\":\"2026-01-02T03:04:05.000000007Z\","
		"\"annotations\":{\"a\":\"b\\\"\"},\"owner\":\"root\"}");
	s.owner = NULL;
	s.n_annotations = 0;
	CHECK_CONTAINS(spec_state_render(a, &s, false, NULL), "\"annotations\":{},\"owner\":\"\"}");
	CHECK_CONTAINS(spec_state_render(a, &s, true, NULL), "\n  \"pid\": 42,\n");
}

static void features(struct arena *a)
{
	static const char *const actions[] = { "SCMP_ACT_ALLOW", NULL };
	static const char *const unsafe[] = { "io.sandlock.", NULL };
	struct spec_features f = {
		.seccomp_actions = actions,
		.unsafe_annotations = unsafe,
		.runtime_version = "0.0",
	};
	const struct json *j = NULL, *linux_;
	const char *text;
	struct sl_err err;
	size_t len = 0;

	text = spec_features_render(a, &f, &len);
	CHECK(json_parse(a, text, len, &j, &err) == 0);
	CHECK_STR(json_get(j, "ociVersionMin")->text, "1.0.0");
	CHECK_STR(json_get(j, "ociVersionMax")->text, "1.3.0");
	CHECK(json_get(j, "hooks")->n == 6 && json_get(j, "mountOptions")->n == 0);
	linux_ = json_get(j, "linux");
	CHECK(json_get(linux_, "namespaces")->n == 0);
	CHECK(json_get(linux_, "capabilities")->n == 41);
	CHECK(json_get(json_get(linux_, "seccomp"), "actions")->n == 1);
	CHECK(!json_get(json_get(linux_, "cgroup"), "v2")->boolean);
	CHECK_STR(
		json_get(j, "potentiallyUnsafeConfigAnnotations")->items[0]->text, "io.sandlock.");
}

static void template(struct arena *a)
{
	struct sl_err err = { 0 };
	const char *text;
	struct spec s;

	text = spec_template_render(a, false, 7, 7);
	CHECK(spec_load_buffer(a, text, strlen(text), &s, &err) == 0);
	CHECK(support_check(&s, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(s.process.uid == 0 && s.n_mounts == 7 && s.linux_.n_namespaces == 5);
	text = spec_template_render(a, true, 7, 8);
	CHECK(spec_load_buffer(a, text, strlen(text), &s, &err) == 0);
	CHECK(support_check(&s, &err) == 0);
	CHECK(s.process.uid == 7 && s.process.gid == 8 && s.linux_.n_namespaces == 4);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();

	state(a);
	features(a);
	template(a);
	return check_done();
}
