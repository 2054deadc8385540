/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/net/ports/ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/json_read.h"

#define FILE_MAX ((size_t)256 * 1024)

static const struct read_word protos[] = { { "tcp", NET_TCP }, { "udp", NET_UDP } };

const char *ports_address(const struct port_binding *b, char *buf, size_t size)
{
	uint8_t bytes[16];

	net_addr_to_bytes(b->addr, b->v6, bytes);
	return inet_ntop(b->v6 ? AF_INET6 : AF_INET, bytes, buf, (socklen_t)size);
}

static int read_address(const struct at *up, const char *key, struct port_binding *b)
{
	const struct at at = at_member(up, key);
	const char *text = NULL;
	uint8_t bytes[16];

	if (read_str(up, key, READ_REQUIRED, &text) < 0)
		return -1;
	b->v6 = strchr(text, ':') != NULL;
	if (inet_pton(b->v6 ? AF_INET6 : AF_INET, text, bytes) != 1)
		return read_fail(&at, "expected an address");
	b->addr = net_addr_from_bytes(bytes, b->v6);
	return 0;
}

static int read_port(const struct at *up, const char *key, uint16_t *ret)
{
	int64_t v;

	if (read_i64(up, key, READ_REQUIRED, 1, UINT16_MAX, &v, NULL) < 0)
		return -1;
	*ret = (uint16_t)v;
	return 0;
}

static int read_binding(const struct at *at, void *item)
{
	const struct at proto = at_member(at, "protocol");
	struct port_binding b = { 0 };
	int word;

	if (read_is(at, JSON_OBJECT) < 0 ||
		read_word(&proto, protos, COUNT(protos), "unknown protocol", &word) < 0 ||
		read_address(at, "hostIP", &b) < 0 ||
		read_port(at, "containerPort", &b.asked) < 0 ||
		read_port(at, "hostPort", &b.real) < 0 ||
		read_u64(at, "inode", READ_REQUIRED, UINT64_MAX, &b.inode, NULL) < 0 ||
		read_bool(at, "v6only", &b.v6only) < 0 || read_bool(at, "client", &b.client) < 0)
		return -1;
	b.proto = (enum net_proto)word;
	*(struct port_binding *)item = b;
	return 0;
}

int ports_parse(
	struct arena *a, const char *text, size_t len, struct port_list *ret, struct sl_err *err)
{
	struct reader rd = { a, err };
	const struct json *j;
	void *items = NULL;
	struct at root;
	size_t n;

	ret->n = 0;
	if (json_parse(a, text, len, &j, err) < 0)
		return sl_err_wrap(err, PORTS_FILE);
	root = at_root(&rd, "", j);
	if (read_is(&root, JSON_OBJECT) < 0 ||
		read_items(&root, "ports", READ_REQUIRED, sizeof(*ret->items), read_binding, &items,
			&n) < 0)
		return sl_err_wrap(err, PORTS_FILE);
	if (n > PORTS_MAX)
		return sl_err_set(
			err, 0, PORTS_FILE ": expected a list of at most %d ports", PORTS_MAX);
	ret->items = items;
	ret->n = n;
	return 0;
}

