/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks up the host names of a network policy once, at create. A child process looks up each name;
 * all run at the same time with one time limit, because a resolver can be slow, and because the
 * libraries that it loads must not stay in the supervisor. All addresses are pinned. A name without
 * an address makes create fail.
 */
#ifndef SANDLOCK_PLAN_RESOLVE_H
#define SANDLOCK_PLAN_RESOLVE_H

#include "runtime/plan/net.h"

#define NET_RESOLVE_MS 5000

int plan_net_resolve(struct plan_net *plan, struct sl_err *err);

/* The pinned names as lines of hosts(5); "" if there are none. */
const char *plan_net_hosts_text(struct arena *a, const struct plan_net *plan);

#endif
