/* SPDX-License-Identifier: Apache-2.0
 *
 * The only file that uses __attribute__((cleanup)). A variable with one of these marks owns its
 * resource until the end of the scope. take_fd() and take_ptr() move the ownership to somebody
 * else, so a function needs one success path and no goto. errno is preserved.
 */
#ifndef SANDLOCK_BASE_CLEANUP_H
#define SANDLOCK_BASE_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void sl_cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void sl_cleanup_fd(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;

		close(*fd);
		errno = saved;
	}
}

static inline void sl_cleanup_file(FILE **f)
{
	if (*f) {
		int saved = errno;

		fclose(*f);
		errno = saved;
	}
}

/* For types of other rooms: `#define auto_x auto_with(x_close)`. */
#define auto_with(fn) __attribute__((cleanup(fn)))

#define auto_free     __attribute__((cleanup(sl_cleanup_free)))
#define auto_fd       __attribute__((cleanup(sl_cleanup_fd)))
#define auto_file     __attribute__((cleanup(sl_cleanup_file)))

/* Moves a descriptor out of its owner: the owner holds -1 afterwards. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Moves a pointer out of its owner: the owner holds NULL afterwards. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

/* Closes a descriptor now and sets it to -1; does nothing if it is -1. */
static inline void drop_fd(int *fd)
{
	sl_cleanup_fd(fd);
	*fd = -1;
}

#endif
