/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds a certificate to the bundles of certificates of the image. A file is covered by a longer
 * one. A directory whose entries are named by hash (openssl-rehash(1)) is covered by a copy with
 * one more entry.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

/* A PEM file with all public root certificates has 250 KiB. */
#define BUNDLE_MAX ((size_t)2 * 1024 * 1024)

static int reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_CLOEXEC);
}

static int longer_file(struct builder *b, int fd, const char *name, struct sl_err *err)
{
	const char *more = b->ctx->authority;
	const size_t n = strlen(more);
	auto_fd int file_fd = reopen(fd, O_RDONLY);
	char *present, *text;
	size_t len;

	if (file_fd < 0)
		return sl_err_set(err, errno, "read it");
	if (io_read_all(b->a, file_fd, BUNDLE_MAX, &present, &len, err) < 0)
		return -1;
	text = arena_alloc(b->a, len + n + 2);
	memcpy(text, present, len);
	snprintf(text + len, n + 2, "\n%s", more);
	return synth_file(b, name, text, len + 1 + n, err);
}

static int fuller_directory(struct builder *b, int fd, const char *name, struct sl_err *err)
{
	auto_fd int from_fd = reopen(fd, O_RDONLY | O_DIRECTORY), mnt_fd = -1, to_fd = -1;
	auto_fd int more_fd = -1;

	if (from_fd < 0)
		return sl_err_set(err, errno, "read it");
	mnt_fd = synth_directory(
		b, name, 0755, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
	if (mnt_fd < 0)
		return -1;
	to_fd = openat(b->synth_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to_fd < 0)
		return sl_err_set(err, errno, "generate %s", name);
	if (copyup_directory(from_fd, to_fd, err) < 0)
		return -1;
	more_fd = openat(to_fd, b->ctx->authority_name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
	if (more_fd < 0 || io_write_all(more_fd, b->ctx->authority, strlen(b->ctx->authority)) < 0)
		return sl_err_set(err, errno, "generate %s", b->ctx->authority_name);
	return take_fd(&mnt_fd);
}

static int cover_bundle(struct builder *b, size_t i, bool directories, struct sl_err *err)
{
	const char *name = arena_printf(b->a, "bundle-%zu", i);
	auto_fd int fd = -1, mnt_fd = -1;
	struct joined book = { 0 };
	struct place place;
	struct stat st;

	if (place_find(b->a, b->root_fd, b->ctx->bundles[i], &place, err) < 0)
		return -1;
	fd = place.fd;
	book.path = place.path;
	if (fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "look at it");
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return sl_err_set(err, 0, "it is neither a file nor a directory");
	if (S_ISDIR(st.st_mode) != directories)
		return 0;
	mnt_fd = directories ? fuller_directory(b, fd, name, err) : longer_file(b, fd, name, err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}

/* Directories come first, because a file may lie in a directory that is covered. */
int bundles_populate(struct builder *b, struct sl_err *err)
{
	const size_t n = b->ctx ? b->ctx->n_bundles : 0;

	for (int directories = 1; directories >= 0; directories--)
		for (size_t i = 0; i < n; i++)
			if (cover_bundle(b, i, directories, err) < 0)
				return sl_err_wrap(err,
					"annotation io.sandlock.config.http_inject_ca: %s",
					b->ctx->bundles[i]);
	return 0;
}
