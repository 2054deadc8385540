/* SPDX-License-Identifier: Apache-2.0
 *
 * Unpacks and packs messages with protobuf-c. The messages themselves are compiled from the .proto
 * files beside this one at build time (protoc-c).
 */
#ifndef SANDLOCK_SHIM_PROTO_PROTO_H
#define SANDLOCK_SHIM_PROTO_PROTO_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "shim/proto/common.pb-c.h"

/* The memory that one unpacked message may take. The number of bytes on the wire does not bound it:
 * an empty element of a list is two bytes there and a hundred in memory. */
#define PROTO_MEMORY_MAX (32UL << 20)

struct proto_bytes {
	uint8_t *data; /* allocated by malloc(3) */
	size_t n;
};

/* Returns the message, which proto_free() frees. NULL: the bytes are no message of that type, or it
 * would take more memory than PROTO_MEMORY_MAX. */
void *proto_unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n);
void proto_free(void *message); /* message may be NULL */

/* Returns 0, or -1: no memory. */
int proto_pack(const void *message, struct proto_bytes *ret);

static inline void proto_free_bytes(struct proto_bytes *b)
{
	free(b->data);
	b->data = NULL;
}
#define auto_bytes auto_with(proto_free_bytes)

/* Whether an Any holds a message of that name: the name is what follows the last slash of the
 * type's URL, or all of it. */
bool proto_is(const Common__Any *any, const char *name);

Common__Timestamp proto_time(struct timespec t);

#endif
