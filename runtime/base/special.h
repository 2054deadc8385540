/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that are not a destination in a network: loopback, link-local, multicast, broadcast and
 * "this network" (RFC 6890). Addresses are in network order: 4 bytes, or 16 with v6.
 */
#ifndef SANDLOCK_BASE_SPECIAL_H
#define SANDLOCK_BASE_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

bool special_address(const uint8_t *addr, bool v6);
/* Whether the network contains only such addresses. The bits after the prefix must be 0. */
bool special_network(const uint8_t *addr, bool v6, unsigned int prefix);
bool special_loopback(const uint8_t *addr, bool v6);

/* Whether the first bits of both are equal. */
bool special_same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits);

#endif
