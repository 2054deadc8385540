/* SPDX-License-Identifier: Apache-2.0
 *
 * init's first thread after the other two are started.
 */
#ifndef SANDLOCK_INIT_LEADER_H
#define SANDLOCK_INIT_LEADER_H

#include "runtime/init/internal.h"

/* Returns when no process of the container is left. */
void leader_loop(struct init_state *s, int signal_fd);

/* Sends one message to the supervisor. It is no error if the supervisor is gone: leader_loop()
 * sees the end of file. */
void init_report(struct init_state *s, const struct init_msg *m);

#endif
