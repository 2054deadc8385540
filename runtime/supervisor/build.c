/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps that make a container, from nothing to a workload that waits to be started, in
 * order. Each step can fail, and a failure ends the building: what was made ends with this
 * process and with init, which sees its channel close.
 */
#include "runtime/supervisor/build.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/signals.h"
#include "runtime/confine/self.h"
#include "runtime/hooks/hooks.h"
#include "runtime/init/init.h"
#include "runtime/plan/env.h"
#include "runtime/plan/process.h"
#include "runtime/store/store.h"
#include "runtime/tty/tty.h"
#include "spec/state_doc.h"

static int start_init(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	auto_fd int theirs = -1;

	if (init_link_open(s, &theirs, err) < 0 || mntns_prepare(b, err) < 0)
		return -1;
	if (init_fork(take_fd(&theirs), &b->mntns, &s->record.init.pid, err) < 0)
		return -1;
	return 0;
}

/* Supervisor and init have their root in the tree soon, but are no members. */
static int identify_own(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	struct record *r = &s->record;

	if (proc_identify(s->proc_fd, getpid(), &r->supervisor) < 0 ||
		proc_identify(s->proc_fd, r->init.pid, &r->init) < 0)
		return sl_err_set(err, errno, "identify supervisor and init");
	s->members.supervisor = r->supervisor;
	s->members.init = r->init;
	return 0;
}

/* init starts while the tree is built; only its last mounts need the thread id. */
static int await_init_up(void *arg, struct sl_err *err)
{
	struct making *b = arg;
	struct init_msg m;

	if (b->init_tid)
		return 0;
	if (init_link_expect(b->s, INIT_HELLO, &m, NULL, err) < 0)
		return -1;
	b->init_tid = m.tid;
	return 0;
}

static int enter_netns(struct making *b, struct sl_err *err)
{
	return netns_enter(b->s, &b->plan->net, &b->back_fd, err);
}

static int open_ipc(struct making *b, struct sl_err *err)
{
	return pod_open_ipc(b->s, b->plan, err);
}

static int open_network(struct making *b, struct sl_err *err)
{
	return pod_open_network(b->s, b->plan, err);
}

static int open_view(struct making *b, struct sl_err *err)
{
	static const struct view_places places = { TREE_NET_PROC, TREE_NET_CLASS, TREE_NET_FILES,
		TREE_NET_EMPTY };
	const struct view_setup setup = {
		.plan = &b->plan->net,
		.own_files = b->plan->net.remap,
		.settle = confine_supervisor_shows,
	};

	if (b->plan->net.own_stack)
		return 0;
	if (view_open(b->s->arena, &setup, &b->s->view, err) < 0)
		return -1;
	if (!b->plan->net.view)
		return 0;
	return view_template(b->arena, b->s->view, &places, &b->net_template, err);
}

/* Opens a directory of the tree's scratch file system; -1: there is none. */
static int open_scratch(const struct supervisor *s, const char *name, int *ret, struct sl_err *err)
{
	*ret = s->scratch_fd < 0 ? -1
				 : openat(s->scratch_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret >= 0 || s->scratch_fd < 0 || errno == ENOENT)
		return 0;
	return sl_err_set(err, errno, "open %s", name);
}

/* This is late, because nobody reads these files before the workload runs, and init works
 * meanwhile. */
static int fill_view(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	auto_fd int proc_fd = -1, class_fd = -1;

	if (!b->plan->net.view || b->net_template)
		return 0;
	if (open_scratch(s, TREE_NET_PROC, &proc_fd, err) < 0 ||
		open_scratch(s, TREE_NET_CLASS, &class_fd, err) < 0)
		return -1;
	if (proc_fd >= 0 && view_fill_proc(s->view, &proc_fd, err) < 0)
		return -1;
	return class_fd >= 0 ? view_fill_class(s->view, class_fd, err) : 0;
}

/* The processors and the budget must be known before the first process of the container exists. */
static int open_cpus(struct making *b, struct sl_err *err)
{
	return cpu_open(b->s, &b->plan->limits.cpu, err);
}

static int open_limits(struct making *b, struct sl_err *err)
{
	const struct plan_limits *l = &b->plan->limits;

	if (l->memory != UINT64_MAX || l->tasks != UINT64_MAX || b->s->budget)
		if (await_init_up(b, err) < 0)
			return -1;
	return limits_open(b->s, b->plan, b->init_tid, err);
}

