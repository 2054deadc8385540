/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a network policy as addresses, once, at create. Every name is looked up in
 * a process of its own, all at the same time, within one bound: a resolver can take its
 * time, and what it loads must not stay with the supervisor. All addresses are pinned; a
 * name without any refuses create.
 */
#ifndef SANDLOCK_PLAN_RESOLVE_H
#define SANDLOCK_PLAN_RESOLVE_H

#include "runtime/plan/net.h"

#define NET_RESOLVE_MS 5000

int plan_net_resolve(struct plan_net *plan, struct sl_err *err);

/* The pinned names as lines of hosts(5), "" without any. */
const char *plan_net_hosts_text(struct arena *a, const struct plan_net *plan);

#endif
