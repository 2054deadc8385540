/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP/1.1 between a client and a server. Bytes are passed on as far as the other side takes them
 * and no further are read, so a connection needs the same memory whatever it carries. What is
 * passed on is written anew from what was judged.
 */
#ifndef SANDLOCK_PROXY_H1_H
#define SANDLOCK_PROXY_H1_H

#include "runtime/proxy/proxy.h"

void h1_begin(struct conn *c);
void h1_run(struct conn *c);
/* After an upgrade: bytes as they come. */
void h1_tunnel(struct conn *c);

#endif