int ports_read(struct arena *a, int dir_fd, struct port_list *ret, struct sl_err *err)
{
	char *text;
	size_t len;

	ret->n = 0;
	if (io_read_file(a, dir_fd, PORTS_FILE, FILE_MAX, &text, &len, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return ports_parse(a, text, len, ret, err);
}

static void gen_one(struct json_gen *g, const struct port_binding *b)
{
	char text[INET6_ADDRSTRLEN];

	json_gen_object(g);
	json_gen_member_string(g, "protocol", protos[b->proto].word);
	json_gen_member_string(g, "hostIP", ports_address(b, text, sizeof(text)));
	json_gen_member_u64(g, "containerPort", b->asked);
	json_gen_member_u64(g, "hostPort", b->real);
	if (b->v6only)
		json_gen_member_bool(g, "v6only", true);
	if (b->client)
		json_gen_member_bool(g, "client", true);
	json_gen_member_u64(g, "inode", b->inode);
	json_gen_end(g);
}

int ports_write(struct arena *a, int dir_fd, const char *id, const char *pod,
	const struct port_list *l, struct sl_err *err)
{
	struct json_gen *g = json_gen_new(a, false);
	const char *text;
	size_t len;

	if (!g)
		return sl_err_set(err, ENOMEM, PORTS_FILE);
	json_gen_object(g);
	json_gen_member_string(g, "id", id);
	json_gen_member_string(g, "pod", pod);
	json_gen_key(g, "ports");
	json_gen_array(g);
	for (size_t i = 0; i < l->n; i++)
		gen_one(g, &l->items[i]);
	json_gen_end(g);
	json_gen_end(g);
	text = json_gen_take(g, &len);
	if (!text)
		return sl_err_set(err, ENOMEM, PORTS_FILE);
	return io_replace_file(dir_fd, PORTS_FILE, text, len, 0600, err);
}

struct life {
	const struct port_list *list;
	bool replaced;        /* whether replaced or other ports are looked for */
	uint64_t ports[1024]; /* one bit for each real port that is looked for */
	bool found[PORTS_MAX];
};

/* A port that was not replaced may be in use by another process, so the inode must match. A
 * replacement stays the container's as long as any socket uses it. */
static void look_for(const struct holder *h, void *ctx)
{
	struct life *f = ctx;

	if (!(f->ports[h->port / 64] & (1ULL << (h->port % 64))))
		return;
	for (size_t i = 0; i < f->list->n; i++) {
		const struct port_binding *b = &f->list->items[i];

		if (b->real == h->port && (b->asked != b->real) == f->replaced)
			f->found[i] |= f->replaced || b->inode == h->inode;
	}
}

/* Collects the real ports of one protocol, replaced or not. Returns false when there are none. */
static bool collect_ports(
	struct life *f, enum net_proto proto, uint16_t asked, struct rule_ports *ret)
{
	*ret = (struct rule_ports){ UINT16_MAX, 0 };
	memset(f->ports, 0, sizeof(f->ports));
	for (size_t i = 0; i < f->list->n; i++) {
		const struct port_binding *b = &f->list->items[i];

		if (b->proto != proto || (asked != 0 && b->asked != asked) ||
			(b->asked != b->real) != f->replaced)
			continue;
		f->ports[b->real / 64] |= 1ULL << (b->real % 64);
		ret->first = b->real < ret->first ? b->real : ret->first;
		ret->last = b->real > ret->last ? b->real : ret->last;
	}
	return ret->first <= ret->last;
}

/* If the kernel does not give the whole list, the bindings stay. */
static void look(struct life *f, int diag_fd, enum net_proto proto, uint16_t asked)
{
	const enum holders_of which = f->replaced ? HOLDERS_ALL : HOLDERS_BOUND;
	struct rule_ports range;

	if (!collect_ports(f, proto, asked, &range) ||
		holders_each(diag_fd, proto, range, which, look_for, f) == 0)
		return;
	for (size_t i = 0; i < f->list->n; i++)
		f->found[i] |= f->list->items[i].proto == proto;
}

void ports_prune(int diag_fd, uint16_t asked, struct port_list *l)
{
	struct life f = { .list = l };
	size_t kept = 0;

	if (l->n == PORTS_MAX)
		asked = 0;
	for (int replaced = 0; replaced < 2; replaced++) {
		f.replaced = replaced;
		look(&f, diag_fd, NET_TCP, asked);
		look(&f, diag_fd, NET_UDP, asked);
	}
	for (size_t i = 0; i < l->n; i++)
		if ((asked != 0 && l->items[i].asked != asked) || f.found[i])
			l->items[kept++] = l->items[i];
	l->n = kept;
}
