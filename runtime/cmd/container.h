/* SPDX-License-Identifier: Apache-2.0
 *
 * A container as the verbs see it: its record, and the truth about whether it runs.
 */
#ifndef SANDLOCK_CMD_CONTAINER_H
#define SANDLOCK_CMD_CONTAINER_H

#include "runtime/base/cleanup.h"
#include "runtime/cmd/cmd.h"
#include "runtime/store/record.h"
#include "spec/state_doc.h"

/* How long a verb waits for another one on the same container. */
#define CONTAINER_LOCK_MS 10000

struct container {
	const char *id;
	int root_fd; /* the state root */
	int dir_fd;  /* the container's directory; locked when asked for */
	int proc_fd;
	struct record record;
	enum record_status status; /* as it is now, not as it was written */
};

/* A struct that nothing was opened into; what auto_container needs to start with. */
#define CONTAINER_NONE                                                                             \
	{                                                                                          \
		.root_fd = -1, .dir_fd = -1, .proc_fd = -1                                         \
	}

/* Opens, reads and looks. When the supervisor is gone without having ended in order, what
 * is left of the container is swept first. */
int container_open(
	struct cli *cli, const char *id, bool lock, struct container *ret, struct sl_err *err);

/* Closes the descriptors, and with them the lock; the record stays readable. */
void container_close(struct container *c);
#define auto_container auto_with(container_close)

/* Refuses a container that is neither created, running nor paused, in runc's words. */
int container_need_alive(const struct container *c, struct sl_err *err);

void container_state(struct cli *cli, const struct container *c, struct spec_state *ret);

/* Adds what it has bound, where its ports may be replaced. */
void container_ports(struct cli *cli, const struct container *c, struct spec_state *state);

/* The main process' signal; "container not running" when it has ended. */
int container_signal(const struct container *c, int sig, struct sl_err *err);

/* Kills everything of it, whatever state it is in, and waits. */
int container_destroy(const struct container *c, struct sl_err *err);

/* "KILL", "SIGKILL", "9", "RTMIN+3" -> number. */
int container_parse_signal(const char *text, int *ret, struct sl_err *err);

/* The hooks of the record that come after the fact (runtime.md, "Lifecycle"): a failure of
 * poststart ends the container; one of poststop is a warning, and the others still run. */
int container_poststart(struct cli *cli, const struct container *c, struct sl_err *err);
void container_poststop(struct cli *cli, const struct container *c);

#endif
