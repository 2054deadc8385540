/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/embedded.h"

#include <stdbool.h>
#include <string.h>

#define ISATAP_AT 8 /* the interface identifier */

struct format {
	uint8_t net[16];
	uint8_t bits;
	uint8_t at; /* the byte at which the IPv4 address begins */
	bool hole;  /* byte 8 is skipped (RFC 6052, 2.2) */
	/* one of several possible places: an address in 0.0.0.0/8 means that it is another place */
	bool guess;
	bool inverted;
};

static const struct format formats[] = {
	{ { 0, 0x64, 0xff, 0x9b }, 96, 12, false, false, false },
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, 6, true, true, false },
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, 7, true, true, false },
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, 9, false, true, false },
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, 12, false, true, false },
	{ { 0x20, 0x02 }, 16, 2, false, false, false },
	{ { 0x20, 0x01 }, 32, 4, false, false, false },
	{ { 0x20, 0x01 }, 32, 12, false, false, true },
	{ { 0 }, 96, 12, false, false, false },
	{ { [8] = 0xff, 0xff }, 96, 12, false, false, false },
	{ { [10] = 0xff, 0xff }, 96, 12, false, false, false },
};

static bool has_format(const uint8_t *addr, const struct format *f)
{
	return memcmp(addr, f->net, f->bits / 8) == 0;
}

static bool is_isatap(const uint8_t *addr)
{
	const uint8_t *id = addr + ISATAP_AT;

	return (id[0] & 0xfd) == 0 && id[1] == 0 && id[2] == 0x5e && id[3] == 0xfe;
}

/* Counts the bits of the IPv4 address that lie within the prefix. */
static unsigned int known_bits(const struct format *f, unsigned int prefix)
{
	unsigned int n = 0;

	for (unsigned int i = 0, byte = f->at; i < 4; i++, byte++) {
		if (f->hole && byte == 8)
			byte++;
		for (unsigned int bit = 8 * byte; bit < 8 * byte + 8; bit++)
			n += bit < prefix;
	}
	return n;
}

static struct embedded take_out(const uint8_t *addr, unsigned int prefix, const struct format *f)
{
	struct embedded e = { .prefix = known_bits(f, prefix) };

	for (unsigned int i = 0, byte = f->at; i < 4; i++, byte++) {
		if (f->hole && byte == 8)
			byte++;
		e.addr = e.addr << 8 | (f->inverted ? addr[byte] ^ 0xffU : addr[byte]);
	}
	e.addr &= e.prefix == 0 ? 0 : ~0U << (32 - e.prefix);
	return e;
}

size_t embedded_find(const uint8_t addr[16], unsigned int prefix, struct embedded ret[EMBEDDED_MAX])
{
	static const struct format isatap = { .at = 12 };
	static const uint8_t none[12];
	size_t n = 0;

	/* The unspecified address and loopback do not carry an IPv4 address. */
	if (memcmp(addr, none, sizeof(none)) == 0 && addr[12] == 0 && addr[13] == 0 &&
		addr[14] == 0 && addr[15] <= 1)
		return 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct embedded e;

		if (prefix < formats[i].bits || !has_format(addr, &formats[i]))
			continue;
		e = take_out(addr, prefix, &formats[i]);
		if (e.prefix > 0 && !(formats[i].guess && e.addr >> 24 == 0) && n < EMBEDDED_MAX)
			ret[n++] = e;
	}
	if (prefix > 96 && is_isatap(addr) && n < EMBEDDED_MAX)
		ret[n++] = take_out(addr, prefix, &isatap);
	return n;
}
