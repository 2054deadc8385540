/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and descriptors: complete reads and writes, atomic replacement, and passing descriptors
 * over a unix socket. Every descriptor made here is close-on-exec.
 */
#ifndef SANDLOCK_BASE_IO_H
#define SANDLOCK_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

/* Writes all bytes; continues after EINTR and short writes. Returns 0, or -1 with errno. */
int io_write_all(int fd, const void *buf, size_t n);

/* Reads until the end of the file; more than max bytes are an error (EFBIG). The result is
 * NUL-terminated (*ret_len does not count the NUL) and owned by the arena. */
int io_read_all(
	struct arena *a, int fd, size_t max, char **ret_buf, size_t *ret_len, struct sl_err *err);
int io_read_file(struct arena *a, int dir_fd, const char *path, size_t max, char **ret_buf,
	size_t *ret_len, struct sl_err *err);

/* Replaces dir_fd/name atomically: writes a new file, calls fsync(2), renames it and calls fsync(2)
 * for the directory. A reader sees either the old or the new content. */
int io_replace_file(
	int dir_fd, const char *name, const void *buf, size_t n, mode_t mode, struct sl_err *err);

/* Sends one message with up to IO_MAX_FDS descriptors (SCM_RIGHTS, unix(7)). */
#define IO_MAX_FDS 253 /* the kernel's SCM_MAX_FD */
int io_send_fds(int sock, const void *buf, size_t n, const int *fds, size_t n_fds);

/* Receives one message. Returns its length (0 at end of file), or -1 with errno. Received
 * descriptors are close-on-exec and belong to the caller. If there are more than max_fds, or if the
 * message is truncated, all received descriptors are closed and errno is EMSGSIZE. */
ssize_t io_recv_fds(int sock, void *buf, size_t n, int *ret_fds, size_t max_fds, size_t *ret_n_fds);

/* Enables the sender's process id in every message that this end receives from now on. A message
 * that was sent before both ends had this enabled has none. */
int io_name_senders(int sock);

/* As io_recv_fds(). *ret_sender is the process id of the sender, which the kernel has checked
 * (SCM_CREDENTIALS, unix(7): only CAP_SYS_ADMIN can give another one); 0: there is none. */
ssize_t io_recv_from(int sock, void *buf, size_t n, int *ret_fds, size_t max_fds, size_t *ret_n_fds,
	pid_t *ret_sender);

/* Opens a unix socket at dir_fd/name: connected, bound, or bound and listening. The length of the
 * directory's path does not matter, because /proc/self/fd is used. Bound sockets are non-blocking.
 * Returns the descriptor, or -1 with errno. */
int io_unix_connect(int dir_fd, const char *name, int type);
int io_unix_bind(int dir_fd, const char *name, int type);
int io_unix_listen(int dir_fd, const char *name, int type);

/* Reads a whole small file, such as those of /proc, into buf, NUL-terminated. Returns its length,
 * or -1 with errno. */
ssize_t io_slurp(int dir_fd, const char *path, char *buf, size_t size);

#endif
