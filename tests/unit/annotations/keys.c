/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of ours are judged, others are left alone, and what was rendered parses back.
 */
#include "annotations/annotations.h"
#include "tests/unit/check.h"

static int parse1(struct arena *a, const char *key, const char *value, struct annotations *an,
	struct sl_err *err)
{
	struct key_value kv[] = { { "io.kubernetes.cri.sandbox-id", "x" }, { key, value } };

	return annotations_parse(a, kv, 2, an, err);
}

static void round_trip(struct arena *a, const char *key, const char *value)
{
	struct annotations an, again;
	struct key_value *kvs;
	struct sl_err err;
	size_t n = 0;

	CHECK(parse1(a, key, value, &an, &err) == 0);
	annotations_render(a, &an, &kvs, &n);
	CHECK(n == 1);
	CHECK_STR(kvs[0].key, key);
	CHECK(annotations_parse(a, kvs, n, &again, &err) == 0);
	CHECK(memcmp(&an, &again, sizeof(an)) == 0);
}

int main(void)
{
	static const char *const bad[] = { "", "0", "-1", "+1", " 1", "1 ", "1x", "1ss", "0x10",
		"18446744073709551616", "99999999999h", "1.5" };
	auto_arena struct arena *a = arena_new();
	struct key_value *kvs;
	struct annotations an;
	struct sl_err err;
	size_t n = 1;

	round_trip(a, "io.sandlock.rootfs.mode", "namespace");
	round_trip(a, "io.sandlock.rootfs.mode", "detached");
	round_trip(a, "io.sandlock.limits.memory", "64M");
	round_trip(a, "io.sandlock.limits.memory_mode", "deny");
	round_trip(a, "io.sandlock.limits.processes", "4194304");
	round_trip(a, "io.sandlock.limits.open_files", "1");
	round_trip(a, "io.sandlock.limits.timeout", "90");
	round_trip(a, "io.sandlock.limits.disk", "10G");
	round_trip(a, "io.sandlock.gpu", "all");
	round_trip(a, "io.sandlock.gpu", "0,3,63");
	CHECK(parse1(a, "io.sandlock.gpu", "64", &an, &err) < 0);
	CHECK(parse1(a, "io.sandlock.gpu", "1,1", &an, &err) < 0);
	CHECK(parse1(a, "io.sandlock.gpu", "1,", &an, &err) < 0);
	round_trip(a, "io.sandlock.proc.cpus", "2");
	round_trip(a, "io.sandlock.proc.virtual", "false");
	CHECK(parse1(a, "io.sandlock.limits.timeout", "2h", &an, &err) == 0);
	CHECK(an.limits_timeout == 7200);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.limits.processes", bad[i], &an, &err),
			err, "malformed, expected: 1 to 4194304");
		CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.limits.timeout", bad[i], &an, &err), err,
			"malformed, expected: n[s|m|h]");
	}
	CHECK(parse1(a, "io.sandlockx", "", &an, &err) == 0);
	CHECK(an.rootfs_mode == RULE_ROOTFS_UNSET);
	annotations_render(a, &an, &kvs, &n);
	CHECK(n == 0);
	CHECK(annotations_parse(a, NULL, 0, &an, &err) == 0);

	CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.rootfs.mod", "attach", &an, &err), err,
		"\"io.sandlock.rootfs.mod\" is unknown, the nearest known key is "
		"io.sandlock.rootfs.mode");
	CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.", "", &an, &err), err, "is unknown");
	CHECK_ERR_CONTAINS(parse1(a, "io.sandlock", "", &an, &err), err, "is unknown");
	CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.rootfs.mode", "Attach", &an, &err), err,
		"io.sandlock.rootfs.mode: \"Attach\" is malformed, expected: detached | namespace");
	CHECK_ERR_CONTAINS(parse1(a, "io.sandlock.rootfs.mode", "", &an, &err), err, "malformed");

	/* Every key of the list says what it takes and what it is for. */
	for (size_t i = 0; i < n; i++)
		CHECK(annotation_keys(&n)[i].help[0] && annotation_keys(&n)[i].grammar[0]);
	return check_done();
}