/* Runs when the tree has a root: init confines itself and forks the workload, which waits to be
 * set up. A workload with a terminal is forked later: the terminal is of the tree's devpts. */
static int ask_init(void *arg, int root_fd, struct sl_err *err)
{
	struct making *b = arg;

	if (b->asked)
		return 0;
	b->asked = true;
	if (open_limits(b, err) < 0 || ask_for_confinement(b, root_fd, err) < 0)
		return -1;
	return b->plan->process.terminal ? 0 : ask_for_workload(b, err);
}

static int make_tree(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	struct tree_context ctx = {
		.hidden_ids = &b->init_tid,
		.n_hidden_ids = 1,
		.await_hidden = await_init_up,
		.beside = ask_init,
		.arg = b,
		.net_template = b->net_template,
		.cpus = s->cpus_bound ? &s->cpus : NULL,
		.loose_fd = s->image_fd,
		.bundles = b->plan->http.inject,
		.n_bundles = b->authority ? b->plan->http.n_inject : 0,
		.authority = b->authority,
		.authority_name = b->authority_name,
	};
	const struct tree *tree = &b->tree;
	uint64_t *ids;

	if (tree_build(b->arena, &b->plan->fs, &ctx, &b->tree, err) < 0) {
		/* If the workload has failed, init has ended; the workload's error says more. */
		if (s->sync_fd >= 0)
			sync_has_failed(s->sync_fd, err);
		return -1;
	}
	s->root_fd = tree->root_fd;
	s->scratch_fd = tree->scratch_fd;
	if (plan_fs_busy(&b->plan->fs))
		busy_know(s, tree);
	/* The array has room for the mounts that show the main process (show_main()). */
	ids = arena_array(s->arena, tree->n_mount_ids + tree->n_procs, sizeof(*ids));
	memcpy(ids, tree->mount_ids, tree->n_mount_ids * sizeof(*ids));
	s->record.mount_ids = b->mount_ids = ids;
	s->record.n_mount_ids = tree->n_mount_ids;
	s->mounts.ids = ids;
	s->mounts.n = tree->n_mount_ids;
	if (await_init_up(b, err) < 0 || mntns_enter(b, err) < 0)
		return -1;
	return ask_init(b, s->root_fd, err);
}

static int await_confinement(struct making *b, struct sl_err *err)
{
	struct init_msg m;
	int listener_fd;

	if (init_link_expect(b->s, INIT_CONFINED, &m, NULL, err) < 0)
		return -1;
	listener_fd = proc_fetch_fd(b->s->record.init.pid, m.listener);
	if (listener_fd < 0)
		return sl_err_set(err, errno, "confine init: fetch the listener");
	notif_open(&b->s->notif, listener_fd, b->s->proc_fd);
	handlers_install(b->s);
	return 0;
}

static int run_hooks(struct making *b, struct sl_err *err)
{
	const struct plan *plan = b->plan;
	const struct spec_hooks *h = &plan->hooks;
	const struct record *r = &b->s->record;
	/* The supervisor is in the container's network and mount namespaces here; hooks outside
	 * are not. */
	size_t n;
	const struct hooks_place outside = {
		.directory = plan->bundle,
		.dir_fd = -1,
		.net_fd = b->back_fd,
		.mnt_fd = b->host_mnt_fd,
		.root_fd = b->mntns.root_fd,
	}, inside = {
		.directory = plan->fs.root_path,
		.dir_fd = plan->fs.own_namespace ? b->s->root_fd : -1,
		.net_fd = -1,
		.mnt_fd = -1,
		.env = plan_env_unique(
			b->arena, plan->process.env, plan->process.n_env, &n),
	};
	struct spec_state st = {
		.oci_version = r->oci_version,
		.id = r->id,
		.pid = getpid(),
		/* Hooks are told that the container is created: only execve of the program is
		 * still to come. */
		.status = record_status_name(RECORD_CREATED),
		.bundle = r->bundle,
		.rootfs = r->rootfs,
		.created = r->created,
		.annotations = r->annotations,
		.n_annotations = r->n_annotations,
		.owner = "root",
	};
	const char *state;
	size_t len;

	if (h->prestart.n + h->create_runtime.n + h->create_container.n + h->start_container.n ==
		0) {
		drop_fd(&b->back_fd);
		mntns_forget_host(b);
		return 0;
	}
	state = spec_state_render(b->arena, &st, false, &len);
	if (hooks_run(&h->prestart, "prestart", state, &outside, err) < 0 ||
		hooks_run(&h->create_runtime, "createRuntime", state, &outside, err) < 0)
		return -1;
	drop_fd(&b->back_fd);
	mntns_forget_host(b);
	if (hooks_run(&h->create_container, "createContainer", state, &inside, err) < 0)
		return -1;
	return start_hooks_prepare(b->s, plan, state, err);
}

