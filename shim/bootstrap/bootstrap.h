/* SPDX-License-Identifier: Apache-2.0
 *
 * How containerd calls the shim's program (its page "Runtime v2", Commands): the flags, and one
 * function for each action. What an action writes to standard output is for containerd; standard
 * error stays silent unless it fails.
 */
#ifndef SANDLOCK_SHIM_BOOTSTRAP_BOOTSTRAP_H
#define SANDLOCK_SHIM_BOOTSTRAP_BOOTSTRAP_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

#define SHIM_NAME "containerd-shim-sandlock-v1"

struct bootstrap {
	struct arena *arena; /* lasts as long as the process */
	const char *namespace;
	const char *id;
	const char *bundle;        /* "": the working directory */
	const char *address;       /* of containerd's GRPC socket; "" with CRI-O */
	const char *ttrpc_address; /* NULL: no events */
	const char *socket_dir;    /* NULL: the usual one */
	const char *action;
	int debug, version, info; /* flags */
	int answer_version;       /* of what `start` answers; 0: the bare address */
};

/* The flags, in the form of Go's package flag. */
int bootstrap_read_flags(struct bootstrap *b, char *const *argv, struct sl_err *err);
/* The environment, then standard input, which is read to its end. */
int bootstrap_read_input(struct bootstrap *b, struct sl_err *err);

/* Which containers share a shim: what the bundle in the working directory says, or the id. */
const char *bootstrap_group(const struct bootstrap *b);

/* address.c */
struct listener {
	const char *path;
	int fd; /* -1: somebody serves there already */
};
int bootstrap_listen(const struct bootstrap *b, struct listener *ret, struct sl_err *err);
/* The socket of a shim that is gone. */
void bootstrap_forget_socket(const struct bootstrap *b, const char *bundle);

/* Each returns 0, or -1 with the error. */
int bootstrap_start(struct bootstrap *b, struct sl_err *err);
int bootstrap_delete(struct bootstrap *b, struct sl_err *err);
int bootstrap_info(struct bootstrap *b, struct sl_err *err);

#endif
