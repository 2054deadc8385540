/* SPDX-License-Identifier: Apache-2.0
 *
 * The standard streams of a process: the FIFOs that the client names, the pipes or the terminal of
 * the process, and the copying between them. The process gets pipes, so that it has no descriptor
 * of the client's FIFOs. The shim keeps the FIFOs open, so that a client may go and come back.
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
	const char *id; /* the container's, for a logger */
	const char *namespace;
	bool terminal;
	uid_t uid; /* owner of the pipes */
	gid_t gid;
};

struct stdio {
	struct loop *loop;
	int client_fds[STDIO_STREAMS];
	int pipe_fds[STDIO_STREAMS];  /* the shim's ends */
	int child_fds[STDIO_STREAMS]; /* the process' ends, until the process has been started */
	int master_fd;                /* of the process' terminal */
	int hold_fd; /* a writer of the client's stdin, which has no end of file before CloseIO */
	/* Writers of FIFOs that no client had opened when the shim did. What was written is lost
	 * when the last end of a FIFO is closed, and a client that opens it later waits for ever.
	 * So these stay open until the client has come. */
	int late_fds[STDIO_STREAMS];
	struct loop_timer late;
	int64_t late_until_ms; /* 0: all that the process wrote was not passed on yet */
	struct stream streams[STDIO_STREAMS];
	struct logger logger; /* pid_fd -1: there is no logger */
	struct loop_source logger_end;
	int n_copying; /* streams from the process that have not ended */
	/* Called when all that the process has written has been passed on. May be NULL. */
	void (*on_drained)(struct stdio *s);
};

void stdio_init(struct stdio *s, struct loop *loop);

/* Opens the streams that the client named and, unless the process has a terminal, makes child_fds
 * for the process. On failure everything is closed. */
int stdio_open(struct stdio *s, const struct stdio_want *want, struct sl_err *err);

/* The process has been started and has its ends: child_fds are closed here, and copying begins.
 * Takes master_fd; -1: no terminal. */
int stdio_begin(struct stdio *s, int master_fd, struct sl_err *err);

/* CloseIO: the process reads end of file after what is in the FIFO. */
void stdio_close_in(struct stdio *s);

/* Sets the size of the terminal. Without a terminal it does nothing and returns 0. */
int stdio_resize(struct stdio *s, uint16_t width, uint16_t height, struct sl_err *err);

static inline bool stdio_is_drained(const struct stdio *s)
{
	return s->n_copying == 0;
}

/* Asks a logger that still runs to end. stdio_close() kills it. */
void stdio_hurry(struct stdio *s);
void stdio_close(struct stdio *s);

#endif
