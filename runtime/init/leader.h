/* SPDX-License-Identifier: Apache-2.0
 *
 * init's first thread once the others are up.
 */
#ifndef SANDLOCK_INIT_LEADER_H
#define SANDLOCK_INIT_LEADER_H

#include "runtime/init/internal.h"

/* Until nothing of the container is left. */
void leader_loop(struct init_state *s, int signal_fd);

/* Sends one message to the supervisor; a supervisor that is gone is no error here, the
 * end of file will be seen by leader_loop(). */
void init_report(struct init_state *s, const struct init_msg *m);

#endif
