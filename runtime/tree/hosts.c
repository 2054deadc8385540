/* SPDX-License-Identifier: Apache-2.0
 *
 * /etc/hosts with the names that a network policy has pinned. The entries of the image or the
 * caller come first, because the first entry for a name wins (hosts(5)).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

#define HOSTS_PATH "/etc/hosts"
#define HOSTS_MAX  ((size_t)256 * 1024)

static const char loopback[] = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n";

/* Reads the existing file, through the descriptor of the mount point. */
static int read_present(struct builder *b, int fd, const char **ret, struct sl_err *err)
{
	struct statx st;
	char path[32];
	size_t len;
	char *text;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) < 0)
		return sl_err_set(err, errno, HOSTS_PATH);
	if (!S_ISREG(st.stx_mode))
		return sl_err_set(
			err, 0, HOSTS_PATH ": not a regular file, so no names can be shown");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (io_read_file(b->a, AT_FDCWD, path, HOSTS_MAX, &text, &len, err) < 0)
		return -1;
	/* The text ends at the first NUL. */
	*ret = len > 0 && text[0] ? text : loopback;
	return 0;
}

int hosts_populate(struct builder *b, struct sl_err *err)
{
	const char *present, *pinned = b->fs->pinned_hosts;
	auto_fd int fd = -1, mnt_fd = -1;
	struct joined book = { 0 };
	struct place place;
	char *text;
	size_t len;

	if (!pinned || !*pinned)
		return 0;
	if (place_make(b->a, b->root_fd, HOSTS_PATH, false, &place, err) < 0)
		return -1;
	fd = place.fd;
	book.path = place.path;
	if (read_present(b, fd, &present, err) < 0)
		return -1;
	len = strlen(present);
	text = arena_printf(b->a, "%s%s# names of the network policy\n%s", present,
		present[len - 1] == '\n' ? "" : "\n", pinned);
	mnt_fd = synth_file(b, "hosts", text, strlen(text), err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}
