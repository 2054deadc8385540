/* SPDX-License-Identifier: Apache-2.0
 *
 * Every option name, and what the plan refuses.
 */
#include <string.h>
#include <sys/mount.h>

#include "runtime/plan/mount_options.h"
#include "tests/unit/check.h"

static struct arena *a;
static struct sl_err err;

static int parse(const char *type, const char *options, struct plan_mount *ret)
{
	struct spec_mount m = { .destination = (char *)"/x", .type = (char *)type };
	char *list = arena_strdup(a, options), *word;

	memset(ret, 0, sizeof(*ret));
	m.options = arena_array(a, 64, sizeof(char *));
	while ((word = strsep(&list, " ")) != NULL)
		if (*word)
			m.options[m.n_options++] = word;
	return mount_options_parse(a, &m, ret, &err);
}

static struct plan_mount good(const char *type, const char *options)
{
	struct plan_mount m;

	if (!CHECK(parse(type, options, &m) == 0))
		printf("# %s [%s]: %s\n", type, options, err.msg);
	return m;
}

static void check_kinds(void)
{
	CHECK(good("", "bind").kind == PLAN_MOUNT_BIND);
	CHECK(good("none", "rbind ro").kind == PLAN_MOUNT_BIND);
	CHECK(good("none", "rbind ro").recursive);
	CHECK(!good("bind", "ro").recursive);
	CHECK(good("rbind", "").recursive);
	CHECK(good("tmpfs", "").kind == PLAN_MOUNT_TMPFS);
	CHECK(good("cgroup2", "ro nsdelegate").kind == PLAN_MOUNT_CGROUP);
	CHECK(good("mqueue", "").kind == PLAN_MOUNT_MQUEUE);
	CHECK(good("overlay", "lowerdir=/a").kind == PLAN_MOUNT_OVERLAY);
}

static void check_attributes(void)
{
	struct plan_mount m = good("bind", "ro nosuid noexec noatime");

	CHECK(m.attr_set == (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC |
				    MOUNT_ATTR_NOATIME | MOUNT_ATTR_NODEV));
	CHECK(m.attr_clear == MOUNT_ATTR__ATIME);
	m = good("bind", "ro rw suid dev exec");
	CHECK(m.attr_set == MOUNT_ATTR_NODEV); /* never cleared */
	CHECK(m.attr_clear == (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
	m = good("bind", "noatime strictatime");
	CHECK((m.attr_set & MOUNT_ATTR__ATIME) == MOUNT_ATTR_STRICTATIME);
	m = good("bind", "rbind rro rnosuid rexec rnoatime rnodev");
	CHECK(m.attr_rec_set ==
		(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME));
	CHECK(m.attr_rec_clear == (MOUNT_ATTR_NOEXEC | MOUNT_ATTR__ATIME));
	m = good("bind", "rbind rdev");
	CHECK(m.attr_rec_set & MOUNT_ATTR_NODEV);
	CHECK(good("sysfs", "rw").attr_set & MOUNT_ATTR_RDONLY);
	CHECK(good("cgroup", "rw").attr_set & MOUNT_ATTR_RDONLY);
	CHECK(!(good("devpts", "nosuid").attr_set & MOUNT_ATTR_NODEV));
}

static void check_rest(void)
{
	struct plan_mount m;

	CHECK(good("bind", "rprivate").propagation == MS_PRIVATE);
	CHECK(good("bind", "rslave").propagation == MS_SLAVE);
	CHECK(good("bind", "rshared").propagation == MS_SHARED);
	CHECK(good("bind", "").propagation == MS_PRIVATE);
	m = good("tmpfs", "size=64m mode=1777 tmpcopyup sync");
	CHECK(m.copy_up && m.n_fs_options == 3);
	CHECK_STR(m.fs_options[0].key, "size");
	CHECK_STR(m.fs_options[0].value, "64m");
	CHECK_STR(m.fs_options[2].key, "sync");
	CHECK(m.fs_options[2].value == NULL);
	CHECK(good("bind", "mode=755 uid=1 sync remount").n_fs_options == 0);
	CHECK(good("proc", "hidepid=0").n_fs_options == 0);
}

/* Every name of the table is accepted by the kind it is meant for. */
static void check_every_name(void)
{
	const char *before = "";
	size_t n = 0;

	for (const char *name; (name = mount_options_name(n)) != NULL; n++) {
		bool tmpfs = strstr(name, "copyup") != NULL;
		struct plan_mount m;

		CHECK(strcmp(before, name) < 0); /* sorted: the look-up relies on it */
		before = name;
		if (strstr(name, "idmap"))
			CHECK_ERR_CONTAINS(parse("bind", name, &m), err, "uidMappings");
		else
			good(tmpfs ? "tmpfs" : "bind", name);
	}
	CHECK(n > 60);
}

static void check_refusals(void)
{
	struct plan_mount m;

	CHECK_ERR_CONTAINS(parse("nfs", "", &m), err, "\"nfs\"");
	CHECK_ERR_CONTAINS(parse("", "ro", &m), err, "mount type \"\"");
	CHECK_ERR_CONTAINS(parse("bind", "nonsense", &m), err, "nonsense");
	CHECK_ERR_CONTAINS(parse("bind", "tmpcopyup", &m), err, "tmpcopyup");
	CHECK_ERR_CONTAINS(parse("tmpfs", "idmap", &m), err, "idmap");
	CHECK_ERR_CONTAINS(parse("tmpfs", "remount", &m), err, "remount");
	CHECK_ERR_CONTAINS(parse("proc", "gid=5", &m), err, "gid=5");
}

int main(void)
{
	a = arena_new();
	check_kinds();
	check_attributes();
	check_rest();
	check_every_name();
	check_refusals();
	arena_free(a);
	return check_done();
}