/* The tree made the pair, because its slave is also /dev/console in the container. The workload
 * gets the slave as its stdio, so it is asked for only now. */
static int make_terminal(struct making *b, struct sl_err *err)
{
	const struct spec_process *p = &b->plan->process;
	struct tty_pair pair = { .master_fd = b->tree.console_fd };

	if (!p->terminal)
		return 0;
	pair.slave_fd = tree_open_console(&b->tree, err);
	if (pair.slave_fd < 0 ||
		tty_prepare(&pair, p->console_height, p->console_width, p->uid, err) < 0)
		return -1;
	b->master_fd = pair.master_fd;
	b->stdio[0] = b->stdio[1] = b->stdio[2] = pair.slave_fd;
	return ask_for_workload(b, err);
}

/* A child of init is the workload: only the supervisor reaps init, so its pid is not reused. */
static int open_main(struct supervisor *s, pid_t pid, struct sl_err *err)
{
	struct proc_stat st;

	s->main_fd = pidfd_open(pid, 0);
	if (s->main_fd < 0 || proc_read_stat(s->proc_fd, pid, &st) < 0)
		return sl_err_set(err, errno, "open the main process");
	if (st.ppid != s->record.init.pid)
		return sl_err_set(err, ESRCH, "open the main process");
	return 0;
}

/* Runs before any program of the container. The ids of the new mounts are recorded, because a
 * process can have its root there. */
static int show_main(struct making *b, pid_t pid, struct sl_err *err)
{
	struct supervisor *s = b->s;
	size_t n;

	if (open_main(s, pid, err) < 0 ||
		tree_show_main(&b->tree, pid, b->mount_ids + s->mounts.n, &n, err) < 0)
		return -1;
	if (pidfd_send_signal(s->main_fd, 0, NULL, 0) < 0)
		return sl_err_set(err, errno, "show the main process");
	s->mounts.n = s->record.n_mount_ids += n;
	return 0;
}

static int await_workload(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	struct init_msg m;

	if (init_link_expect(s, INIT_SPAWNED, &m, NULL, err) < 0)
		return -1;
	s->record.workload.pid = m.pid;
	if (sync_wait(s->sync_fd, SYNC_SETUP, err) < 0 ||
		process_setup(s, m.pid, b->process, err) < 0 || show_main(b, m.pid, err) < 0)
		return -1;
	/* The process is identified while it certainly exists: after its release it may fail and
	 * end. */
	if (proc_identify(s->proc_fd, m.pid, &s->record.workload) < 0)
		return sl_err_set(err, errno, "identify the process");
	return 0;
}

/* From here on the workload prepares itself. */
static int release_workload(struct making *b, struct sl_err *err)
{
	if (sync_release(b->s->sync_fd) < 0)
		return sl_err_set(err, errno, "set up the process");
	return 0;
}

/* The container can be found by its record now. If no client has to hear of the workload before
 * it runs, it gets the second release at once. init is told last, because the workload should
 * not wait for that. EPIPE is no error here: why the workload has failed is read later. */
static int release_further(struct making *b, struct sl_err *err)
{
	if (b->job->start && sync_release(b->s->sync_fd) < 0 && errno != EPIPE)
		return sl_err_set(err, errno, "set up the process");
	init_link_settle(b->s, b->s->record.workload.pid);
	return 0;
}

static int await_parked(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;

	if (sync_wait(s->sync_fd, SYNC_PARKED, err) < 0)
		return -1;
	if (!b->job->start)
		return 0;
	if (sync_wait_result(s->sync_fd, err) < 0)
		return -1;
	drop_fd(&s->sync_fd);
	return 0;
}

/* The workload has its own stdio now; a copy here would keep its reader waiting at its end. */
static int let_go_of_stdio(struct making *b, struct sl_err *err)
{
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return sl_err_set(err, errno, "open /dev/null");
	for (int fd = 0; fd <= 2 && !b->job->keep_stdio; fd++)
		if (dup2(null_fd, fd) < 0)
			return sl_err_set(err, errno, "let go of stdio");
	if (b->stdio[0] > 2)
		close(b->stdio[0]);
	if (b->job->n_preserve > 0)
		close_range(3, 2 + (unsigned int)b->job->n_preserve, 0);
	return 0;
}

