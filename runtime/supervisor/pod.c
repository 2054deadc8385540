/* SPDX-License-Identifier: Apache-2.0
 *
 * The network's questions about processes: which sockets the own pod holds. A pod is the
 * container itself and every container below the same state root that its caller has
 * given the same sandbox id.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/supervisor.h"

static const char *const pod_keys[] = { "io.kubernetes.cri.sandbox-id",
	"io.kubernetes.cri-o.SandboxID" };

static const char *pod_of(const struct record *r)
{
	for (size_t k = 0; k < sizeof(pod_keys) / sizeof(pod_keys[0]); k++)
		for (size_t i = 0; i < r->n_annotations; i++)
			if (strcmp(r->annotations[i].key, pod_keys[k]) == 0)
				return r->annotations[i].value;
	return "";
}

struct search {
	int proc_fd;
	uint64_t inode;
	bool found;
};

/* Its descriptors are looked through without stopping it: what it closes meanwhile, it no
 * longer holds. */
static void look_through(pid_t pid, void *ctx)
{
	struct search *q = ctx;
	auto_fd int fd = -1;
	char path[32];
	struct dirent *e;
	DIR *d;

	if (q->found)
		return;
	snprintf(path, sizeof(path), "%d/fd", pid);
	fd = openat(q->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return;
	take_fd(&fd);
	while (!q->found && (e = readdir(d))) {
		struct stat st;

		q->found = fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISSOCK(st.st_mode) &&
			   st.st_ino == q->inode;
	}
	closedir(d);
}

static void look_at_container(
	struct supervisor *s, struct arena *a, const char *id, struct search *q)
{
	struct members m = { .proc_fd = s->proc_fd };
	auto_fd int dir_fd = -1;
	struct sl_err ignored;
	struct record r;

	if (store_open(s->state_root_fd, id, &dir_fd, &ignored) < 0 ||
		record_read(a, dir_fd, &r, &ignored) < 0 ||
		strcmp(pod_of(&r), pod_of(&s->record)) != 0)
		return;
	m.mount_ids = r.mount_ids;
	m.n_mount_ids = r.n_mount_ids;
	m.except[0] = r.supervisor.pid;
	m.except[1] = r.init.pid;
	members_each(&m, look_through, q);
}

static void look_at_pod(struct supervisor *s, struct search *q)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err ignored;
	char **ids;

	if (!pod_of(&s->record)[0] || store_list(a, s->state_root_fd, &ids, &ignored) < 0)
		return;
	for (; *ids && !q->found; ids++)
		if (strcmp(*ids, s->record.id) != 0)
			look_at_container(s, a, *ids, q);
}

/* What was found once stays: the number of a socket is not used again before the counter
 * has gone round, and it is asked for only while the kernel lists it. */
static bool pod_owns(void *ctx, uint64_t inode)
{
	struct supervisor *s = ctx;
	struct search q = { .proc_fd = s->proc_fd, .inode = inode };

	for (size_t i = 0; i < POD_SOCKETS; i++)
		if (s->pod_sockets[i] == inode)
			return true;
	if (members_each(&s->members, look_through, &q) < 0)
		return false;
	if (!q.found)
		look_at_pod(s, &q);
	if (q.found)
		s->pod_sockets[s->next_pod_socket++ % POD_SOCKETS] = inode;
	return q.found;
}

int pod_open_network(struct supervisor *s, const struct plan_net *plan, struct sl_err *err)
{
	const struct net_setup setup = {
		.plan = plan,
		.id = s->record.id,
		.pod = pod_of(&s->record),
		.dir_fd = s->dir_fd,
		.proc_fd = s->proc_fd,
		.node_addrs = s->node_addrs,
		.n_node_addrs = s->n_node_addrs,
		.owns = pod_owns,
		.ctx = s,
	};

	if (plan->mode != PLAN_NET_ASK)
		return 0;
	s->state_root_fd = openat(s->dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->state_root_fd < 0)
		return sl_err_set(err, errno, "network: open the state root");
	return net_open(s->arena, &setup, &s->net, err);
}
