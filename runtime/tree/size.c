/* SPDX-License-Identifier: Apache-2.0
 *
 * Covers the files of proc(5) and sysfs that show the size of the machine with files of the
 * container's own, if the container has only a part of it. Another room writes their content, see
 * TREE_SIZE. The kernel itself provides the paths, so there is no symlink, and the image has no
 * influence.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/count.h"
#include "runtime/tree/internal.h"

#define SIZE_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

static const struct {
	const char *name;
	/* shown when the container has a part of the CPUs or of the memory */
	bool of_cpus, of_memory;
	bool in_sys;
	const char *place;
} sized[] = {
	{ "cpuinfo", true, false, false, "cpuinfo" },
	{ "stat", true, false, false, "stat" },
	{ "loadavg", true, true, false, "loadavg" },
	{ "meminfo", false, true, false, "meminfo" },
	{ "cpus", true, false, true, "devices/system/cpu/online" },
	{ "cpus", true, false, true, "devices/system/cpu/possible" },
	{ "cpus", true, false, true, "devices/system/cpu/present" },
};

static int cover_size(
	struct builder *b, size_t row, int at_fd, const char *base, struct sl_err *err)
{
	const char *name = arena_printf(b->a, TREE_SIZE "/%s", sized[row].name);
	struct joined book = { .path = arena_printf(b->a, "%s/%s", base, sized[row].place) };
	auto_fd int mnt_fd = -1;

	/* The bundle mounts something else there. */
	if (synth_is_mounted(b->fs, book.path))
		return 0;
	if (mknodat(b->synth_fd, name, S_IFREG | 0444, 0) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "generate %s", name);
	mnt_fd = mount_clone_one(b, b->synth_fd, name, SIZE_ATTRS, err);
	if (mnt_fd < 0)
		return -1;
	/* ENOENT: a procfs with subset=pid, or a kernel without this file. */
	if (mount_join(b, mnt_fd, at_fd, sized[row].place, &book, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return 0;
}

int size_cover(struct builder *b, struct sl_err *err)
{
	const struct plan_fs *fs = b->fs;
	auto_fd int made_fd = -1;

	if (!fs->size_cpus && !fs->size_memory)
		return 0;
	made_fd = synth_directory(b, TREE_SIZE, 0755, SIZE_ATTRS, err);
	if (made_fd < 0)
		return -1;
	for (size_t i = 0; i < COUNT(sized); i++) {
		const size_t n = sized[i].in_sys ? b->sys.n : b->proc.n;

		if (!(sized[i].of_cpus && fs->size_cpus) &&
			!(sized[i].of_memory && fs->size_memory))
			continue;
		for (size_t k = 0; k < n; k++)
			if (cover_size(b, i, sized[i].in_sys ? b->sys.items[k] : b->proc.items[k],
				    sized[i].in_sys ? b->sys_paths[k] : b->proc_paths[k], err) < 0)
				return sl_err_wrap(err, "show the container's size");
	}
	return 0;
}