/* `exec` needs the planned process later. */
static int keep_process(struct making *b, struct sl_err *err)
{
	const struct plan_process *p = b->process;

	if (io_replace_file(b->s->dir_fd, STORE_PROCESS, p, p->size, 0600, err) < 0)
		return sl_err_wrap(err, "keep the planned process");
	plan_process_unmap(p);
	b->process = NULL;
	return 0;
}

/* Written last: a container exists for other commands as soon as it has a record. */
static int keep_record(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	struct record *r = &s->record;

	r->status = b->job->start ? RECORD_RUNNING : RECORD_CREATED;
	s->life = b->job->start ? LIFE_RUNNING : LIFE_CREATED;
	return record_write(b->arena, s->dir_fd, r, err);
}

static int open_loop(struct making *b, struct sl_err *err)
{
	if (events_open(b->s, err) < 0)
		return -1;
	if (b->job->start)
		limits_begin(b->s);
	return 0;
}

static int watch_limits(struct making *b, struct sl_err *err)
{
	return limits_watch(b->s, b->plan, err);
}

static int confine_self(struct making *b, struct sl_err *err)
{
	const struct plan *plan = b->plan;
	const bool duties[DUTY_COUNT] = {
		[DUTY_LOOK_UP] = plan_fs_busy(&plan->fs),
		[DUTY_BIND] = plan->net.bind_judged,
		[DUTY_CONNECT] = plan_net_connects(&plan->net),
		[DUTY_DIVERT] = b->s->proxy_fd >= 0,
		[DUTY_LISTEN] = plan->net.bind_limited,
		[DUTY_IPC] = b->s->ipc != NULL,
		[DUTY_SHOW] = !plan->net.own_stack,
	};

	if (confine_supervisor(b->s->root_fd, duties, err) < 0)
		return -1;
	b->s->confined = true;
	return 0;
}

/* The steps run one after the other; init and the workload run beside them. */
static const struct {
	int (*run)(struct making *b, struct sl_err *err);
	const char *why; /* why the step stands at this place */
} making[] = {
	{ enter_netns, "init and all processes of the container are born in the namespace" },
	{ proxy_start, "it is in no other namespace of the container; it starts beside init" },
	{ start_init, "it starts while the tree is made" },
	{ identify_own, "before the tree exists, in which they would look like members" },
	{ open_ipc, "the filter depends on it, and make_tree asks for the filter" },
	{ open_view, "the tree contains the files that show network interfaces" },
	{ proxy_await, "the tree contains the certificate with which the proxy signs" },
	{ open_cpus, "the tree contains files that list them" },
	{ make_tree,
		"asks init for its confinement and for the workload as soon as there is a root" },
	{ open_network, "the tree exists, and no call has been trapped yet" },
	{ run_hooks, "the tree is complete and the workload has not begun" },
	{ make_terminal, "it belongs to the tree's own devpts" },
	{ await_confinement, "the next steps need a confined workload" },
	{ await_workload, "its limits are set while it waits" },
	{ release_workload, "it prepares itself beside the steps below" },
	{ fill_view, "nobody reads these files before the program runs" },
	{ sizes_fill, "late, as the figures change; the loop updates them" },
	{ keep_process, "exec needs it, and a container can be found as soon as it has a record" },
	{ keep_record,
		"from here on the container can be found, even if the supervisor is killed" },
	{ release_further, "not before it is recorded" },
	{ let_go_of_stdio, "the workload has its own stdio now" },
	{ open_loop, "needs calls that confine_self takes away" },
	{ watch_limits, "its thread inherits the rights that confine_self takes away" },
	{ confine_self, "the program has not run yet" },
	{ await_parked, "last: the longest wait" },
};

int supervisor_build(struct supervisor *s, const struct supervisor_job *job, int *ret_master_fd,
	struct sl_err *err)
{
	auto_arena struct arena *arena = arena_new();
	struct making b = {
		.s = s,
		.job = job,
		.plan = job->plan,
		.arena = arena,
		.stdio = { 0, 1, 2 },
		.master_fd = -1,
		.back_fd = -1,
		.mntns = { .empty_fd = -1, .root_fd = -1 },
		.host_mnt_fd = -1,
	};

	for (size_t i = 0; i < sizeof(making) / sizeof(making[0]); i++)
		if (making[i].run(&b, err) < 0)
			return -1;
	*ret_master_fd = b.master_fd;
	return 0;
}
