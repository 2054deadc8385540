/* SPDX-License-Identifier: Apache-2.0
 *
 * A process' standard streams: what the client named (FIFOs), what the process has (pipes or a
 * terminal), and the copying between them. The process gets pipes, so that it holds nothing of the
 * client's; the FIFOs stay open here in both directions, so that a client may leave and come back.
 */
#ifndef SANDLOCK_SHIM_STDIO_STDIO_H
#define SANDLOCK_SHIM_STDIO_STDIO_H

#include <sys/types.h>

#include "runtime/base/err.h"
#include "shim/stdio/logger.h"
#include "shim/stdio/stream.h"

enum { STDIO_IN, STDIO_OUT, STDIO_ERR, STDIO_STREAMS };

struct stdio_want {
	/* "": none; a FIFO or a file, fifo:///PATH, file:///PATH (appended to), or binary:///PATH,
	 * for both at once */
	const char *paths[STDIO_STREAMS];
	const char *id; /* for a logger */
	const char *namespace;
	bool terminal;
	uid_t uid; /* of the pipes */
	gid_t gid;
};

struct stdio {
	struct loop *loop;
	int client_fds[STDIO_STREAMS];
	int pipe_fds[STDIO_STREAMS];  /* our ends */
	int child_fds[STDIO_STREAMS]; /* the process' ends, until it has them */
	int master_fd;                /* of its terminal */
	int hold_fd; /* a writer of the client's stdin: it has no end before CloseIO */
	struct stream streams[STDIO_STREAMS];
	struct logger logger; /* pid_fd -1: none */
	struct loop_source logger_end;
	int n_copying; /* of what the process writes */
	/* All that the process has written is with the client; NULL: nobody wants to know. */
	void (*on_drained)(struct stdio *s);
};

void stdio_init(struct stdio *s, struct loop *loop);

/* Opens what the client named, and makes what the process gets: child_fds, unless it has a
 * terminal. On failure everything is closed. */
int stdio_open(struct stdio *s, const struct stdio_want *want, struct sl_err *err);

/* The process is there and has its ends: ours of them are closed, and copying begins. master_fd
 * is taken; -1: no terminal. */
int stdio_begin(struct stdio *s, int master_fd, struct sl_err *err);

/* The client writes nothing more to stdin than what is in there. */
void stdio_close_in(struct stdio *s);

/* Of the terminal; none: no error. */
int stdio_resize(struct stdio *s, uint16_t width, uint16_t height, struct sl_err *err);

static inline bool stdio_is_drained(const struct stdio *s)
{
	return s->n_copying == 0;
}

/* What has not come to its end is asked to end; a logger that does not is killed by the close. */
void stdio_hurry(struct stdio *s);
void stdio_close(struct stdio *s);

#endif
