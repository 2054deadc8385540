/* SPDX-License-Identifier: Apache-2.0
 *
 * The two requests to init while a container is made: to confine itself, and to fork the
 * workload. This file only sends them; build.c decides when, and waits for the answers.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/confine/filter.h"
#include "runtime/confine/landlock.h"
#include "runtime/confine/needs.h"
#include "runtime/seccomp/profile.h"
#include "runtime/supervisor/build.h"

static int make_ruleset(struct making *b, int root_fd, int *ret_fd, struct sl_err *err)
{
	struct landlock_rule rules[5] = { { root_fd, LANDLOCK_TREE_ACCESS } };
	struct landlock_params p = {
		.rules = rules,
		.n_rules = 1,
		.waived = b->plan->waived,
		.net = &b->plan->net,
	};
	/* Most processes that are exec'd later have the host's /dev/null as stdio. They can open
	 * it again by /proc/self/fd only if the Landlock domain has a rule for it from the
	 * beginning. */
	auto_fd int null_fd = open("/dev/null", O_PATH | O_CLOEXEC);

	if (null_fd < 0)
		return sl_err_set(err, errno, "open /dev/null");
	rules[p.n_rules++] = (struct landlock_rule){ null_fd, LANDLOCK_FILE_ACCESS };
	/* A terminal belongs to the devpts of the tree and needs no rule of its own. */
	for (int i = 0; i < 3 && !b->plan->process.terminal; i++) {
		struct stat st;

		if (fstat(b->stdio[i], &st) < 0)
			return sl_err_set(err, errno, "stdio %d", i);
		/* These have a path and can be opened again as /dev/stdout. */
		if (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
			rules[p.n_rules++] =
				(struct landlock_rule){ b->stdio[i], LANDLOCK_FILE_ACCESS };
	}
	return landlock_prepare(&p, ret_fd, err);
}

static int profile_file(const struct sock_filter *insns, size_t n, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = memfd_create("sandlock-profile", MFD_CLOEXEC);

	if (fd < 0)
		return sl_err_set(err, errno, "memfd_create");
	if (io_write_all(fd, insns, n * sizeof(*insns)) < 0)
		return sl_err_set(err, errno, "write the profile");
	*ret_fd = take_fd(&fd);
	return 0;
}

static struct filter_params filter_of(const struct supervisor *s, const struct plan *plan)
{
	return (struct filter_params){
		.own_ipc = s->ipc != NULL,
		.allow_sysv_ipc = plan->ipc.host_sysv,
		.allow_mqueue = plan->ipc.host_mqueue,
		.trap_uname = plan->trap_uname,
		.trap_sysinfo = plan->fs.size_memory,
		.trap_getpid = plan->main_is_1,
		.trap_busy = plan_fs_busy(&plan->fs),
		.trap_connect = plan_net_connects(&plan->net),
		.trap_bind = plan->net.bind_judged,
		.trap_listen = plan->net.bind_limited,
		.trap_names = plan->net.remap,
		.allow_udp = plan->net.udp,
		.judge_unix = plan->net.unix_judged,
		.allow_ping = plan->net.ping,
		.count_tasks = plan->limits.tasks != UINT64_MAX,
		.bind_cpus = plan_cpu_binds(&plan->limits.cpu),
		.view = plan->net.view,
		.own_stack = plan->net.own_stack,
	};
}

/* Puts the bundle's profile on the domain thread of init. This is not possible if the profile
 * refuses a call that the thread or its children need. Then *ret_fd stays -1, each child
 * installs the profile itself, and a child without no_new_privs must keep CAP_SYS_ADMIN for
 * that. */
static int make_profile(struct making *b, struct init_confine *c, int *ret_fd, struct sl_err *err)
{
	const struct profile *profile = &b->plan->profile;

	if (!profile->insns)
		return 0;
	if (needs_first_refused(profile)) {
		if (!b->plan->process.no_new_privileges)
			c->caps_ceiling |= 1ULL << CAP_SYS_ADMIN;
		return 0;
	}
	c->has_profile = true;
	c->profile_flags = profile->flags;
	return profile_file(profile->insns, profile->n, ret_fd, err);
}

int ask_for_confinement(struct making *b, int root_fd, struct sl_err *err)
{
	const struct plan *plan = b->plan;
	struct init_msg m = {
		.type = INIT_CONFINE,
		.confine = {
			.caps_ceiling = plan->caps_ceiling,
			.caps_bounding = plan->main_caps.caps.bounding,
			.personality = plan->personality,
			.has_personality = plan->has_personality,
			.has_memory_policy = plan->memory.set,
			.memory_mode = plan->memory.mode,
			.memory_nodes = plan->memory.nodes,
			.new_keyring = plan->new_keyring,
			.scope_signals = landlock_has(NODE_PROT_LANDLOCK_SIGNAL),
			.no_new_privs = plan->process.no_new_privileges,
			.filter = filter_of(b->s, plan),
		},
	};
	auto_fd int ruleset_fd = -1, profile_fd = -1;
	int fds[CONFINE_FDS];

	if (make_ruleset(b, root_fd, &ruleset_fd, err) < 0 ||
		make_profile(b, &m.confine, &profile_fd, err) < 0)
		return -1;
	fds[CONFINE_FD_ROOT] = root_fd;
	m.confine.has_landlock = m.confine.filter.allow_trace = ruleset_fd >= 0;
	fds[CONFINE_FD_RULESET] = ruleset_fd >= 0 ? ruleset_fd : root_fd;
	fds[CONFINE_FD_PROFILE] = profile_fd >= 0 ? profile_fd : root_fd;
	if (io_send_fds(b->s->channel_fd, &m, sizeof(m), fds, CONFINE_FDS) < 0)
		return sl_err_set(err, errno, "confine init");
	return 0;
}

int ask_for_workload(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	const struct plan *plan = b->plan;
	struct init_msg m = {
		.type = INIT_SPAWN,
		.spawn = { .is_main = 1, .n_preserve = (uint8_t)b->job->n_preserve },
	};
	int fds[SPAWN_FDS + IO_MAX_FDS];
	auto_fd int child_sync_fd = -1, blob_fd = -1;

	if (plan_pack_process(plan, &plan->process, NULL, &blob_fd, err) < 0 ||
		plan_process_map(blob_fd, &b->process, err) < 0)
		return -1;
	if (sync_open(&s->sync_fd, &child_sync_fd, err) < 0)
		return -1;
	fds[SPAWN_FD_BLOB] = blob_fd;
	fds[SPAWN_FD_SYNC] = child_sync_fd;
	memcpy(fds + SPAWN_FD_STDIN, b->stdio, sizeof(b->stdio));
	for (int i = 0; i < b->job->n_preserve; i++)
		fds[SPAWN_FDS + i] = 3 + i;
	if (io_send_fds(s->channel_fd, &m, sizeof(m), fds, SPAWN_FDS + (size_t)b->job->n_preserve) <
		0)
		return sl_err_set(err, errno, "ask init for a process");
	return 0;
}
