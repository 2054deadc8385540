/* SPDX-License-Identifier: Apache-2.0
 *
 * config.json: it loads or is refused with a message, every line of the support table can
 * be shown, and the state document made of it is JSON.
 */
#include <string.h>

#include "spec/state_doc.h"
#include "spec/support.h"
#include "tests/fuzz/fuzz.h"

static void state_is_json(struct arena *a, const struct spec *s)
{
	struct spec_state state = {
		.oci_version = s->oci_version,
		.status = "created",
		.rootfs = s->root_path,
		.annotations = s->annotations,
		.n_annotations = s->n_annotations,
	};
	const struct json *j = NULL;
	struct sl_err err;
	const char *text;
	size_t len = 0;

	text = spec_state_render(a, &state, true, &len);
	MUST(json_parse(a, text, len, &j, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err = { 0 };
	bool refused = false;
	struct spec s;

	if (spec_load_buffer(a, (const char *)data, size, &s, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	MUST(s.oci_version && s.root_path);
	MUST(!s.has_process || (s.process.n_args > 0 && s.process.cwd[0] == '/'));
	for (size_t i = 0; i < s.n_present; i++) {
		struct support_verdict v = support_of(&s, &s.present[i]);

		MUST(v.reason && s.present[i].value && s.present[i].full_path);
		refused |= v.how == SUPPORT_REFUSED;
	}
	MUST((support_check(&s, &err) < 0) == refused);
	state_is_json(a, &s);
	return 0;
}
