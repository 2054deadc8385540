/* SPDX-License-Identifier: Apache-2.0
 *
 * The mount plan as a whole: paths made absolute and clean, devices merged, refusals that
 * name the row.
 */
#include <string.h>
#include <sys/mount.h>

#include "runtime/plan/fs.h"
#include "tests/unit/check.h"

int main(void)
{
	struct arena *a = arena_new();
	struct spec_mount m = {
		.destination = (char *)"data//./x/../y/",
		.type = (char *)"bind",
		.source = (char *)"vol",
	};
	struct spec_device d[2] = {
		{ .path = (char *)"/dev/./null", .type = 'c', .major = 9, .minor = 9 },
		{ .path = (char *)"/dev/fuse", .type = 'c', .major = 10, .minor = 229 },
	};
	char *masked[] = { (char *)"/proc//kcore" };
	struct node_policy node = { .own_namespace = true };
	struct spec spec = {
		.root_path = (char *)"rootfs",
		.mounts = &m,
		.n_mounts = 1,
		.linux_ = {
			.devices = d,
			.n_devices = 2,
			.masked_paths = masked,
			.n_masked_paths = 1,
		},
	};
	struct plan_fs fs;
	struct sl_err err;

	CHECK(plan_fs_build(a, &spec, &node, "/b", &fs, &err) == 0);
	CHECK_STR(fs.root_path, "/b/rootfs");
	CHECK_STR(fs.mounts[0].destination, "/data/y");
	CHECK_STR(fs.mounts[0].source, "/b/vol");
	CHECK_STR(fs.masked_paths[0], "/proc/kcore");
	CHECK(fs.n_devices == 7 && fs.own_namespace && !fs.terminal);
	CHECK_STR(fs.devices[0].path, "/dev/null");
	CHECK(fs.devices[0].major == 9);
	CHECK_STR(fs.devices[6].path, "/dev/fuse");

	CHECK(fs.root_propagation == MS_PRIVATE);
	spec.linux_.rootfs_propagation = (char *)"rshared";
	CHECK(plan_fs_build(a, &spec, &node, "/b", &fs, &err) == 0);
	CHECK(fs.root_propagation == MS_SLAVE);
	spec.linux_.rootfs_propagation = (char *)"wild";
	CHECK_ERR_CONTAINS(plan_fs_build(a, &spec, &node, "/b", &fs, &err), err, "wild");
	spec.linux_.rootfs_propagation = NULL;

	m.destination = (char *)"/a/../..";
	CHECK_ERR_CONTAINS(plan_fs_build(a, &spec, &node, "/b", &fs, &err), err, "mounts[0]");
	m.destination = (char *)"/a";
	m.source = NULL;
	CHECK_ERR_CONTAINS(plan_fs_build(a, &spec, &node, "/b", &fs, &err), err, "source");
	spec.n_mounts = 0;
	d[1].path = (char *)"dev/fuse";
	CHECK_ERR_CONTAINS(plan_fs_build(a, &spec, &node, "/b", &fs, &err), err, "devices[1]");
	spec.linux_.n_devices = 0;
	spec.root_path = NULL;
	CHECK_ERR_CONTAINS(plan_fs_build(a, &spec, &node, "/b", &fs, &err), err, "root.path");
	arena_free(a);
	return check_done();
}
