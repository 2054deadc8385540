/* SPDX-License-Identifier: Apache-2.0
 *
 * The OCI state document (runtime.md, "State") in the form that callers decode: for `state`, for
 * each entry of `list`, and for the standard input of hooks.
 */
#ifndef SANDLOCK_SPEC_STATE_DOC_H
#define SANDLOCK_SPEC_STATE_DOC_H

#include <sys/types.h>
#include <time.h>

#include "runtime/base/json.h"
#include "spec/spec.h"

/* In addition to runtime.md: a port that the container has bound, with the names of CNI's port
 * mappings. */
struct spec_port {
	const char *protocol;
	const char *host_ip;
	uint16_t container_port;
	uint16_t host_port;
};

/* In addition to runtime.md: for which limits processes were killed, and how often. */
struct spec_killed {
	uint64_t memory;
	uint64_t disk;
	uint64_t timeout;
};

struct spec_state {
	const char *oci_version;
	const char *id;
	pid_t pid; /* 0 when stopped */
	const char *status;
	const char *bundle;
	const char *rootfs;
	struct timespec created;
	const struct key_value *annotations;
	size_t n_annotations;
	const char *owner;
	const struct spec_port *ports; /* n_ports 0: the document has no member "ports" */
	size_t n_ports;
	struct spec_killed killed; /* all 0: the document has no member "killed" */
};

/* "2026-01-02T03:04:05.000000001Z": RFC 3339, UTC, always nine digits. */
#define SPEC_TIME_MAX 64
void spec_time_format(struct timespec t, char buf[SPEC_TIME_MAX]);

/* Writes the state as one value of a larger document. */
void spec_state_gen(struct json_gen *g, const struct spec_state *s);

/* Writes the state as its own document. If pretty is set, it ends with a newline. */
const char *spec_state_render(
	struct arena *a, const struct spec_state *s, bool pretty, size_t *ret_len);

#endif
