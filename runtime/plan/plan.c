/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/plan.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "annotations/annotations.h"
#include "runtime/plan/devices.h"
#include "runtime/plan/gpu.h"
#include "runtime/plan/hostname.h"
#include "runtime/plan/memory.h"
#include "runtime/plan/process.h"
#include "runtime/plan/resolve.h"
#include "spec/support.h"

#define CAP_BIT(cap) (1ULL << (cap))

static int read_personality(const struct spec_linux *l, struct plan *p, struct sl_err *err)
{
	if (!l->has_personality)
		return 0;
	if (l->n_personality_flags > 0)
		return sl_err_set(err, 0, "linux.personality.flags: none is supported");
	if (strcmp(l->personality_domain, "LINUX") == 0)
		p->personality = PER_LINUX;
	else if (strcmp(l->personality_domain, "LINUX32") == 0)
		p->personality = PER_LINUX32;
	else
		return sl_err_set(err, 0,
			"linux.personality.domain: \"%s\": expected LINUX or LINUX32",
			l->personality_domain);
	p->has_personality = true;
	return 0;
}

/* Detached mode is the more restricted one, so a bundle may always request it. */
static int apply_rootfs_mode(enum rule_rootfs mode, const struct node_policy *node,
	struct plan_fs *fs, struct sl_err *err)
{
	switch (mode) {
	case RULE_ROOTFS_UNSET: return 0;
	case RULE_ROOTFS_DETACHED: fs->own_namespace = false; return 0;
	case RULE_ROOTFS_NAMESPACE: break;
	}
	if (!node->own_namespace && !node->mode_by_annotation)
		return sl_err_set(err, 0,
			"annotation io.sandlock.rootfs.mode: \"namespace\" is not allowed by the "
			"node policy (rootfs.modeByAnnotation or rootfs.mode accepts it)");
	fs->own_namespace = true;
	return 0;
}

static int check_keys(
	const struct node_policy *node, const struct key_value *kvs, size_t n, struct sl_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (annotation_is_ours(kvs[i].key) && !node_allows_annotation(node, kvs[i].key))
			return sl_err_set(err, 0,
				"annotation %s: \"%.200s\" is not allowed by the node policy "
				"(annotations.allow, line %zu)",
				kvs[i].key, kvs[i].value, node->annotations_line);
	return 0;
}

/* HTTP rules come first, because they add network rules. */
static int build_network(struct arena *a, const struct annotations *an, const struct spec *s,
	const struct node_policy *node, struct plan *p, struct sl_err *err)
{
	const struct plan_http_request rq = {
		.an = an, .spec = s, .node = node, .id = p->id, .bundle = p->bundle
	};
	struct plan_net_http http;

	if (plan_http_build(a, &rq, &p->http, err) < 0)
		return -1;
	http = plan_http_net(a, &p->http);
	plan_http_env(a, &p->http, &p->env_rules);
	return plan_net_build(a, an, &http, s, node, &p->net, err);
}

/* The cgroup directory shows the limits in force, whether the bundle or an annotation has set
 * them. */
static void show_limits(struct arena *a, const struct plan_limits *l, struct plan_fs *fs)
{
	struct spec_resources *r;

	if (l->memory == UINT64_MAX && l->tasks == UINT64_MAX)
		return;
	r = arena_alloc(a, sizeof(*r));
	*r = *fs->resources;
	if (l->memory != UINT64_MAX) {
		r->has_memory_limit = true;
		r->memory_limit = (int64_t)l->memory;
	}
	if (l->tasks != UINT64_MAX) {
		r->has_pids_limit = true;
		r->pids_limit = (int64_t)l->tasks;
	}
	fs->resources = r;
}

static int apply_annotations(struct arena *a, const struct spec *s, const struct node_policy *node,
	struct plan *p, struct sl_err *err)
{
	struct annotations an;

	if (annotations_parse(a, s->annotations, s->n_annotations, &an, err) < 0 ||
		check_keys(node, s->annotations, s->n_annotations, err) < 0 ||
		apply_rootfs_mode(an.rootfs_mode, node, &p->fs, err) < 0)
		return -1;
	p->main_is_1 = an.process_pid1 == RULE_TRUE;
	if (plan_limits_build(&s->linux_.resources, &an, &p->limits, err) < 0)
		return -1;
	show_limits(a, &p->limits, &p->fs);
	p->fs.size_cpus = an.proc_virtual != RULE_FALSE && plan_cpu_binds(&p->limits.cpu);
	p->fs.size_memory = an.proc_virtual != RULE_FALSE && p->limits.memory != UINT64_MAX;
	p->fs.size_cgroup = plan_cpu_binds(&p->limits.cpu) || p->limits.memory != UINT64_MAX ||
			    p->limits.tasks != UINT64_MAX;
	if (plan_gpu_build(a, an.gpu, node, &p->fs, err) < 0)
		return -1;
	plan_gpu_env(a, an.gpu, &p->env_rules);
	if (build_network(a, &an, s, node, p, err) < 0)
		return -1;
	p->process.env = plan_env_decide(
		a, &p->env_rules, p->process.env, p->process.n_env, &p->process.n_env);
	return 0;
}

