/* SPDX-License-Identifier: Apache-2.0
 *
 * The ports of a pod where they are replaced: what a container names, what stands on the stack for
 * it, and what of that a sibling has bound.
 */
#include "runtime/net/ports/space.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "tests/unit/check.h"

static char own_dir[] = "/tmp/sandlock-space-XXXXXX";
static char sibling_dir[] = "/tmp/sandlock-sibling-XXXXXX";

static void each_sibling(void *ctx, void (*each)(int dir_fd, void *arg), void *arg)
{
	each(*(int *)ctx, arg);
}

static int no_proc_net(void *ctx)
{
	(void)ctx;
	return -1;
}

static const struct net_host host = { .each_sibling = each_sibling, .proc_net = no_proc_net };

static struct port_binding bound(enum net_proto proto, uint16_t asked, uint16_t real)
{
	return (struct port_binding){ .proto = proto, .asked = asked, .real = real, .inode = real };
}

static void sibling_binds(int dir_fd, const struct port_binding *b, size_t n)
{
	auto_arena struct arena *a = arena_new();
	struct port_binding copy[4];
	const struct port_list l = { copy, n };
	struct sl_err err;

	memcpy(copy, b, n * sizeof(*b));
	CHECK(ports_write(a, dir_fd, "sibling", "pod", &l, &err) == 0);
}

static enum space_port find(
	const struct space *s, enum net_proto proto, net_addr addr, uint16_t port, uint16_t *ret)
{
	const struct net_dest d = { .proto = proto, .addr = addr, .port = port };

	*ret = 0;
	return space_find(s, &d, ret);
}

/* Port 80 of the container is 20000 on the stack; 8080 is what it was asked for. */
static void own_ports(struct space *s)
{
	uint16_t real;

	s->list.items[0] = bound(NET_TCP, 80, 20000);
	s->list.items[1] = bound(NET_TCP, 8080, 8080);
	s->list.n = 2;
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 80, &real) == SPACE_MAPPED && real == 20000);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 8080, &real) == SPACE_MAPPED && real == 8080);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 81, &real) == SPACE_UNKNOWN);
	/* By its number on the stack it is not there for the container. */
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 20000, &real) == SPACE_HIDDEN);
	CHECK(find(s, NET_UDP, INADDR_LOOPBACK, 80, &real) == SPACE_UNKNOWN);
	CHECK(find(s, NET_ICMP, INADDR_LOOPBACK, 80, &real) == SPACE_UNKNOWN);
	CHECK(space_name(s, NET_TCP, 20000) == 80 && space_name(s, NET_TCP, 8080) == 8080);
	CHECK(space_name(s, NET_UDP, 20000) == 20000);
	CHECK(space_has_replaced(s, NET_TCP) && !space_has_replaced(s, NET_UDP));
}

/* What was bound to one address is reached by that one. */
static void addresses(struct space *s)
{
	uint16_t real;

	s->list.items[0].addr = INADDR_LOOPBACK + 1;
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 80, &real) == SPACE_UNKNOWN);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK + 1, 80, &real) == SPACE_MAPPED);
	s->list.items[0].addr = 0;
}

static void siblings(struct space *s, int sibling_fd)
{
	const struct port_binding theirs[] = { bound(NET_TCP, 5432, 20001),
		bound(NET_UDP, 53, 20002) };
	uint16_t real;

	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 5432, &real) == SPACE_UNKNOWN);
	sibling_binds(sibling_fd, theirs, 2);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 5432, &real) == SPACE_MAPPED && real == 20001);
	CHECK(space_name(s, NET_UDP, 20002) == 53 && space_has_replaced(s, NET_UDP));
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 20001, &real) == SPACE_HIDDEN);
}

/* A sibling's file that cannot be read opens nothing. */
static void a_damaged_file(struct space *s, int sibling_fd)
{
	auto_fd int fd = openat(sibling_fd, PORTS_FILE, O_WRONLY | O_TRUNC | O_CLOEXEC);
	uint16_t real;

	CHECK(fd >= 0 && write(fd, "{", 1) == 1);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 5432, &real) == SPACE_UNKNOWN);
	CHECK(find(s, NET_TCP, INADDR_LOOPBACK, 80, &real) == SPACE_MAPPED);
}

/* A socket that connects from a replaced port is noted, and the file is written. */
static void clients(struct space *s)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct port_list l;
	struct stat st;
	struct sl_err err;

	CHECK(fstat(fd, &st) == 0 && !space_has_clients(s));
	space_note_client(s, fd);
	CHECK(!space_has_clients(s)); /* another socket */
	s->list.items[0].inode = st.st_ino;
	space_note_client(s, fd);
	CHECK(space_has_clients(s));
	CHECK(ports_read(a, s->dir_fd, &l, &err) == 0 && l.n == 2 && l.items[0].client);
}

int main(void)
{
	auto_fd int own_fd = -1, sibling_fd = -1;
	struct space s = { .host = &host, .id = "own", .pod = "pod" };
	const struct net_dest d = { .proto = NET_TCP, .port = 80 };
	struct sl_err err;
	uint16_t real;

	CHECK(mkdtemp(own_dir) && mkdtemp(sibling_dir));
	own_fd = open(own_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sibling_fd = open(sibling_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s.dir_fd = own_fd;
	s.ctx = &sibling_fd;
	CHECK(space_find(&s, &d, &real) == SPACE_UNKNOWN); /* no port is replaced */
	CHECK(space_open(&s, &err) == 0);
	own_ports(&s);
	addresses(&s);
	siblings(&s, sibling_fd);
	a_damaged_file(&s, sibling_fd);
	clients(&s);
	unlinkat(own_fd, PORTS_FILE, 0);
	unlinkat(sibling_fd, PORTS_FILE, 0);
	CHECK(rmdir(own_dir) == 0 && rmdir(sibling_dir) == 0);
	free(s.list.items);
	arena_free(s.scratch);
	return check_done();
}
