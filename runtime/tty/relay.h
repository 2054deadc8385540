/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies between a terminal's master and the stdio of this process. Each direction has its own
 * buffer and no call blocks: a reader that does not read stops only its own direction.
 */
#ifndef SANDLOCK_TTY_RELAY_H
#define SANDLOCK_TTY_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* One direction. It reads again only when all of its buffer is written. */
struct relay_flow {
	int from_fd;
	int to_fd;
	bool open; /* there may be more input */
	size_t at, len;
	char buf[16384];
};

struct relay {
	int master_fd;  /* -1: there is no terminal, or it is closed */
	int own_out_fd; /* a new open file description of stdout; -1: none */
	int out_flags;  /* flags of stdout before they were changed; -1: unchanged */
	size_t n_out;   /* bytes of output that were written */
	int error;      /* why output could not be written (0 for EPIPE); 0: no error */
	struct relay_flow in;
	struct relay_flow out;
};

#define RELAY_POLL 4 /* number of entries that relay_poll() sets */

/* Takes the master. Returns 0, or -1 with errno. */
int relay_open(struct relay *r, int master_fd);
void relay_close(struct relay *r);

/* Sets what to wait for, and handles the events. */
void relay_poll(const struct relay *r, struct pollfd *p);
void relay_events(struct relay *r, const struct pollfd *p);

/* Stops the input. The second returns whether there is still output to be written. */
void relay_stop_input(struct relay *r);
bool relay_has_output(const struct relay *r);

#endif
