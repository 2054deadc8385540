/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives the supervisor's messages. When the supervisor ends, the proxy ends.
 */
#ifndef SANDLOCK_PROXY_LINK_H
#define SANDLOCK_PROXY_LINK_H

#include "runtime/proxy/proxy.h"

int link_open(struct proxy *p, struct sl_err *err);

#endif
