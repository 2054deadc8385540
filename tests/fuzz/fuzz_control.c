/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests on the control socket. The first byte is the number of descriptors that came
 * with the message, the rest is the message.
 */
#include "runtime/control/control.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control_request r = { 0 };
	struct sl_err err = { 0 };
	size_t n_fds = size ? data[0] : 0;

	if (control_parse(data + (size > 0), size ? size - 1 : 0, n_fds, &r, &err) < 0) {
		MUST(err.msg[0] != '\0' && r.type == 0);
		return 0;
	}
	MUST(r.type >= CONTROL_START && r.type <= CONTROL_UPDATE);
	MUST(r.signal >= 0 && r.signal <= 64 && r.terminal <= 1);
	/* What the supervisor computes from it must not go below zero. */
	if (r.type == CONTROL_EXEC)
		MUST(n_fds - CONTROL_EXEC_STDIO - (r.terminal ? 0 : 3) == r.n_preserve);
	else
		MUST(n_fds == 0);
	return 0;
}
