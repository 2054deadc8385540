/* SPDX-License-Identifier: Apache-2.0
 *
 * Every wrong field gets an answer that names its path and what was found.
 */
#include "tests/unit/spec/spec_test.h"

static const struct {
	const char *from, *to, *message;
} cases[] = {
	/* types */
	{ "\"uid\":1", "\"uid\":\"1\"", "process.user.uid: expected number, got string" },
	{ "\"uid\":1", "\"uid\":-1", "process.user.uid: expected an integer from 0" },
	{ "\"uid\":1", "\"uid\":4294967296", "process.user.uid: expected an integer from 0" },
	{ "\"uid\":1", "\"uid\":1.0", "process.user.uid: expected an integer" },
	{ "\"umask\":18", "\"umask\":512", "process.user.umask: 512" },
	{ "[3,4]", "[3,\"4\"]", "process.user.additionalGids[1]: expected number, got string" },
	{ "\"-c\"", "7", "process.args[1]: expected string, got number" },
	{ "[\"sh\",\"-c\",\"true\"]", "{}", "process.args: expected array, got object" },
	{ "\"noNewPrivileges\":true", "\"noNewPrivileges\":1",
		"process.noNewPrivileges: expected boolean" },
	{ "\"hostname\":\"box\"", "\"hostname\":[]", "hostname: expected string, got array" },
	{ "{\"k\":\"v\"}", "{\"k\":1}", "annotations.k: expected string, got number" },
	{ "{\"k\":\"v\"}", "{\"\":\"\"}", "annotations: an empty key" },
	{ "{\"limit\":-1}", "{\"limit\":-2}", "linux.resources.memory.limit: expected an integer" },
	{ "{\"limit\":-1}", "{\"reservation\":\"1\"}",
		"linux.resources.memory.reservation: expected number, got string" },
	{ "{\"limit\":-1}", "[]", "linux.resources.memory: expected object, got array" },
	{ "\"resources\":{", "\"resources\":{\"devices\":[{\"allow\":1}],",
		"linux.resources.devices[0].allow: expected boolean" },
	{ "\"resources\":{", "\"resources\":{\"devices\":[{\"type\":\"d\"}],",
		"linux.resources.devices[0].type: unknown device type \"d\"" },
	{ "\"resources\":{", "\"resources\":{\"devices\":[{\"access\":\"rx\"}],",
		"linux.resources.devices[0].access: \"rx\" is not made of r, w and m" },
	{ "\"resources\":{", "\"resources\":{\"devices\":[{\"major\":-2}],",
		"linux.resources.devices[0].major: expected an integer" },
	/* missing */
	{ "\"ociVersion\":\"1.2.0\",", "", "ociVersion: missing" },
	{ "\"root\":{\"path\":\"rootfs\",\"readonly\":true},", "", "root.path: missing" },
	{ "\"path\":\"rootfs\"", "\"path\":\"\"", "root.path: missing" },
	{ "\"cwd\":\"/\",", "", "process.cwd: Cwd property must not be empty" },
	{ "\"args\":[\"sh\",\"-c\",\"true\"],", "", "args must not be empty" },
	{ "[\"sh\",\"-c\",\"true\"]", "[]", "args must not be empty" },
	{ "[\"sh\",\"-c\",\"true\"]", "null", "args must not be empty" },
	{ "\"soft\":10,", "", "process.rlimits[0].soft: missing" },
	{ "\"destination\":\"/proc\",", "", "mounts[0].destination: missing" },
	{ "\"minor\":229", "\"uid\":1", "linux.devices[0].minor: missing" },
	{ "\"defaultAction\":\"SCMP_ACT_ERRNO\",", "", "linux.seccomp.defaultAction: missing" },
	{ "[\"read\"]", "[]", "linux.seccomp.syscalls[0].names: at least one" },
	/* values */
	{ "\"cwd\":\"/\"", "\"cwd\":\"tmp\"", "Cwd must be an absolute path" },
	{ "RLIMIT_NOFILE", "RLIMIT_FOO",
		"process.rlimits[0].type: unknown rlimit type \"RLIMIT_FOO\"" },
	{ "\"soft\":10", "\"soft\":21", "process.rlimits[0]: the soft limit 21 is above" },
	{ "}],\"noNew", "},{\"type\":\"RLIMIT_NOFILE\",\"soft\":1,\"hard\":1}],\"noNew",
		"process.rlimits[1]: RLIMIT_NOFILE is there twice" },
	{ "-998", "-1001", "process.oomScoreAdj: expected an integer from -1000 to 1000" },
	{ "{\"type\":\"pid\"}", "{\"type\":\"pids\"}",
		"linux.namespaces[0].type: unknown namespace type \"pids\"" },
	{ "{\"type\":\"pid\"}", "{\"type\":\"mount\"}",
		"linux.namespaces[1]: duplicated namespace" },
	{ "{\"type\":\"pid\"}", "{\"type\":\"pid\",\"path\":\"x\"}",
		"linux.namespaces[0].path: \"x\" must be an absolute path" },
	{ "\"0-1\"", "\"a\"", "linux.resources.cpu.cpus: \"a\" is not a list" },
	{ "\"type\":\"c\"", "\"type\":\"x\"", "linux.devices[0].type: unknown device type \"x\"" },
	{ "\"/dev/fuse\"", "\"fuse\"", "linux.devices[0].path: \"fuse\" must be an absolute path" },
	{ "SCMP_ACT_ALLOW", "SCMP_ACT_X",
		"linux.seccomp.syscalls[0].action: unknown seccomp action" },
	{ "\"index\":1", "\"index\":6", "linux.seccomp.syscalls[0].args[0].index: expected" },
	{ "SCMP_CMP_EQ", "EQ", "linux.seccomp.syscalls[0].args[0].op: unknown seccomp operator" },
	{ "rslave", "slavish", "linux.rootfsPropagation: unknown propagation \"slavish\"" },
	{ "/proc/kcore", "kcore", "linux.maskedPaths[0]: \"kcore\" must be an absolute path" },
	{ "\"timeout\":5", "\"timeout\":0",
		"hooks.prestart[0].timeout: expected an integer from 1" },
	{ "\"/bin/true\"", "\"true\"",
		"hooks.prestart[0].path: \"true\" must be an absolute path" },
	{ "\"box\"", "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
		"hostname: longer than 64 bytes" },
};

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err;
	struct spec s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_ERR_CONTAINS(load_changed(a, cases[i].from, cases[i].to, &s, &err), err,
			cases[i].message);
	CHECK_ERR_CONTAINS(
		spec_load_buffer(a, "[]", 2, &s, &err), err, "expected object, got array");
	CHECK_ERR_CONTAINS(spec_load_bundle(a, "/proc/self/fdinfo", &s, &err), err,
		"JSON specification file config.json not found");
	CHECK_ERR_CONTAINS(spec_load_bundle(a, "/nonexistent", &s, &err), err, "/nonexistent");
	return check_done();
}
