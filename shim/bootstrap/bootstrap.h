/* SPDX-License-Identifier: Apache-2.0
 *
 * How containerd calls the shim's program (its page "Runtime v2", Commands): the flags, and one
 * function for each action. containerd reads standard output. Nothing is written to standard error
 * unless the action fails.
 */
#ifndef SANDLOCK_SHIM_BOOTSTRAP_BOOTSTRAP_H
#define SANDLOCK_SHIM_BOOTSTRAP_BOOTSTRAP_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

#define SHIM_NAME "containerd-shim-sandlock-v1"

struct bootstrap {
	struct arena *arena;  /* lasts as long as the process */
	const char *programs; /* the directory of the shim's own program; NULL: unknown */
	const char *namespace;
	const char *id;
	const char *bundle;        /* "": the working directory */
	const char *address;       /* containerd's GRPC socket; "" with CRI-O */
	const char *ttrpc_address; /* NULL: no events */
	const char *socket_dir;    /* NULL: /run/containerd/s */
	const char *action;
	int debug, version, info, help; /* flags */
	int answer_version;             /* of the JSON that `start` prints; 0: no JSON */
};

/* Reads the flags, in the form of Go's package flag. */
int bootstrap_read_flags(struct bootstrap *b, char *const *argv, struct sl_err *err);
/* Reads the environment, then standard input to its end. */
int bootstrap_read_input(struct bootstrap *b, struct sl_err *err);

/* Containers of one group share a shim. The bundle in the working directory names the group;
 * otherwise it is the id. */
const char *bootstrap_group(const struct bootstrap *b);

/* address.c */
struct listener {
	const char *path;
	int fd; /* -1: a shim serves there already */
};
int bootstrap_listen(const struct bootstrap *b, struct listener *ret, struct sl_err *err);
/* Removes the socket of a shim that is gone. */
void bootstrap_forget_socket(const struct bootstrap *b, const char *bundle);

/* Each of these returns 0, or -1 with the error. */
int bootstrap_start(struct bootstrap *b, struct sl_err *err);
int bootstrap_delete(struct bootstrap *b, struct sl_err *err);
int bootstrap_info(struct bootstrap *b, struct sl_err *err);

#endif
