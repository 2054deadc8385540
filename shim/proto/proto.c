/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/proto/proto.h"

#include <stdlib.h>
#include <string.h>

static void *take(void *left, size_t n)
{
	size_t *budget = left;

	if (n > *budget)
		return NULL;
	*budget -= n;
	return malloc(n);
}

static void give_back(void *left, void *memory)
{
	(void)left;
	free(memory);
}

void *proto_unpack(const ProtobufCMessageDescriptor *type, const void *data, size_t n)
{
	size_t left = PROTO_MEMORY_MAX;
	ProtobufCAllocator bounded = { take, give_back, &left };

	return protobuf_c_message_unpack(type, &bounded, n, data);
}

void proto_free(void *message)
{
	ProtobufCAllocator a = { take, give_back, NULL };

	if (message)
		protobuf_c_message_free_unpacked(message, &a);
}

int proto_pack(const void *message, struct proto_bytes *ret)
{
	const size_t n = protobuf_c_message_get_packed_size(message);
	uint8_t *data = malloc(n + 1); /* an empty message has no bytes */

	if (!data)
		return -1;
	protobuf_c_message_pack(message, data);
	*ret = (struct proto_bytes){ data, n };
	return 0;
}

bool proto_is(const Common__Any *any, const char *name)
{
	const char *slash = strrchr(any->type_url, '/');

	return strcmp(slash ? slash + 1 : any->type_url, name) == 0;
}

Common__Timestamp proto_time(struct timespec t)
{
	Common__Timestamp out = COMMON__TIMESTAMP__INIT;

	out.seconds = t.tv_sec;
	out.nanos = (int32_t)t.tv_nsec;
	return out;
}
