/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer of rtnetlink: an address is found or not, and nothing beyond the answer is read.
 */
#include <string.h>

#include "runtime/view/rtnl.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t addr[16];
	char *copy;

	if (size < 1)
		return 0;
	copy = malloc(size - 1 ? size - 1 : 1);
	if (!copy)
		return 0;
	/* Of its own size, so that a byte too far is seen; malloc(3) aligns as recv's buffer. */
	memcpy(copy, data + 1, size - 1);
	memset(addr, 0x55, sizeof(addr));
	if (rtnl_read_source(copy, size - 1, data[0] & 1, addr) < 0)
		MUST(addr[0] == 0x55 && addr[15] == 0x55);
	else if (!(data[0] & 1))
		MUST(addr[4] == 0x55);
	free(copy);
	return 0;
}
