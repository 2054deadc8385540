/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/special.h"

#include <string.h>

#include "runtime/base/count.h"

struct special_range {
	uint8_t net[16];
	uint8_t bits;
	bool v6;
	bool loopback;
};

static const struct special_range special_ranges[] = {
	{ { 127 }, 8, false, true },
	{ { 0 }, 8, false, false },
	{ { 169, 254 }, 16, false, false },
	{ { 224 }, 4, false, false },
	{ { 255, 255, 255, 255 }, 32, false, false },
	{ { [15] = 1 }, 128, true, true },
	{ { 0 }, 128, true, false },
	{ { 0xfe, 0x80 }, 10, true, false },
	{ { 0xff }, 8, true, false },
};

bool special_same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) & (0xff00U >> rest) & 0xff) == 0;
}

static const struct special_range *range_of(const uint8_t *addr, bool v6, unsigned int prefix)
{
	for (size_t i = 0; i < COUNT(special_ranges); i++) {
		const struct special_range *r = &special_ranges[i];

		if (r->v6 == v6 && prefix >= r->bits && special_same_bits(addr, r->net, r->bits))
			return r;
	}
	return NULL;
}

bool special_network(const uint8_t *addr, bool v6, unsigned int prefix)
{
	return range_of(addr, v6, prefix) != NULL;
}

bool special_address(const uint8_t *addr, bool v6)
{
	return special_network(addr, v6, v6 ? 128 : 32);
}

bool special_loopback(const uint8_t *addr, bool v6)
{
	const struct special_range *r = range_of(addr, v6, v6 ? 128 : 32);

	return r && r->loopback;
}
