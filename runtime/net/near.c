/* SPDX-License-Identifier: Apache-2.0
 *
 * Datagram sockets that are connected to a port of this node because the pod holds this port. In
 * the kernel they stay connected when another process takes the port over, and their sends are not
 * trapped. Therefore the supervisor keeps a duplicate of each and checks regularly who holds the
 * port. When the pod is no longer the only holder, the supervisor disconnects the socket. It
 * connects the socket again when the pod has the port back, as a client expects whose server is
 * restarted.
 *
 * When no process of the container holds a socket any more, the supervisor disconnects it and
 * closes its duplicate.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/loop/loop.h"
#include "runtime/net/internal.h"

/* Each socket costs a descriptor, and each destination costs a search in the kernel's table. */
#define NEAR_MAX       256
#define NEAR_DESTS_MAX 16

/* The time between two checks of who holds the ports, and of whether the sockets are still used. */
#define LOOK_MS  20
#define SWEEP_MS 1000

struct near_socket {
	int fd;
	uint64_t inode;
	struct net_dest dest;
	struct mat_addr addr;
	bool cut;
	struct near_socket *next;
};

static void cut(struct near_socket *k)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	if (!k->cut && connect(k->fd, &none, sizeof(none)) == 0)
		k->cut = true;
}

static void set_near_pace(struct net *n)
{
	tick_want(&n->tick, TICK_NEAR, n->n_near > 0 ? TICK_USUAL : TICK_OFF);
}

static void let_go(struct net *n, struct near_socket **at)
{
	struct near_socket *k = *at;

	*at = k->next;
	drop_fd(&k->fd);
	free(k);
	n->n_near--;
	set_near_pace(n);
}

void near_forget(struct net *n, int fd)
{
	struct near_socket **at = &n->near;
	struct stat st;

	if (!n->near || fstat(fd, &st) < 0)
		return;
	while (*at && (*at)->inode != st.st_ino)
		at = &(*at)->next;
	if (*at)
		let_go(n, at);
}

/* Removes the sockets that no process holds any more: nothing reports that a process closes one. */
static void sweep_near(struct net *n)
{
	uint64_t inodes[NEAR_MAX];
	bool held[NEAR_MAX] = { false };
	size_t i = 0;

	for (const struct near_socket *k = n->near; k; k = k->next)
		inodes[i++] = k->inode;
	n->setup.host->find_held(n->setup.ctx, inodes, i, held);
	i = 0;
	for (struct near_socket **at = &n->near; *at;) {
		if (held[i++]) {
			at = &(*at)->next;
			continue;
		}
		cut(*at);
		let_go(n, at);
	}
	n->near_sweep_ms = clock_now_ms() + SWEEP_MS;
}

static bool is_same_dest(const struct net_dest *a, const struct net_dest *b)
{
	return a->v6 == b->v6 && a->addr == b->addr && a->port == b->port;
}

/* The place in the list for a socket with that destination. Sockets with the same destination are
 * neighbours. Returns NULL when there are too many. */
static struct near_socket **find_place(struct net *n, const struct net_dest *d)
{
	const struct near_socket *before = NULL;
	struct near_socket **at = &n->near;
	size_t dests = 0;

	for (; *at && !is_same_dest(&(*at)->dest, d); before = *at, at = &(*at)->next)
		dests += !before || !is_same_dest(&before->dest, &(*at)->dest);
	return n->n_near < NEAR_MAX && (*at || dests < NEAR_DESTS_MAX) ? at : NULL;
}

int near_connect(struct net *n, struct mat_socket *s, const struct mat_addr *addr)
{
	auto_free struct near_socket *k = calloc(1, sizeof(*k));
	struct mat_addr copy = *addr;
	struct near_socket **at;
	struct stat st;
	bool none;

	if (!k || fstat(s->fd, &st) < 0 || mat_destination(s, &copy, false, &k->dest, &none) < 0)
		return -1;
	at = find_place(n, &k->dest);
	if (!at) {
		sweep_near(n);
		at = find_place(n, &k->dest);
	}
	if (!at) {
		errno = EAGAIN;
		return -1;
	}
	if (connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len) < 0)
		return -1;
	k->fd = take_fd(&s->fd);
	k->inode = st.st_ino;
	k->addr = *addr;
	k->next = *at;
	if (n->n_near++ == 0)
		n->near_sweep_ms = clock_now_ms() + SWEEP_MS;
	*at = k;
	k = NULL; /* the list owns it now */
	set_near_pace(n);
	return 0;
}

void near_look(struct net *n)
{
	const struct near_socket *before = NULL;
	bool ours = false;

	if (!n->near || clock_now_ms() < n->near_look_ms)
		return;
	for (struct near_socket *k = n->near; k; before = k, k = k->next) {
		if (!before || !is_same_dest(&before->dest, &k->dest))
			ours = owner_of_port(&n->reach, &k->dest) == OWNER_POD;
		if (!ours)
			cut(k);
		else if (k->cut)
			k->cut = connect(k->fd, (const struct sockaddr *)&k->addr.addr,
					 k->addr.len) < 0;
	}
	if (clock_now_ms() >= n->near_sweep_ms)
		sweep_near(n);
	n->near_look_ms = clock_now_ms() + LOOK_MS;
}

/* LINGER_MS is longer than the supervisor of another container takes to disconnect its sockets. A
 * caller that binds looks every millisecond, so a socket that was not seen for UNSEEN_MS was
 * disconnected; if it comes back, the wait begins anew. */
#define LINGER_MS 100
#define UNSEEN_MS 200

struct lingering {
	struct net *n;
	const struct net_bind *b;
	int64_t now_ms;
	bool waits;
};

static bool is_ours(const struct net *n, uint64_t inode)
{
	for (const struct near_socket *k = n->near; k; k = k->next)
		if (k->inode == inode)
			return true;
	return false;
}

/* The entry of the socket, or the one that was not seen for the longest time. */
static struct net_linger *find_linger(struct net *n, uint64_t inode)
{
	struct net_linger *oldest = n->linger;

	for (size_t i = 0; i < LINGER_MAX; i++) {
		if (n->linger[i].inode == inode)
			return &n->linger[i];
		if (n->linger[i].seen_ms < oldest->seen_ms)
			oldest = &n->linger[i];
	}
	return oldest;
}

static void judge_connected(const struct holder *h, void *ctx)
{
	struct lingering *q = ctx;
	const struct net_dest to = { .v6 = h->v6, .addr = h->addr };
	struct net_linger *l;

	if (!net_gets(q->b->v6, q->b->v6only, q->b->addr, &to) || is_ours(q->n, h->inode))
		return;
	l = find_linger(q->n, h->inode);
	/* The list is full. The remaining sockets, which belong to programs of the host, are not
	 * waited for. */
	if (l->inode != h->inode && q->now_ms - l->seen_ms < UNSEEN_MS)
		return;
	if (l->inode != h->inode || q->now_ms - l->seen_ms >= UNSEEN_MS)
		*l = (struct net_linger){ h->inode, q->now_ms, q->now_ms };
	l->seen_ms = q->now_ms;
	q->waits |= q->now_ms - l->since_ms < LINGER_MS;
}

bool near_lingers(struct net *n, const struct net_bind *b, uint16_t port)
{
	struct lingering q = { .n = n, .b = b, .now_ms = clock_now_ms() };

	if (b->proto != NET_UDP || port == 0)
		return false;
	return holders_each_connected(n->reach.diag_fd, port, judge_connected, &q) == 0 && q.waits;
}

void near_lingers_anew(struct net *n)
{
	memset(n->linger, 0, sizeof(n->linger));
}
