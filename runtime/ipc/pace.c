/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast a container may make System V objects.
 *
 * The id of a call is looked up before the call goes on in the kernel, and a caller can put off
 * that moment for as long as it likes, by a page that is slow to come for one. Meanwhile the
 * object may be removed, and its number is free for somebody else's. The kernel gives a number
 * out again only after its sequence number has gone round: 65 536 rounds of at least 21
 * makings, 1.4 million. At this pace that takes hours instead of seconds, while no program is
 * known that comes near it.
 */
#include "runtime/ipc/internal.h"

#define BURST      4096
#define PER_SECOND 100

bool pace_take(struct ipc *s)
{
	return tokens_take(&s->makings, BURST, PER_SECOND);
}
