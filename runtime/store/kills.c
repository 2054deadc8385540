/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/store/kills.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/store/store.h"

int store_write_kills(int dir_fd, const struct store_kills *k, struct sl_err *err)
{
	return io_replace_file(dir_fd, STORE_KILLS, k, sizeof(*k), 0600, err);
}

void store_read_kills(int dir_fd, struct store_kills *ret)
{
	auto_fd int fd = openat(dir_fd, STORE_KILLS, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct store_kills k;

	*ret = (struct store_kills){ 0 };
	if (fd >= 0 && read(fd, &k, sizeof(k)) == (ssize_t)sizeof(k))
		*ret = k;
}
