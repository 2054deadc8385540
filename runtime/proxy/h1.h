/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP/1.1 between a client and a server. No more bytes are read than the other side takes, so a
 * connection needs the same memory whatever it carries. Heads are written anew from what was
 * judged.
 */
#ifndef SANDLOCK_PROXY_H1_H
#define SANDLOCK_PROXY_H1_H

#include "runtime/proxy/proxy.h"

void h1_begin(struct conn *c);
void h1_run(struct conn *c);
/* Passes bytes on unchanged after an upgrade. */
void h1_tunnel(struct conn *c);

#endif
