/* SPDX-License-Identifier: Apache-2.0
 *
 * IPv4 addresses that an IPv6 address carries: a translator, a tunnel or the kernel itself
 * forwards such a packet to the IPv4 address, so a decision must consider both addresses.
 *
 *	NAT64		64:ff9b::/96 (RFC 6052); 64:ff9b:1::/48 (RFC 8215), whose operator chooses
 *			the position of the address: every position of RFC 6052
 *	6to4		2002::/16 (RFC 3056)
 *	Teredo		2001::/32 (RFC 4380): the server, and the client with its bits inverted
 *	compatible	::a.b.c.d (RFC 4291)
 *	translated	::ffff:0:a.b.c.d (RFC 2765)
 *	mapped		::ffff:a.b.c.d (RFC 4291)
 *	ISATAP		any prefix, 0:5efe:a.b.c.d or 200:5efe:a.b.c.d behind it (RFC 5214)
 *
 * Prefixes that an operator chose (NAT64 on an own prefix, 6rd) cannot be known.
 */
#ifndef SANDLOCK_BASE_EMBEDDED_H
#define SANDLOCK_BASE_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

#define EMBEDDED_MAX 6

struct embedded {
	uint32_t addr;       /* host order; bits behind the prefix are 0 */
	unsigned int prefix; /* how many bits of it the IPv6 network determines: 1 to 32 */
};

/* Finds what an address (prefix 128) or a network carries. Returns the number. */
size_t embedded_find(
	const uint8_t addr[16], unsigned int prefix, struct embedded ret[EMBEDDED_MAX]);

#endif