static bool names_differ(const struct spec *s)
{
	struct utsname host;

	if (uname(&host) < 0)
		return true;
	return (s->hostname && strcmp(s->hostname, host.nodename) != 0) ||
	       (s->domainname && strcmp(s->domainname, host.domainname) != 0);
}

/* The capabilities that a child of the domain thread needs before its execve, in addition to those
 * of the container, to change its user and sets. The thread itself needs CAP_KILL to end all
 * processes. */
static uint64_t ceiling(const struct plan *p)
{
	uint64_t c = p->main_caps.caps.bounding | p->main_caps.caps.permitted |
		     p->main_caps.caps.inheritable | CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID) |
		     CAP_BIT(CAP_SETPCAP) | CAP_BIT(CAP_KILL) | CAP_BIT(CAP_CHOWN);

	if (p->caps_rules.proc_complete)
		c |= CAP_BIT(CAP_SYS_PTRACE);
	return c;
}

static int check_process(const struct spec *s, struct sl_err *err)
{
	if (!s->has_process || s->process.n_args == 0)
		return sl_err_set(err, 0, "process.args must not be empty");
	if (!s->process.cwd || s->process.cwd[0] != '/')
		return sl_err_set(err, 0, "Cwd must be an absolute path");
	return 0;
}

/* A container sees its own stack as it is. It also sees the host's if the bundle asks for it
 * (hostNetwork) or has CAP_NET_ADMIN. */
static void decide_view(struct plan *p)
{
	const uint64_t caps = p->main_caps.caps.bounding | p->main_caps.caps.permitted;

	p->net.view = p->fs.net_view = p->net.stack == PLAN_STACK_HOST && !p->net.host_asked &&
				       !(caps & CAP_BIT(CAP_NET_ADMIN));
}

/* On a network stack of the container's own, its sysctls are really set. The others are only
 * shown. */
static void divide_sysctls(struct arena *a, struct plan *p)
{
	const struct plan_fs all = p->fs;
	struct key_value *set = arena_array(a, all.n_sysctls + 1, sizeof(*set));
	struct key_value *shown = arena_array(a, all.n_sysctls + 1, sizeof(*shown));

	if (!p->net.own_stack)
		return;
	p->net.sysctls = set;
	p->fs.sysctls = shown;
	p->fs.n_sysctls = 0;
	for (size_t i = 0; i < all.n_sysctls; i++)
		if (strncmp(all.sysctls[i].key, "net.", 4) == 0)
			set[p->net.n_sysctls++] = all.sysctls[i];
		else
			shown[p->fs.n_sysctls++] = all.sysctls[i];
}

/* For hostPID, shareProcessNamespace, --pid=host and --pid=container. */
static const char *pid_note(struct arena *a, const struct spec_linux *l)
{
	for (size_t i = 0; i < l->n_namespaces; i++) {
		const struct spec_namespace *ns = &l->namespaces[i];

		if (ns->type == SPEC_NS_PID)
			return ns->path ? arena_printf(a,
						  "linux.namespaces: the pid namespace %s is not "
						  "joined: the container sees its own processes "
						  "only",
						  ns->path)
					: NULL;
	}
	return "linux.namespaces: without a pid namespace too the container sees its own processes "
	       "only, not the host's";
}

/* Orders private, slave and shared: each one includes the effects of the one before. */
static int rank(uint64_t propagation)
{
	return propagation == MS_PRIVATE ? 0 : propagation == MS_SLAVE ? 1 : 2;
}

/* The most propagation that a container can get. Mounts that arrive from the host later have their
 * own attributes, perhaps without nodev, which keeps devices closed. Mounts that reach the host
 * change it. So a mount namespace gets either only if the node permits it. A detached tree never
 * receives mounts, but it stays a slave, so that umount(2) on the host takes effect in it too. */
static uint64_t most_propagation(const struct plan_fs *fs, const struct node_policy *node)
{
	if (!fs->own_namespace)
		return MS_SLAVE;
	return node->mounts_shared ? MS_SHARED : node->mounts_slave ? MS_SLAVE : MS_PRIVATE;
}

/* what: the name in the note. Returns a note if the mount gets less than it asks for, otherwise
 * NULL. */
