/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of one container, state.json. It holds what a later command needs when the
 * supervisor is gone: the processes (pid and start time), the mounts by which members are
 * recognised, and what `state` prints. Whether the container is running is *not* stored: it is
 * running while its supervisor is.
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
	RECORD_STOPPED, /* never written; it is the status when the supervisor has ended */
};

const char *record_status_name(enum record_status s); /* the names in runtime.md */

struct record {
	const char *oci_version;
	const char *id;
	const char *bundle;
	const char *rootfs;
	const char *ipc; /* the pod whose System V objects it uses; "": the host's */
	struct timespec created;
	enum record_status status;
	struct proc_id supervisor; /* the tracked process */
	struct proc_id init;
	struct proc_id workload;
	/* rootfs.mode namespace: id of the mount namespace (NS_GET_MNTNS_ID); else 0 */
	uint64_t mount_namespace;
	const uint64_t *mount_ids;
	size_t n_mount_ids;
	const struct key_value *annotations;
	size_t n_annotations;
	struct spec_hooks hooks; /* only poststart and poststop are stored */
};

/* The sandbox id that the caller has given to the container (annotations of containerd's CRI and
 * of CRI-O); "" if none. */
const char *record_pod(const struct record *r);

int record_write(struct arena *a, int dir_fd, const struct record *r, struct sl_err *err);

/* Strings belong to the arena. An incomplete, empty or unknown file is an error. */
int record_read(struct arena *a, int dir_fd, struct record *ret, struct sl_err *err);
int record_parse(
	struct arena *a, const char *buf, size_t len, struct record *ret, struct sl_err *err);

#endif
