/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes between a terminal's master and the stdio of a process. Each direction has a
 * buffer of its own and nothing here waits: who does not read stops his own direction only.
 */
#ifndef SANDLOCK_TTY_RELAY_H
#define SANDLOCK_TTY_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* Nothing more is read before what is in here has gone on. */
struct relay_flow {
	int from_fd;
	int to_fd;
	bool open; /* more may come */
	size_t at, len;
	char buf[16384];
};

struct relay {
	int master_fd;  /* -1: no terminal, or not any more */
	int own_out_fd; /* stdout by a description of our own; -1: none */
	int out_flags;  /* what stdout had before they were changed; -1: they were not */
	size_t n_out;   /* bytes of output that were passed on */
	int error;      /* why the rest was not, other than that nobody reads; 0: none */
	struct relay_flow in;
	struct relay_flow out;
};

#define RELAY_POLL 4 /* entries of relay_poll() */

/* Takes the master. Returns 0, or -1 with errno. */
int relay_open(struct relay *r, int master_fd);
void relay_close(struct relay *r);

/* What to wait for next, and what to do with the answer. */
void relay_poll(const struct relay *r, struct pollfd *p);
void relay_events(struct relay *r, const struct pollfd *p);

/* No input from here on. Whether output is left that is there already. */
void relay_stop_input(struct relay *r);
bool relay_has_output(const struct relay *r);

#endif
