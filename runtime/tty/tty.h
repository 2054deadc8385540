/* SPDX-License-Identifier: Apache-2.0
 *
 * Terminals: opens a pair in the container's own devpts, and sends the master to the caller's
 * console socket: one connection, one message, one descriptor.
 */
#ifndef SANDLOCK_TTY_TTY_H
#define SANDLOCK_TTY_TTY_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct tty_pair {
	int master_fd;
	int slave_fd; /* both are close-on-exec and belong to the caller */
};

/* Opens /dev/pts/ptmx below root_fd and follows no symbolic link of the image. The slave belongs
 * to uid and group tty (5) with mode 0620. The size is set before any process can ask for it. */
int tty_open(int root_fd, uint16_t height, uint16_t width, uid_t uid, struct tty_pair *ret,
	struct sl_err *err);

/* Sets size and owner of a pair that already exists. */
int tty_prepare(const struct tty_pair *pair, uint16_t height, uint16_t width, uid_t uid,
	struct sl_err *err);

/* Connects to the listener at path (any length) and sends one descriptor with its name. */
int tty_send_fd(const char *path, const char *name, int fd, struct sl_err *err);

/* Sends the master to the listener at path (any length). The caller keeps its copy. */
int tty_send_master(const char *path, int master_fd, struct sl_err *err);

#endif
