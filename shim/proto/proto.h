/* SPDX-License-Identifier: Apache-2.0
 *
 * The home of protobuf-c: messages out of bytes and back. The messages themselves are compiled
 * from the .proto files beside this one at build time (protoc-c).
 */
#ifndef SANDLOCK_SHIM_PROTO_PROTO_H
#define SANDLOCK_SHIM_PROTO_PROTO_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "shim/proto/common.pb-c.h"

/* What one message may take in memory: an empty element of a list costs two bytes on the wire and
 * a hundred here, so the length of the bytes is no bound. */
#define PROTO_MEMORY_MAX (32UL << 20)

struct proto_bytes {
	uint8_t *data; /* of malloc(3) */
	size_t n;
};

/* Returns the message, which proto_free() frees, or NULL: not one of that type, or beyond the bound
 * of memory. */
void *proto_unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n);
void proto_free(void *message); /* NULL is fine */

/* Returns 0, or -1: no memory. */
int proto_pack(const void *message, struct proto_bytes *ret);

static inline void proto_free_bytes(struct proto_bytes *b)
{
	free(b->data);
	b->data = NULL;
}
#define auto_bytes auto_with(proto_free_bytes)

/* Whether an Any holds that message: its name stands after the last slash, if there is one. */
bool proto_is(const Common__Any *any, const char *name);

Common__Timestamp proto_time(struct timespec t);

#endif
