/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits how fast a container can create System V objects.
 *
 * The supervisor looks up the id of a call before the kernel continues the call, and a caller can
 * delay the call as long as it likes, for example with a page that is slow to load. Meanwhile the
 * object may be removed and its id may be given to an object of another pod. The kernel reuses an
 * id only after its sequence number has wrapped around: 65 536 rounds with at least 21 creations
 * each, 1.4 million in total. With this limit that takes hours instead of seconds. No known program
 * comes near the limit.
 */
#include "runtime/ipc/internal.h"

#define BURST      4096
#define PER_SECOND 100

bool pace_take(struct ipc *s)
{
	return tokens_take(&s->makings, BURST, PER_SECOND);
}