static const char *limit_one(struct arena *a, const struct plan_fs *fs,
	const struct node_policy *node, const char *what, uint64_t *at)
{
	static const char *const words[] = { "private", "slave", "shared" };
	const uint64_t most = most_propagation(fs, node);
	const int asked = rank(*at);

	if (asked > rank(most))
		*at = most;
	else if (asked == 0 || fs->own_namespace)
		return NULL;
	if (!fs->own_namespace)
		return arena_printf(a,
			"%s asks for %s propagation: in a detached root what the host mounts there "
			"later is not seen",
			what, words[asked]);
	return arena_printf(a,
		"%s asks for %s propagation: it is %s, because the node policy has no mounts.%s",
		what, words[asked], words[rank(*at)], words[asked]);
}

/* Returns the first note only. */
static const char *limit_propagation(
	struct arena *a, struct plan_fs *fs, const struct node_policy *node)
{
	const char *first =
		limit_one(a, fs, node, "linux.rootfsPropagation", &fs->root_propagation);

	for (size_t i = 0; i < fs->n_mounts; i++) {
		struct plan_mount *m = &fs->mounts[i];
		const char *note = limit_one(a, fs, node,
			arena_printf(a, "mounts: %s", m->destination), &m->propagation);

		first = first ? first : note;
	}
	return first;
}

static void add_note(struct plan *p, const char *note)
{
	if (note)
		p->notes[p->n_notes++] = note;
}

static void add_warning(struct plan *p, const char *warning)
{
	if (warning)
		p->warnings[p->n_warnings++] = warning;
}

const char *plan_caps_warning(struct arena *a, const struct spec_process *p)
{
	return p->unknown_caps
		       ? arena_printf(a, "ignoring unknown or unavailable capabilities: [%s]",
				 p->unknown_caps)
		       : NULL;
}

static int parse_cpus(struct arena *a, const char *list, const char *field, const cpu_set_t **ret,
	struct sl_err *err)
{
	cpu_set_t *set;

	*ret = NULL;
	if (!list || !*list)
		return 0;
	set = arena_alloc(a, sizeof(*set));
	if (plan_parse_cpus(list, set, err) < 0)
		return sl_err_wrap(err, "%s", field);
	*ret = set;
	return 0;
}

int plan_exec_cpus(
	struct arena *a, const struct spec_process *p, const cpu_set_t **ret, struct sl_err *err)
{
	const bool final = p->exec_cpu_affinity_final && *p->exec_cpu_affinity_final;

	return final ? parse_cpus(a, p->exec_cpu_affinity_final, "process.execCPUAffinity.final",
			       ret, err)
		     : parse_cpus(a, p->exec_cpu_affinity_initial,
			       "process.execCPUAffinity.initial", ret, err);
}

/* Without no_new_privs the profile is already in force when the process gives up CAP_SYS_ADMIN and
 * waits to execute its program. */
static int check_profile(const struct plan *p, struct sl_err *err)
{
	static const struct {
		int nr;
		const char *name;
	} late[] = { { SYS_read, "read" }, { SYS_write, "write" }, { SYS_capset, "capset" } };
	const uint64_t args[PROFILE_ARGS] = { 3 /* a descriptor */ };

	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		if (p->profile.insns && !p->process.no_new_privileges &&
			!profile_passes(&p->profile, late[i].nr, args))
			return sl_err_set(err, 0,
				"linux.seccomp: the profile refuses %s, which the process needs "
				"between the profile and its program; with "
				"process.noNewPrivileges the profile comes last",
				late[i].name);
	return 0;
}

/* Compiles and parses what the main process and all exec'd processes share. */
static int compile(struct arena *a, const struct spec *s, struct plan *p, struct sl_err *err)
{
	if (s->linux_.seccomp.set && profile_compile(a, &s->linux_.seccomp, &p->profile, err) < 0)
		return -1;
	if (check_profile(p, err) < 0)
		return -1;
	return plan_exec_cpus(a, &s->process, &p->exec_cpus, err);
}

static void copy(const struct spec *s, const struct node_policy *node, struct plan *p)
{
	p->oci_version = s->oci_version;
	p->hostname = s->hostname;
	p->domainname = s->domainname;
	p->annotations = s->annotations;
	p->n_annotations = s->n_annotations;
	p->process = s->process;
	p->hooks = s->hooks;
	p->caps_rules = caps_rules_of(node);
	memcpy(p->waived, node->waived, sizeof(p->waived));
}

