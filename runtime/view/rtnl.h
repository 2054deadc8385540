/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of rtnetlink(7): one request at a time and its answer. Answers are checked completely,
 * although only the kernel writes them.
 */
#ifndef SANDLOCK_VIEW_RTNL_H
#define SANDLOCK_VIEW_RTNL_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RTNL_MAX 512 /* the largest request here has about 100 bytes */

struct rtnl {
	_Alignas(struct nlmsghdr) char bytes[RTNL_MAX];
};

void rtnl_begin(struct rtnl *m, uint16_t type, uint16_t flags, const void *body, size_t n);
void rtnl_put(struct rtnl *m, uint16_t type, const void *value, size_t n);
/* Begins an attribute that contains everything that is put before rtnl_end(). Returns its
 * position. */
size_t rtnl_nest(struct rtnl *m, uint16_t type);
void rtnl_end(struct rtnl *m, size_t nest);

int rtnl_open(void);
/* Requests a change. Returns 0 when the kernel has made it, or -1 with errno. */
int rtnl_change(int fd, struct rtnl *m);

/* Finds the source address for a destination. Returns 0, or -1 when there is no route. */
int rtnl_source(int fd, const uint8_t *to, bool v6, uint8_t *ret_addr);
/* Reads the source address from the kernel's answer. */
int rtnl_read_source(const void *answer, size_t n, bool v6, uint8_t *ret_addr);

#endif
