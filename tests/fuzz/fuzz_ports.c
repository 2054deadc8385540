/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container of the pod has bound: it parses or is refused with words; what parses can be
 * printed and asked for.
 */
#include <arpa/inet.h>

#include "runtime/net/ports/ports.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	char text[INET6_ADDRSTRLEN];
	struct sl_err err = { 0 };
	struct port_list l;

	if (ports_parse(a, (const char *)data, size, &l, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	MUST(l.n <= PORTS_MAX);
	for (size_t i = 0; i < l.n; i++) {
		const struct port_binding *b = &l.items[i];

		MUST(b->proto == NET_TCP || b->proto == NET_UDP);
		MUST(b->asked > 0 && b->real > 0);
		MUST(b->v6 || b->addr >> 32 == 0);
		MUST(ports_address(b, text, sizeof(text)) == text);
	}
	return 0;
}
