/* SPDX-License-Identifier: Apache-2.0
 *
 * The node configuration loads or is refused with a message.
 */
#include "runtime/plan/node.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err = { 0 };
	struct node_policy n;

	if (node_parse(a, (const char *)data, size, &n, &err) < 0)
		MUST(err.msg[0] != '\0');
	else
		MUST(n.caps_unfenced <= NODE_UNFENCED_KEEP);
	return 0;
}
