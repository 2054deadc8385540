/* SPDX-License-Identifier: Apache-2.0
 *
 * A container's list of ports as a file, and what of it is still there.
 */
#include "runtime/net/ports/ports.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "tests/unit/check.h"

static char dir[] = "/tmp/sandlock-ports-XXXXXX";

static int parse(struct arena *a, const char *text, struct port_list *ret, struct sl_err *err)
{
	return ports_parse(a, text, strlen(text), ret, err);
}

static void refusals(struct arena *a)
{
	static const char *const malformed[] = {
		"{\"ports\": [{}]}",
		"{\"ports\": [{\"protocol\": \"icmp\", \"hostIP\": \"0.0.0.0\", "
		"\"containerPort\": 1, \"hostPort\": 1, \"inode\": 1}]}",
		"{\"ports\": [{\"protocol\": \"tcp\", \"hostIP\": \"1.2.3\", \"containerPort\": 1, "
		"\"hostPort\": 1, \"inode\": 1}]}",
		"{\"ports\": [{\"protocol\": \"tcp\", \"hostIP\": \"::1\", \"containerPort\": 0, "
		"\"hostPort\": 1, \"inode\": 1}]}",
		"{\"ports\": [{\"protocol\": \"tcp\", \"hostIP\": \"::1\", \"containerPort\": 1, "
		"\"hostPort\": 65536, \"inode\": 1}]}",
		"{\"ports\": [{\"protocol\": \"tcp\", \"hostIP\": \"::1\", \"containerPort\": 1, "
		"\"hostPort\": 1, \"inode\": -1}]}",
	};
	struct port_list l;
	struct sl_err err;

	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
		CHECK_ERR_CONTAINS(parse(a, malformed[i], &l, &err), err, PORTS_FILE ": ports[0]");
	CHECK_ERR_CONTAINS(parse(a, "{}", &l, &err), err, "ports: missing");
	CHECK_ERR_CONTAINS(parse(a, "{\"ports\": 1}", &l, &err), err, "ports: expected array");
	CHECK_ERR_CONTAINS(parse(a, "{\"ports\": [", &l, &err), err, PORTS_FILE);
	CHECK(l.n == 0);
}

static bool same(const struct port_binding *a, const struct port_binding *b)
{
	return a->proto == b->proto && a->v6 == b->v6 && a->v6only == b->v6only &&
	       a->addr == b->addr && a->asked == b->asked && a->real == b->real &&
	       a->client == b->client && a->inode == b->inode;
}

static void written_and_read(struct arena *a, int dir_fd)
{
	struct port_binding items[] = {
		{ .proto = NET_TCP, .addr = 0x7f000001, .asked = 80, .real = 20000, .inode = 1 },
		{ .proto = NET_UDP,
			.v6 = true,
			.v6only = true,
			.addr = 1,
			.asked = 53,
			.real = 53,
			.client = true,
			.inode = UINT32_MAX },
	};
	const struct port_list l = { items, 2 };
	struct port_list got = { NULL, 9 };
	struct sl_err err;
	char text[INET6_ADDRSTRLEN];

	CHECK(ports_read(a, dir_fd, &got, &err) == 0 && got.n == 0); /* no file: no port */
	CHECK(ports_write(a, dir_fd, "an-id", "a-pod", &l, &err) == 0);
	CHECK(ports_read(a, dir_fd, &got, &err) == 0 && got.n == 2);
	CHECK(same(&got.items[0], &items[0]) && same(&got.items[1], &items[1]));
	CHECK_STR(ports_address(&got.items[0], text, sizeof(text)), "127.0.0.1");
	CHECK_STR(ports_address(&got.items[1], text, sizeof(text)), "::1");
}

/* A socket that is bound to a free port. Returns it. */
static int bound(struct port_binding *ret)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(at);
	struct stat st;

	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 1) == 0 &&
		getsockname(fd, (struct sockaddr *)&at, &len) == 0 && fstat(fd, &st) == 0);
	*ret = (struct port_binding){ .proto = NET_TCP,
		.addr = INADDR_LOOPBACK,
		.real = ntohs(at.sin_port),
		.inode = st.st_ino };
	return fd;
}

/* One port stands as it was asked for and belongs to its socket; one replaces another port and
 * stays as long as anybody holds it. */
static void pruned(void)
{
	auto_fd int diag_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	struct port_binding items[PORTS_MAX], own, other;
	struct port_list l = { items, 3 };
	int own_fd = bound(&own), other_fd = bound(&other);

	own.asked = own.real;
	other.asked = 81;
	items[0] = own;
	items[1] = own;
	items[1].inode++; /* the same port, when it was another socket's */
	items[2] = other;
	ports_prune(diag_fd, 0, &l);
	CHECK(l.n == 2 && same(&items[0], &own) && same(&items[1], &other));
	close(other_fd);
	ports_prune(diag_fd, own.asked, &l);
	CHECK(l.n == 2); /* only that one port was looked at */
	ports_prune(diag_fd, 0, &l);
	CHECK(l.n == 1 && same(&items[0], &own));
	close(own_fd);
	ports_prune(-1, 0, &l);
	CHECK(l.n == 1); /* the kernel could not be asked: it stays */
	ports_prune(diag_fd, 0, &l);
	CHECK(l.n == 0);
}

static void a_full_list(void)
{
	auto_fd int diag_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	static struct port_binding items[PORTS_MAX];
	struct port_list l = { items, PORTS_MAX };

	for (size_t i = 0; i < PORTS_MAX; i++)
		items[i] = (struct port_binding){
			.proto = NET_UDP, .asked = (uint16_t)(i + 1), .real = 1, .inode = i + 1
		};
	ports_prune(diag_fd, 1, &l);
	CHECK(l.n == 0); /* room is made among all of them */
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = -1;

	CHECK(mkdtemp(dir) != NULL);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	refusals(a);
	written_and_read(a, dir_fd);
	pruned();
	a_full_list();
	unlinkat(dir_fd, PORTS_FILE, 0);
	CHECK(rmdir(dir) == 0);
	return check_done();
}
