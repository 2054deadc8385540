/* SPDX-License-Identifier: Apache-2.0
 *
 * What `create` and `run` share: from a bundle to a parked container.
 */
#ifndef SANDLOCK_CMD_LAUNCH_H
#define SANDLOCK_CMD_LAUNCH_H

#include <sys/types.h>

#include "runtime/cmd/cmd.h"

/* How a caller wants to be told of the process that it tracks; NULL: not. A pidfd is sent as
 * a terminal's master is: one connection, one message. */
struct launch_notice {
	const char *pid_file;
	const char *pidfd_socket;
};

struct launch {
	const char *id;
	const char *bundle; /* absolute */
	const char *console_socket;
	struct launch_notice notice;
	long n_listen; /* descriptors of LISTEN_FDS, which are the first of those below */
	long n_preserve;
	bool notify; /* the caller has set NOTIFY_SOCKET */
	bool new_keyring;
	bool want_conn;  /* run in the foreground */
	bool want_start; /* run: nobody need hear of it while it is parked */
	bool want_here; /* run: this process may be the supervisor, when nothing else is asked of it
			 */
	bool keep_state;  /* with want_here: the state stays when it has ended */
	bool want_master; /* run -t in the foreground: keep the terminal's master */
};

struct launched {
	pid_t pid;
	int master_fd; /* -1 unless want_master */
	int notify_fd; /* with notify and want_start (notify.h); -1 otherwise */
	int conn_fd;   /* to the supervisor; -1 unless want_conn, or when hooks need more */
	bool started;  /* with want_start, unless somebody is told or a hook runs before */
	bool ended;    /* with want_here: all is over, and status tells how (wait(2)); a path is
			* another file now than it was before (supervisor_run_here()) */
	int status;
};

/* The flags that both take, for their tables. */
#define LAUNCH_FLAGS                                                                               \
	{ "bundle", 'b', FLAG_STRING, "path of the bundle (default: the working directory)" },     \
		{ "console-socket", 0, FLAG_STRING,                                                \
			"unix socket that gets the terminal's master" },                           \
		{ "pid-file", 0, FLAG_STRING, "file to write the tracked process' id to" },        \
		{ "preserve-fds", 0, FLAG_STRING,                                                  \
			"hand N more descriptors, from 3 on, to the process" },                    \
		{ "no-new-keyring", 0, FLAG_BOOL, "keep the caller's session keyring" },           \
		{ "no-pivot", 0, FLAG_BOOL, "accepted without effect: no root is pivoted" },       \
	{                                                                                          \
		"pidfd-socket", 0, FLAG_STRING,                                                    \
			"unix socket that gets a pidfd of the tracked process"                     \
	}

int launch_parse(struct cli *cli, const struct flags *f, struct launch *ret, struct sl_err *err);

/* On failure nothing is left, the id included. detached: the caller returns while the
 * container lives, so a terminal needs a console socket. */
int launch_container(struct cli *cli, const struct launch *l, bool detached, struct launched *ret,
	struct sl_err *err);

/* Releases a created container and runs its poststart hooks. */
int launch_start(struct cli *cli, const char *id, struct sl_err *err);

/* The same over the connection that is there, without a look at the state; the end is told
 * there. */
int launch_release(const struct launched *l, struct sl_err *err);

/* The pid-file holds digits only, without a newline, and appears at once; it comes last. */
int launch_tell(const struct launch_notice *n, pid_t pid, struct sl_err *err);

#endif