/* Decides about everything that was read. */
static int judge_spec(struct arena *a, const struct spec *s, const struct node_policy *node,
	struct plan *p, struct sl_err *err)
{
	if (support_check(s, err) < 0 || check_process(s, err) < 0 ||
		plan_process_check(&s->process, err) < 0 ||
		plan_ipc_build(&s->linux_, node, &p->ipc, err) < 0 ||
		caps_of_process(&s->process, &p->caps_rules, &p->main_caps, err) < 0 ||
		read_personality(&s->linux_, p, err) < 0 ||
		plan_memory_build(&s->linux_.memory_policy, &p->memory, err) < 0 ||
		plan_fs_build(a, s, node, p->bundle, &p->fs, err) < 0 ||
		apply_annotations(a, s, node, p, err) < 0 || compile(a, s, p, err) < 0)
		return -1;
	p->trap_uname = names_differ(s);
	p->caps_ceiling = ceiling(p);
	p->fs.mqueue_shared = node->posix_mqueue && p->ipc.whose == PLAN_IPC_HOST;
	p->fs.own_ipc = p->ipc.whose != PLAN_IPC_HOST;
	decide_view(p);
	divide_sysctls(a, p);
	add_note(p, limit_propagation(a, &p->fs, node));
	return 0;
}

static void tell_unused(struct arena *a, const struct spec *s, struct plan *p)
{
	add_note(p, p->net.stack_note);
	add_note(p, pid_note(a, &s->linux_));
	add_note(p, plan_limits_note(&p->limits));
	add_warning(p, plan_caps_warning(a, &s->process));
	add_warning(p, support_ignored_limits(a, s));
}

/* The supervisor does not answer getpid(2) before it runs (main_is_1), so the number is set
 * here. */
static void tell_main_it_is_1(struct plan *p)
{
	for (size_t i = 0; i < p->own_env.n && p->main_is_1; i++)
		if (strcmp(p->own_env.items[i], PLAN_LISTEN_PID) == 0)
			p->own_env.items[i] = PLAN_LISTEN_PID "1";
}

static void add_mount(struct arena *a, struct spec *s, const struct spec_mount *m)
{
	struct spec_mount *all = arena_array(a, s->n_mounts + 1, sizeof(*all));

	if (s->n_mounts)
		memcpy(all, s->mounts, s->n_mounts * sizeof(*all));
	all[s->n_mounts++] = *m;
	s->mounts = all;
}

static int read_documents(struct arena *a, const struct plan_request *request,
	struct spec **ret_spec, struct node_policy *ret_node, struct sl_err *err)
{
	const struct plan_given *given = request->given;

	if (given) {
		*ret_spec = given->spec;
		*ret_node = *given->node;
		return 0;
	}
	*ret_spec = arena_alloc(a, sizeof(**ret_spec));
	if (node_load(a, request->config, ret_node, err) < 0)
		return -1;
	return spec_load_bundle(a, request->bundle, *ret_spec, err);
}

int plan_make(struct arena *a, const struct plan_request *request, struct plan *ret,
	const struct spec **ret_spec, struct sl_err *err)
{
	struct node_policy node;
	struct spec *spec;

	*ret = (struct plan){
		.id = request->id,
		.bundle = request->bundle,
		.new_keyring = request->new_keyring,
		.own_env = request->own_env,
	};
	if (ret_spec)
		*ret_spec = NULL;
	if (read_documents(a, request, &spec, &node, err) < 0)
		return -1;
	plan_names(a, spec);
	if (request->own_mount)
		add_mount(a, spec, request->own_mount);
	if (ret_spec)
		*ret_spec = spec;
	copy(spec, &node, ret);
	if (judge_spec(a, spec, &node, ret, err) < 0 || plan_devices_check(&ret->fs, err) < 0 ||
		plan_net_resolve(&ret->net, err) < 0)
		return -1;
	if (request->given) {
		ret->fs.root_path = NULL;
		ret->fs.namespace_once = true;
		ret->net.unix_judged = true;
		ret->fs.root_links = request->given->links;
		ret->fs.n_root_links = request->given->n_links;
		ret->fs.denied_paths = request->given->denied;
		ret->fs.n_denied_paths = request->given->n_denied;
	}
	plan_http_pin(a, &ret->net, &ret->http);
	ret->fs.pinned_hosts = plan_net_hosts_text(a, &ret->net);
	tell_main_it_is_1(ret);
	tell_unused(a, spec, ret);
	return 0;
}

int plan_pack_process(const struct plan *plan, const struct spec_process *p, const char *file,
	int *ret_fd, struct sl_err *err)
{
	struct plan_process_extra extra = {
		.file = file,
		.caps = &plan->main_caps.caps,
		.exec_cpus = plan->exec_cpus,
		.env_rules = plan->env_rules,
		.rules = plan->caps_rules,
		.profile = plan->profile.insns,
		.n_profile = plan->profile.n,
		.profile_flags = plan->profile.flags,
	};

	if (!file)
		extra.own_env = plan->own_env;
	return plan_process_pack(p, &extra, ret_fd, err);
}
