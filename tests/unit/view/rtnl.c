/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages as they are written, and answers that are cut, overlong or of something else.
 */
#include "runtime/view/rtnl.h"

#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "tests/unit/check.h"

static const uint8_t addr[4] = { 10, 1, 2, 3 };

static size_t route(struct rtnl *m, uint16_t message, uint8_t type, uint16_t attr, size_t size)
{
	const struct rtmsg body = { .rtm_family = AF_INET, .rtm_type = type };
	static const uint8_t bytes[16] = { 10, 1, 2, 3 };
	struct nlmsghdr head;

	rtnl_begin(m, message, 0, &body, sizeof(body));
	rtnl_put(m, RTA_OIF, &(int){ 4 }, 4);
	rtnl_put(m, attr, bytes, size);
	memcpy(&head, m->bytes, sizeof(head));
	return head.nlmsg_len;
}

static void answers(void)
{
	uint8_t got[16] = { 0 };
	struct rtnl m;
	size_t n = route(&m, RTM_NEWROUTE, RTN_UNICAST, RTA_PREFSRC, 4);

	CHECK(rtnl_read_source(m.bytes, n, false, got) == 0 && memcmp(got, addr, 4) == 0);
	CHECK(rtnl_read_source(m.bytes, n, true, got) == -1);
	for (size_t cut = 0; cut < n; cut++)
		CHECK(rtnl_read_source(m.bytes, cut, false, got) == -1);
	n = route(&m, RTM_NEWROUTE, RTN_LOCAL, RTA_PREFSRC, 4);
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
	n = route(&m, NLMSG_ERROR, RTN_UNICAST, RTA_PREFSRC, 4);
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
	n = route(&m, RTM_NEWROUTE, RTN_UNICAST, RTA_PREFSRC, 16);
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
	n = route(&m, RTM_NEWROUTE, RTN_UNICAST, RTA_GATEWAY, 4);
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
	/* The last one without its padding, and nothing behind it. */
	n = route(&m, RTM_NEWROUTE, RTN_UNICAST, RTA_GATEWAY, 5);
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
	/* An attribute that says it is longer than the message. */
	n = route(&m, RTM_NEWROUTE, RTN_UNICAST, RTA_PREFSRC, 4);
	m.bytes[NLMSG_LENGTH(sizeof(struct rtmsg))] = 127;
	CHECK(rtnl_read_source(m.bytes, n, false, got) == -1);
}

static void nesting(void)
{
	const struct rtmsg body = { 0 };
	struct nlmsghdr head;
	struct rtattr outer;
	struct rtnl m;
	size_t at;

	rtnl_begin(&m, RTM_NEWLINK, NLM_F_CREATE, &body, sizeof(body));
	at = rtnl_nest(&m, 18);
	rtnl_put(&m, 1, "abcde", 5);
	rtnl_put(&m, 2, "x", 1);
	rtnl_end(&m, at);
	memcpy(&head, m.bytes, sizeof(head));
	memcpy(&outer, m.bytes + at, sizeof(outer));
	CHECK(at == NLMSG_LENGTH(sizeof(body)));
	CHECK(outer.rta_type == 18 && outer.rta_len == 4 + 12 + 5);
	CHECK(head.nlmsg_len == at + outer.rta_len);
	CHECK(head.nlmsg_flags == (NLM_F_REQUEST | NLM_F_CREATE));
}

static void kernel(void)
{
	static const uint8_t loopback[4] = { 127, 0, 0, 1 };
	const struct rtmsg body = { .rtm_family = 250 };
	auto_fd int fd = rtnl_open();
	uint8_t got[16];
	struct rtnl m;

	CHECK(fd >= 0);
	/* It leads nowhere: it is here. */
	CHECK(rtnl_source(fd, loopback, false, got) == -1);
	rtnl_begin(&m, RTM_DELROUTE, 0, &body, sizeof(body));
	CHECK(rtnl_change(fd, &m) == -1 && errno == EOPNOTSUPP);
}

int main(void)
{
	answers();
	nesting();
	kernel();
	return check_done();
}
