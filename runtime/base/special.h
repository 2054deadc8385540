/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that are no place on a network: loopback, link-local, multicast, broadcast and "this
 * network" (RFC 6890). Addresses are in network order: 4 bytes, or 16 with v6.
 */
#ifndef SANDLOCK_BASE_SPECIAL_H
#define SANDLOCK_BASE_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

bool special_address(const uint8_t *addr, bool v6);
/* Of nothing else; the bits behind the prefix are 0. */
bool special_network(const uint8_t *addr, bool v6, unsigned int prefix);
bool special_loopback(const uint8_t *addr, bool v6);

/* The first bits of both are the same. */
bool special_same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits);

#endif
