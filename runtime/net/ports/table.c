/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/net/ports/table.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"

#define LINE_ROOM 256

/* The kernel pads the lines of the v4 files to this width (net/ipv4/tcp_ipv4.c, udp.c), but not
 * those of the v6 files. */
static int width_of(enum net_proto proto, bool v6)
{
	if (v6)
		return 0;
	return proto == NET_TCP ? 149 : 127;
}

/* Prints the address as hexadecimal words in the byte order of the machine. */
static void print_address(char *buf, size_t size, net_addr addr, bool v6)
{
	size_t words = v6 ? 4 : 1, at = 0;

	for (size_t i = 0; i < words; i++) {
		uint32_t word = htonl((uint32_t)(addr >> (32 * (words - 1 - i))));

		at += (size_t)snprintf(buf + at, size - at, "%08X", word);
	}
}

static void print_port_line(char line[LINE_ROOM], unsigned int number, const struct port_binding *b)
{
	const bool tcp = b->proto == NET_TCP;
	char local[40], none[40];

	print_address(local, sizeof(local), b->addr, b->v6);
	print_address(none, sizeof(none), 0, b->v6);
	snprintf(line, LINE_ROOM,
		"%4u: %s:%04X %s:0000 %s 00000000:00000000 00:00000000 00000000     0        0 "
		"%llu %s",
		number, local, b->asked, none, tcp ? "0A" : "07", (unsigned long long)b->inode,
		tcp ? "1 0000000000000000 100 0 0 10 0" : "2 0000000000000000 0");
}

static int read_headline(int dir_fd, const char *name, char head[LINE_ROOM])
{
	char *end;

	if (io_slurp(dir_fd, name, head, LINE_ROOM) < 0)
		return -1;
	end = strchr(head, '\n');
	if (!end) {
		errno = EINVAL;
		return -1;
	}
	*end = '\0';
	return 0;
}

static int write_one(struct arena *a, int dir_fd, const char *name, const struct port_list *l,
	enum net_proto proto, bool v6, struct sl_err *err)
{
	char *text = arena_alloc(a, (l->n + 1) * LINE_ROOM), *at = text;
	const int width = width_of(proto, v6);
	unsigned int number = 0;
	char line[LINE_ROOM];

	if (!text)
		return sl_err_set(err, ENOMEM, "%s", name);
	if (read_headline(dir_fd, name, line) < 0)
		return sl_err_set(err, errno, "the headline of %s", name);
	at += snprintf(at, LINE_ROOM, "%s\n", line);
	for (size_t i = 0; i < l->n; i++) {
		if (l->items[i].proto != proto || l->items[i].v6 != v6)
			continue;
		print_port_line(line, number++, &l->items[i]);
		at += snprintf(at, LINE_ROOM, "%-*s\n", width, line);
	}
	return io_replace_file(dir_fd, name, text, (size_t)(at - text), 0444, err);
}

int table_write(struct arena *a, int dir_fd, const struct port_list *l, struct sl_err *err)
{
	if (write_one(a, dir_fd, "tcp", l, NET_TCP, false, err) < 0 ||
		write_one(a, dir_fd, "tcp6", l, NET_TCP, true, err) < 0 ||
		write_one(a, dir_fd, "udp", l, NET_UDP, false, err) < 0)
		return -1;
	return write_one(a, dir_fd, "udp6", l, NET_UDP, true, err);
}
