/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers runtime/net's questions about processes: which sockets the own pod holds. A pod is the
 * container and every container below the same state root to which its caller has given the same
 * sandbox id.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/identity.h"
#include "runtime/confine/landlock.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

/* How long a socket that was not found in the pod counts as foreign, without a new search. If
 * the socket is passed into the pod meanwhile, it is found that much later. */
#define STRANGER_MS 1000

struct pod_search {
	int proc_fd;
	struct members_socket *list;
	size_t n;
	bool found; /* all sockets of the list were found */
};

static void look_at_container(int dir_fd, void *ctx)
{
	struct pod_search *q = ctx;
	auto_arena struct arena *a = arena_new_checked();
	struct members m = { .proc_fd = q->proc_fd, .test = members_by_mounts };
	struct members_mounts mounts;
	struct sl_err ignored;
	struct record r;

	if (!a || q->found || record_read(a, dir_fd, &r, &ignored) < 0)
		return;
	mounts = (struct members_mounts){ r.mount_ids, r.n_mount_ids, r.mount_namespace };
	m.of = &mounts;
	m.supervisor = r.supervisor;
	m.init = r.init;
	q->found = members_find_sockets(&m, q->list, q->n);
}

static bool is_known(const struct supervisor *s, uint64_t inode)
{
	for (size_t i = 0; i < POD_SOCKETS; i++)
		if (s->pod_sockets[i] == inode)
			return true;
	return false;
}

static bool is_strange(const struct supervisor *s, uint64_t inode)
{
	const int64_t since = clock_now_ms() - STRANGER_MS;

	for (size_t i = 0; i < STRANGE_SOCKETS; i++)
		if (s->strange_sockets[i].inode == inode)
			return s->strange_sockets[i].seen_ms > since;
	return false;
}

static void note_stranger(struct supervisor *s, uint64_t inode)
{
	size_t i = 0;

	while (i < STRANGE_SOCKETS && s->strange_sockets[i].inode != inode)
		i++;
	if (i == STRANGE_SOCKETS)
		i = s->next_strange_socket++ % STRANGE_SOCKETS;
	s->strange_sockets[i].inode = inode;
	s->strange_sockets[i].seen_ms = clock_now_ms();
}

static enum net_known pod_knows(void *ctx, const uint64_t *inodes, size_t n)
{
	const struct supervisor *s = ctx;
	enum net_known known = NET_KNOWN_OWN;

	for (size_t i = 0; i < n; i++) {
		/* An inode of 0 means that no process holds the socket. */
		if (inodes[i] == 0 || is_strange(s, inodes[i]))
			return NET_KNOWN_FOREIGN;
		if (!is_known(s, inodes[i]))
			known = NET_UNKNOWN;
	}
	return known;
}

static void pod_note(void *ctx, uint64_t inode)
{
	struct supervisor *s = ctx;

	if (!is_known(s, inode))
		s->pod_sockets[s->next_pod_socket++ % POD_SOCKETS] = inode;
}

/* A socket that was found stays known: the kernel does not reuse its inode number before the
 * counter wraps, and it is asked for only while the kernel lists it. A socket that was not found
 * is remembered for STRANGER_MS, so that repeated calls do not cause a search each time. */
static bool pod_owns(void *ctx, const uint64_t *inodes, size_t n)
{
	enum net_known known = pod_knows(ctx, inodes, n);
	auto_free struct members_socket *list = NULL;
	struct supervisor *s = ctx;
	struct pod_search q = { .proc_fd = s->proc_fd };

	if (known != NET_UNKNOWN)
		return known == NET_KNOWN_OWN;
	q.list = list = calloc(n, sizeof(*list));
	if (!list)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_known(s, inodes[i]))
			list[q.n++].inode = inodes[i];
	q.found = members_find_sockets(&s->members, list, q.n);
	if (!q.found)
		siblings_each(&s->siblings, look_at_container, &q);
	for (size_t i = 0; i < q.n; i++)
		if (list[i].held)
			pod_note(s, list[i].inode);
		else
			note_stranger(s, list[i].inode);
	return q.found;
}

static void find_held(void *ctx, const uint64_t *inodes, size_t n, bool *ret_held)
{
	auto_free struct members_socket *list = calloc(n + 1, sizeof(*list));
	const struct supervisor *s = ctx;

	if (!list)
		return;
	for (size_t i = 0; i < n; i++)
		list[i].inode = inodes[i];
	members_find_sockets(&s->members, list, n); /* this sorts the list */
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			ret_held[i] |= list[k].held && list[k].inode == inodes[i];
}

/* view_ready() makes the namespace of the view. That needs capabilities, which are given up
 * afterwards. */
static bool is_harmless(void *ctx)
{
	const struct supervisor *s = ctx;

	return !s->view || view_ready(s->view);
}

static int proc_net(void *ctx)
{
	const struct supervisor *s = ctx;

	return s->view ? view_proc_fd(s->view) : -1;
}

static void each_sibling(void *ctx, void (*each)(int dir_fd, void *arg), void *arg)
{
	struct supervisor *s = ctx;

	siblings_each(&s->siblings, each, arg);
}

/* Only runtimes can open the state root, and each of them holds the lock for a few system calls. */
static int lock_binding(void *ctx)
{
	const struct supervisor *s = ctx;

	return flock(s->state_root_fd, LOCK_EX | LOCK_NB);
}

static void unlock_binding(void *ctx)
{
	const struct supervisor *s = ctx;

	flock(s->state_root_fd, LOCK_UN);
}

int pod_open_network(struct supervisor *s, const struct plan *all, struct sl_err *err)
{
	const struct plan_net *plan = &all->net;
	static const struct net_host host = {
		.owns = pod_owns,
		.knows = pod_knows,
		.note = pod_note,
		.find_held = find_held,
		.each_sibling = each_sibling,
		.lock = lock_binding,
		.unlock = unlock_binding,
		.is_harmless = is_harmless,
		.proc_net = proc_net,
		.fence_sockets = landlock_fence_sockets,
	};
	const struct net_setup setup = {
		.plan = plan,
		.id = s->record.id,
		.pod = record_pod(&s->record),
		.dir_fd = s->dir_fd,
		.proc_fd = s->proc_fd,
		.node_route_fd = s->node_route_fd,
		.node_news_fd = s->node_news_fd,
		.proxy_fd = s->proxy_fd,
		.proxy_ports = all->http.ports,
		.n_proxy_ports = all->http.n_ports,
		.proxy_connections = all->http.limits.connections,
		.host = &host,
		.ctx = s,
	};

	if (!plan_net_connects(plan) && !plan->bind_judged && !plan->bind_limited)
		return 0;
	s->siblings = (struct siblings){
		.root_fd = s->state_root_fd, .id = s->record.id, .pod = record_pod(&s->record)
	};
	return net_open(s->arena, &setup, &s->net, err);
}
