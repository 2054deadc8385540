/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of one container, state.json. It holds what a later verb needs when the
 * supervisor is gone: who the processes were (pid and start time), which mounts make a
 * process a member, and what `state` prints. Whether the container runs is *not* stored:
 * it follows from the supervisor being alive.
 */
#ifndef SANDLOCK_STORE_RECORD_H
#define SANDLOCK_STORE_RECORD_H

#include <time.h>

#include "runtime/base/proc.h"
#include "spec/spec.h"

enum record_status {
	RECORD_CREATING,
	RECORD_CREATED,
	RECORD_RUNNING,
	RECORD_PAUSED,
	RECORD_STOPPED, /* never written: what a dead supervisor means */
};

const char *record_status_name(enum record_status s); /* the words of runtime.md */

struct record {
	const char *oci_version;
	const char *id;
	const char *bundle;
	const char *rootfs;
	const char *ipc; /* the pod whose System V objects it uses, "": the host's */
	struct timespec created;
	enum record_status status;
	struct proc_id supervisor; /* the tracked process */
	struct proc_id init;
	struct proc_id workload;
	uint64_t mount_namespace; /* rootfs.mode namespace: its id (NS_GET_MNTNS_ID); else 0 */
	const uint64_t *mount_ids;
	size_t n_mount_ids;
	const struct key_value *annotations;
	size_t n_annotations;
	struct spec_hooks hooks; /* poststart and poststop only */
};

/* The sandbox that its caller has put it into (the keys of containerd's CRI and of CRI-O), ""
 * when it is in none. */
const char *record_pod(const struct record *r);

int record_write(struct arena *a, int dir_fd, const struct record *r, struct sl_err *err);

/* Strings belong to the arena. A torn, empty or foreign file is an error. */
int record_read(struct arena *a, int dir_fd, struct record *ret, struct sl_err *err);
int record_parse(
	struct arena *a, const char *buf, size_t len, struct record *ret, struct sl_err *err);

#endif
