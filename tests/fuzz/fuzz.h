/* SPDX-License-Identifier: Apache-2.0
 *
 * What every target shares: the entry point's prototype, and a check that stays on in
 * every build type.
 */
#ifndef SANDLOCK_TESTS_FUZZ_FUZZ_H
#define SANDLOCK_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond))                                                                       \
			abort();                                                                   \
	} while (0)

#endif
