/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of `exec --process` and `update --resources`.
 */
#include "spec/spec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	struct spec_resources r;
	struct spec_process p;
	struct sl_err err = { 0 };

	if (spec_load_process(a, (const char *)data, size, &p, &err) == 0)
		MUST(p.n_args > 0 && p.args[p.n_args] == NULL && p.cwd[0] == '/' &&
			p.umask <= 0777);
	else
		MUST(err.msg[0] != '\0');
	if (spec_load_resources(a, (const char *)data, size, &r, &err) < 0)
		MUST(err.msg[0] != '\0');
	return 0;
}
