/* SPDX-License-Identifier: Apache-2.0
 *
 * What the table says about a document: refusals name field, value and remedy; nothing
 * that is present goes without a line.
 */
#include "spec/support.h"

#include <unistd.h>

#include "tests/unit/spec/spec_test.h"

static const struct spec_present *present(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_present; i++)
		if (strcmp(s->present[i].full_path, path) == 0)
			return &s->present[i];
	return NULL;
}

static enum support_how how(const struct spec *s, const char *path)
{
	const struct spec_present *p = present(s, path);

	if (!CHECK(p != NULL)) {
		printf("# no line for %s\n", path);
		return SUPPORT_REFUSED;
	}
	return support_of(s, p).how;
}

/* Loads the good document with more members of linux and checks it. */
static int check_linux(struct arena *a, const char *more, struct spec *s, struct sl_err *err)
{
	char *to = arena_printf(a, "\"linux\":{%s,", more);

	if (load_changed(a, "\"linux\":{", to, s, err) < 0)
		return -2;
	return support_check(s, err);
}

static const struct {
	const char *linux_, *message;
} refused[] = {
	{ "\"intelRdt\":{\"closID\":\"x\"}", "linux.intelRdt: {closID:\"x\"} is refused" },
	{ "\"timeOffsets\":{\"monotonic\":{\"secs\":1}}", "linux.timeOffsets: " },
	{ "\"netDevices\":{\"eth0\":{}}", "linux.netDevices: " },
	{ "\"mountLabel\":\"x\"", "linux.mountLabel: " },
	{ "\"personality\":{\"domain\":\"LINUX\",\"flags\":[\"x\"]}", "linux.personality.flags: " },
	{ "\"uidMappings\":[{\"containerID\":0,\"hostID\":1,\"size\":1}]", "linux.uidMappings: " },
};

static void refusals(struct arena *a)
{
	struct sl_err err;
	struct spec s;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK_ERR_CONTAINS(
			check_linux(a, refused[i].linux_, &s, &err), err, refused[i].message);
	CHECK(load_changed(a, "\"hostname\"", "\"windows\":{\"x\":1},\"hostname\"", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "windows: {x:1} is refused");
	CHECK(load_changed(a, "SCMP_ACT_ALLOW", "SCMP_ACT_NOTIFY", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "other than SCMP_ACT_NOTIFY");
	CHECK(load_changed(a, "\"type\":\"proc\"", "\"type\":\"ext4\"", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "mounts[0]: {destination:\"/proc\"");
	CHECK(load_changed(a, "net.core.somaxconn", "kernel.core_pattern", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "linux.sysctl.kernel.core_pattern: \"1\"");
	CHECK(load_changed(a, "net.core.somaxconn", "kernel.shmmax", &s, &err) == 0);
	CHECK(support_check(&s, &err) == 0);
}

static void namespaces(struct arena *a)
{
	struct sl_err err;
	struct spec s;

	CHECK(load_changed(a, "{\"type\":\"pid\"}", "{\"type\":\"network\"}", &s, &err) == 0);
	CHECK(support_check(&s, &err) == 0);
	CHECK(how(&s, "linux.namespaces[0]") == SUPPORT_APPROXIMATED);
	CHECK(load_changed(a, "{\"type\":\"pid\"}", "{\"type\":\"user\"}", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "no user namespace");
	CHECK(check_linux(a,
		      "\"uidMappings\":[{\"containerID\":5,\"hostID\":5,\"size\":9}],"
		      "\"gidMappings\":[]",
		      &s, &err) == 0);

	/* A path must be a namespace of the type that is said. */
	CHECK(load_changed(a, "{\"type\":\"pid\"}",
		      "{\"type\":\"network\",\"path\":\"/proc/self/ns/net\"}", &s, &err) == 0);
	CHECK(support_check(&s, &err) == 0);
	CHECK(load_changed(a, "{\"type\":\"pid\"}",
		      "{\"type\":\"network\",\"path\":\"/proc/self/ns/ipc\"}", &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "namespace of another type");
	CHECK(load_changed(a, "{\"type\":\"pid\"}", "{\"type\":\"network\",\"path\":\"/dev/null\"}",
		      &s, &err) == 0);
	CHECK_ERR_CONTAINS(support_check(&s, &err), err, "not a namespace");
}

static void labels(struct arena *a)
{
	struct sl_err err;
	struct spec s;

	CHECK(load_changed(a, "\"cwd\"", "\"apparmorProfile\":\"p\",\"cwd\"", &s, &err) == 0);
	if (access("/sys/module/apparmor/parameters/enabled", F_OK) < 0)
		CHECK_ERR_CONTAINS(support_check(&s, &err), err, "AppArmor is not enabled");
	CHECK(load_changed(a, "\"cwd\"", "\"selinuxLabel\":\"p\",\"cwd\"", &s, &err) == 0);
	if (access("/sys/fs/selinux/enforce", F_OK) < 0)
		CHECK_ERR_CONTAINS(support_check(&s, &err), err, "SELinux is not enabled");
}

static void lines(struct arena *a)
{
	struct sl_err err;
	struct spec s;

	CHECK(check_linux(a, "\"future\":{\"x\":1},\"timeOffsets\":{},\"intelRdt\":null", &s,
		      &err) == 0);
	CHECK(how(&s, "linux.future") == SUPPORT_IGNORED);
	CHECK(present(&s, "linux.future")->row == NULL);
	CHECK(how(&s, "linux.timeOffsets") == SUPPORT_IGNORED);
	CHECK(present(&s, "linux.intelRdt") == NULL);
	CHECK(how(&s, "process.args") == SUPPORT_HONOURED);
	CHECK(how(&s, "mounts[1]") == SUPPORT_HONOURED);
	CHECK(how(&s, "linux.resources.memory.limit") == SUPPORT_APPROXIMATED);
	CHECK(how(&s, "linux.resources.cpu.cpus") == SUPPORT_HONOURED);
	CHECK(how(&s, "linux.sysctl.net.core.somaxconn") == SUPPORT_APPROXIMATED);
	CHECK(how(&s, "annotations.k") == SUPPORT_HONOURED);
	CHECK(load_changed(a, "\"soft\":10", "\"softer\":1,\"soft\":10", &s, &err) == 0);
	CHECK(how(&s, "process.rlimits[0].softer") == SUPPORT_IGNORED);
}

/* Members follow their parents without a gap: support_find() relies on it. */
static void table(void)
{
	const struct support_row *rows;
	size_t n;

	rows = support_table(&n);
	for (size_t i = 0; i < n; i++) {
		const struct support_row *parent = NULL;
		char field[128];
		char *key = field;

		snprintf(field, sizeof(field), "%s", rows[i].field);
		for (char *dot; (dot = strchr(key, '.')); key = dot + 1) {
			*dot = '\0';
			parent = support_find(parent, key);
		}
		if (support_find(parent, key) != &rows[i]) {
			CHECK_NOT_REACHED("found where it stands");
			printf("# %s\n", rows[i].field);
		}
		if (rows[i].verdict.how == SUPPORT_REFUSED && rows[i].judge)
			CHECK(rows[i].verdict.remedy != NULL);
	}
	CHECK(n > 150);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();

	refusals(a);
	namespaces(a);
	labels(a);
	lines(a);
	table();
	return check_done();
}
