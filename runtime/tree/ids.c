/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of all mounts of a tree (statx(2), STATX_MNT_ID_UNIQUE). The cleanup after a crash kills
 * every process whose root is on one of these mounts, so a wrong id would kill unrelated processes.
 * Therefore ids are read from mount descriptors, or through RESOLVE_IN_ROOT below the root, never
 * from a path of the host.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/mountinfo.h"
#include "runtime/tree/internal.h"

#define MOUNTINFO_MAX ((size_t)64 * 1024 * 1024)

uint64_t ids_of(int dir_fd, const char *path, int flags)
{
	struct statx st;

	if (statx(dir_fd, path, flags | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
		    STATX_MNT_ID | STATX_MNT_ID_UNIQUE, &st) < 0)
		return 0;
	if (!(st.stx_mask & (STATX_MNT_ID | STATX_MNT_ID_UNIQUE)))
		return 0;
	return st.stx_mnt_id;
}

uint64_t tree_id_of_process(int dir_fd)
{
	return ids_of(dir_fd, "root", 0);
}

static void ids_add(struct builder *b, uint64_t id)
{
	for (size_t i = 0; i < b->n_ids; i++)
		if (b->ids[i] == id)
			return;
	b->ids = builder_grow(b, b->ids, b->n_ids, &b->cap_ids, sizeof(*b->ids));
	b->ids[b->n_ids++] = id;
}

int ids_book(struct builder *b, const struct joined *book, int fd, struct sl_err *err)
{
	struct joined row = *book;

	if (b->stage_fd < 0) {
		if (row.id == 0)
			row.id = ids_of(fd, "", AT_EMPTY_PATH);
		if (row.id == 0)
			return sl_err_set(err, errno, "mount id of %s", row.path);
		ids_add(b, row.id);
	}
	b->joined = builder_grow(b, b->joined, b->n_joined, &b->cap_joined, sizeof(*b->joined));
	b->joined[b->n_joined++] = row;
	return 0;
}

int ids_collect(struct builder *b, int root_fd, struct sl_err *err)
{
	for (size_t i = 0; i < b->n_joined; i++) {
		const char *path = b->joined[i].path;
		auto_fd int fd = place_open(root_fd, path, 0);
		uint64_t id = fd < 0 ? 0 : ids_of(fd, "", AT_EMPTY_PATH);

		if (id == 0)
			return sl_err_set(err, errno, "mount id of %s", path);
		ids_add(b, id);
	}
	return 0;
}

int ids_read_host_mounts(struct builder *b, struct sl_err *err)
{
	size_t len, cap = 0, n = 0;
	char **points = NULL;
	char *text, *line;

	if (b->host_mounts_read)
		return 0;
	if (io_read_file(b->a, AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, &len, err) <
		0)
		return -1;
	while ((line = strsep(&text, "\n")) != NULL) {
		char *field = NULL;

		for (int i = 0; i < 5 && line; i++)
			field = strsep(&line, " ");
		if (!field || !line)
			continue;
		mountinfo_decode(field);
		points = builder_grow(b, points, n, &cap, sizeof(*points));
		points[n++] = field;
	}
	b->host_mounts = points;
	b->n_host_mounts = n;
	b->host_mounts_read = true;
	return 0;
}

/* The request of listmount(2): struct mnt_id_req in its first published size, 24 bytes. */
struct list_request {
	uint32_t size;
	uint32_t spare;
	uint64_t mnt_id;
	uint64_t param;
};

/* Most volumes are mounts without other mounts below. One call finds this out, instead of reading
 * the mount table of a node with thousands of mounts. */
static bool mount_has_none_below(int fd)
{
	struct list_request request = { .size = sizeof(request) };
	uint64_t below;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID_UNIQUE, &st) < 0 ||
		!(st.stx_mask & STATX_MNT_ID_UNIQUE))
		return false;
	request.mnt_id = st.stx_mnt_id;
	return syscall(SYS_listmount, &request, &below, 1, 0) == 0;
}

int ids_submounts(
	struct builder *b, int fd, const char *const **ret, size_t *ret_n, struct sl_err *err)
{
	char link[32], base[PATH_MAX];
	const char **below = NULL;
	size_t n = 0, cap = 0, base_len;
	ssize_t len;

	*ret = NULL;
	*ret_n = 0;
	if (mount_has_none_below(fd))
		return 0;
	if (ids_read_host_mounts(b, err) < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, base, sizeof(base) - 1);
	if (len < 0)
		return sl_err_set(err, errno, "path of a mount source");
	base[len] = '\0';
	base_len = len == 1 ? 0 : (size_t)len; /* the root is the prefix of every path */
	for (size_t i = 0; i < b->n_host_mounts; i++) {
		const char *point = b->host_mounts[i];

		if (strncmp(point, base, base_len) != 0 || point[base_len] != '/' ||
			point[base_len + 1] == '\0')
			continue;
		below = builder_grow(b, below, n, &cap, sizeof(*below));
		below[n++] = point + base_len + 1;
	}
	*ret = below;
	*ret_n = n;
	return 0;
}
