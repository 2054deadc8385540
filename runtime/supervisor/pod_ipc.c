/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose System V objects and POSIX queues a container uses. An ipc namespace without a path
 * gives the container its own. A path names another container, by the pid of its tracked
 * process, or a namespace that a caller has made and keeps; all containers that name the same
 * one share the objects. Without an ipc namespace, or with the path of a container that has
 * none, the objects are the host's.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

/* Returns whether the tracked process or the workload of container `id` has this pid. */
static bool is_of(
	const struct supervisor *s, struct arena *a, const char *id, pid_t pid, struct record *ret)
{
	auto_fd int dir_fd = -1;
	struct sl_err ignored;

	return store_open(s->state_root_fd, id, &dir_fd, &ignored) == 0 &&
	       record_read(a, dir_fd, ret, &ignored) == 0 &&
	       (ret->supervisor.pid == pid || ret->workload.pid == pid);
}

/* The path nearly always names the sandbox of the own pod, so that one is tried first. */
static bool find_container(
	const struct supervisor *s, struct arena *a, pid_t pid, struct record *ret)
{
	const char *pod = record_pod(&s->record);
	struct sl_err ignored;
	char **ids;

	if (pod[0] && is_of(s, a, pod, pid, ret))
		return true;
	if (store_list(a, s->state_root_fd, &ids, &ignored) < 0)
		return false;
	for (; *ids; ids++)
		if (is_of(s, a, *ids, pid, ret))
			return true;
	return false;
}

static const char *name_of(const struct supervisor *s, const char *path, struct sl_err *err)
{
	struct stat named, own;

	if (stat(path, &named) < 0 || stat("/proc/self/ns/ipc", &own) < 0) {
		sl_err_set(err, errno, "linux.namespaces: ipc: %s", path);
		return NULL;
	}
	if (named.st_ino == own.st_ino && named.st_dev == own.st_dev)
		return "";
	/* No container's id contains ':'. */
	return arena_printf(s->arena, "ns:%llu", (unsigned long long)named.st_ino);
}

/* *ret_pod: "" for the host's. *with: the container that the path names; its id is NULL if the
 * path names none. */
static int resolve(const struct supervisor *s, const char *path, const char **ret_pod,
	struct record *with, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	struct record r;
	int pid, end = 0;

	if (sscanf(path, "/proc/%d/ns/ipc%n", &pid, &end) == 1 && end > 0 && !path[end] &&
		find_container(s, a, pid, &r)) {
		*ret_pod = arena_strdup(s->arena, r.ipc);
		with->id = arena_strdup(s->arena, r.id);
		with->supervisor = r.supervisor;
		return 0;
	}
	*ret_pod = name_of(s, path, err);
	return *ret_pod ? 0 : -1;
}

/* The named container may have ended and been deleted before ipc_open() entered it in the table.
 * Then nobody would remove its entry later. */
static int check_alive(const struct supervisor *s, const struct record *with, struct sl_err *err)
{
	if (!with->id || proc_alive(s->proc_fd, &with->supervisor))
		return 0;
	if (ipc_leave(s->state_root_fd, s->record.ipc, with->id, err) < 0)
		return -1;
	return sl_err_set(err, 0, "linux.namespaces: ipc: container %s has ended", with->id);
}

int pod_open_ipc(struct supervisor *s, const struct plan *plan, struct sl_err *err)
{
	struct record with = { 0 };
	struct ipc_setup setup = {
		.limits = &plan->ipc.limits,
		.root_fd = s->state_root_fd,
		.proc_fd = s->proc_fd,
		.id = s->record.id,
		.pod = s->record.id,
	};

	s->record.ipc = "";
	if (plan->ipc.whose == PLAN_IPC_HOST)
		return 0;
	if (plan->ipc.whose == PLAN_IPC_NAMED) {
		if (resolve(s, plan->ipc.path, &setup.pod, &with, err) < 0)
			return -1;
		if (!setup.pod[0])
			return plan_ipc_check_host(&plan->ipc, err);
		setup.with = with.id;
	}
	/* A container that names this one later enters both in the table. */
	setup.shared = plan->ipc.whose == PLAN_IPC_NAMED;
	s->record.ipc = setup.pod;
	return ipc_open(s->arena, &setup, &s->ipc, err) < 0 ? -1 : check_alive(s, &with, err);
}

void pod_leave_ipc(struct supervisor *s)
{
	struct sl_err ignored;

	/* If this fails, `delete` removes the entry. */
	if (s->record.ipc && s->record.ipc[0])
		ipc_leave(s->state_root_fd, s->record.ipc, s->record.id, &ignored);
}
