/* SPDX-License-Identifier: Apache-2.0
 *
 * The state record: it parses or is refused with words; what parses is usable as it is.
 */
#include <string.h>

#include "runtime/store/record.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err = { 0 };
	struct record r;

	if (record_parse(a, (const char *)data, size, &r, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	MUST(r.id && r.bundle && r.rootfs && r.oci_version);
	MUST(strlen(record_status_name(r.status)) > 0);
	MUST(r.supervisor.pid >= 0 && r.init.pid >= 0 && r.workload.pid >= 0);
	MUST(r.created.tv_nsec >= 0 && r.created.tv_nsec < 1000000000);
	for (size_t i = 0; i < r.n_annotations; i++)
		MUST(r.annotations[i].key && r.annotations[i].value);
	for (size_t i = 0; i < r.hooks.poststop.n; i++) {
		const struct spec_hook *h = &r.hooks.poststop.items[i];

		MUST(h->path && h->timeout_seconds >= 0 && h->args[h->n_args] == NULL);
	}
	return 0;
}
