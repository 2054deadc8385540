/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that the shim decodes: the first byte says which one. What was understood can be packed
 * and is as long as it was said to be.
 */
#include "shim/proto/bootstrap.pb-c.h"
#include "shim/proto/options.pb-c.h"
#include "shim/proto/proto.h"
#include "shim/proto/task.pb-c.h"
#include "shim/proto/ttrpc.pb-c.h"
#include "tests/fuzz/fuzz.h"

static const ProtobufCMessageDescriptor *const types[] = {
	&ttrpc__request__descriptor,
	&ttrpc__response__descriptor,
	&task__create_request__descriptor,
	&task__exec_request__descriptor,
	&task__kill_request__descriptor,
	&task__update_request__descriptor,
	&task__process_request__descriptor,
	&bootstrap__params__descriptor,
	&options__runc__descriptor,
	&options__generic__descriptor,
	&common__any__descriptor,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ProtobufCMessageDescriptor *type;
	struct proto_bytes b = { 0 };
	void *m;

	if (size == 0)
		return 0;
	type = types[data[0] % (sizeof(types) / sizeof(types[0]))];
	m = proto_unpack(type, data + 1, size - 1);
	if (!m)
		return 0;
	MUST(proto_pack(m, &b) == 0 && b.n == protobuf_c_message_get_packed_size(m));
	proto_free(m);
	proto_free_bytes(&b);
	return 0;
}
