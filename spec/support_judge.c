/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/support_judge.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/json_read.h"

static void refuse_field(struct support_verdict *v, const char *reason, const char *remedy)
{
	*v = (struct support_verdict){ SUPPORT_REFUSED, SUPPORT_NONE, reason, remedy };
}

static void settle(
	struct support_verdict *v, enum support_how how, enum support_rung rung, const char *reason)
{
	*v = (struct support_verdict){ how, rung, reason, NULL };
}

static const char *text_of(const struct json *object, const char *key)
{
	const struct json *j = json_get(object, key);

	return j && j->type == JSON_STRING ? j->text : "";
}

void judge_empty_is_fine(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	const struct json *j = p->json;
	bool empty = j->type == JSON_STRING ? j->text[0] == '\0' : j->n == 0;

	(void)s;
	if (empty)
		settle(v, SUPPORT_IGNORED, SUPPORT_NONE, "empty");
}

/* ------------------------------------------------------------------ mounts */

static bool is_bind(const struct json *mount)
{
	const struct json *options = json_get(mount, "options");

	for (size_t i = 0; options && i < options->n; i++)
		if (strcmp(options->items[i]->text, "bind") == 0 ||
			strcmp(options->items[i]->text, "rbind") == 0)
			return true;
	return strcmp(text_of(mount, "type"), "bind") == 0;
}

void judge_mount(const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	static const struct {
		const char *type;
		enum support_how how;
		const char *reason;
	} types[] = {
		{ "proc", SUPPORT_HONOURED, "a fresh procfs that hides other processes" },
		{ "sysfs", SUPPORT_HONOURED, "a fresh sysfs, which shows the host's devices" },
		{ "tmpfs", SUPPORT_HONOURED, "a fresh tmpfs" },
		{ "devpts", SUPPORT_HONOURED, "a fresh instance" },
		{ "overlay", SUPPORT_HONOURED, "a fresh overlay" },
		{ "mqueue", SUPPORT_APPROXIMATED,
			"an empty private directory: queues are opened by mq_open, and not "
			"listed" },
		{ "cgroup", SUPPORT_APPROXIMATED,
			"a read-only directory with the limits, made up: no cgroup exists" },
		{ "cgroup2", SUPPORT_APPROXIMATED,
			"a read-only directory with the limits, made up: no cgroup exists" },
	};
	const char *type = text_of(p->json, "type");

	(void)s;
	if (is_bind(p->json)) {
		type = spec_bind_stands_for(
			text_of(p->json, "source"), text_of(p->json, "destination"));
		if (!type) {
			settle(v, SUPPORT_HONOURED, SUPPORT_TREE, "a clone of the source's mount");
			return;
		}
	}
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(type, types[i].type) == 0) {
			settle(v, types[i].how, SUPPORT_TREE, types[i].reason);
			return;
		}
	refuse_field(v, "a file system of this type is not mounted",
		"bind, proc, sysfs, tmpfs, devpts, mqueue, cgroup, cgroup2, overlay");
}

/* ------------------------------------------------------------------ namespaces */

static bool is_identity(const struct spec_id_mapping *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].container_id != m[i].host_id)
			return false;
	return n > 0;
}

static const char refused_mapping[] =
	"there is no user namespace, so ids cannot be mapped to others";
static const char accepted_mapping[] =
	"no user namespace, or mappings with containerID equal to hostID";

void judge_id_mappings(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	bool uids = strcmp(p->row->field, "linux.uidMappings") == 0;
	const struct spec_id_mapping *m = uids ? s->linux_.uid_mappings : s->linux_.gid_mappings;
	size_t n = uids ? s->linux_.n_uid_mappings : s->linux_.n_gid_mappings;

	if (n == 0)
		settle(v, SUPPORT_IGNORED, SUPPORT_NONE, "empty");
	else if (!is_identity(m, n))
		refuse_field(v, refused_mapping, accepted_mapping);
}

static void judge_user(
	const struct spec *s, const struct spec_namespace *ns, struct support_verdict *v)
{
	const struct spec_linux *l = &s->linux_;

	if (ns->path || !is_identity(l->uid_mappings, l->n_uid_mappings) ||
		!is_identity(l->gid_mappings, l->n_gid_mappings))
		refuse_field(v, refused_mapping, accepted_mapping);
	else
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_CREDENTIALS,
			"identity mappings are the host's ids");
}

static void judge_namespace_type(
	const struct spec *s, const struct spec_namespace *ns, struct support_verdict *v)
{
	switch (ns->type) {
	case SPEC_NS_NETWORK:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_SUPERVISOR,
			"joined, made with lo only, or the host's stack in its place, as "
			"network.namespace and network.unnamedNamespace of the node say");
		return;
	case SPEC_NS_USER: judge_user(s, ns, v); return;
	case SPEC_NS_PID:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_LANDLOCK,
			"other processes are hidden, and cannot be signalled or traced; pids are "
			"the host's, and 1 leads to the main process");
		return;
	case SPEC_NS_MOUNT:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_TREE,
			"the root directory is a mount tree of its own: detached, or in a mount "
			"namespace, as rootfs.mode says");
		return;
	case SPEC_NS_IPC:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_NOTIFY,
			"keys of System V IPC and names of POSIX queues are the pod's own, as are "
			"the limits of the node's ipc; a path names the container or the namespace "
			"whose pod it is; /dev/mqueue lists no queues");
		return;
	case SPEC_NS_UTS:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_NOTIFY,
			"the host name is shown, and cannot be set");
		return;
	case SPEC_NS_CGROUP:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_TREE, "no cgroup is shown");
		return;
	case SPEC_NS_TIME:
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_NONE,
			"without timeOffsets its clocks are the host's");
		return;
	case SPEC_NS_COUNT: return;
	}
}

void judge_namespace(const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	/* The full path ends in an index such as "[3]", which is that of the namespace. */
	const char *bracket = strrchr(p->full_path, '[');
	size_t index = bracket ? strtoul(bracket + 1, NULL, 10) : s->linux_.n_namespaces;
	const struct spec_namespace *ns;
	const char *problem;

	if (index >= s->linux_.n_namespaces)
		return;
	ns = &s->linux_.namespaces[index];
	problem = ns->path ? host_namespace_problem(ns->path, ns->type) : NULL;
	if (problem)
		refuse_field(v, problem, "a path to a namespace of the type, or no path");
	else
		judge_namespace_type(s, ns, v);
}

/* ------------------------------------------------------------------ sysctl */

static bool one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static void judge_domainname(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	const struct json *value = p->json;

	if (value->type == JSON_STRING && s->domainname && strcmp(s->domainname, value->text) != 0)
		refuse_field(v, "it conflicts with the field domainname", "the same value in both");
	else
		settle(v, SUPPORT_APPROXIMATED, SUPPORT_NOTIFY, "as the field domainname");
}

void judge_sysctl(const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	static const char *const ipc[] = {
		"kernel.msgmax",
		"kernel.msgmnb",
		"kernel.msgmni",
		"kernel.sem",
		"kernel.shmall",
		"kernel.shmmax",
		"kernel.shmmni",
		"kernel.shm_rmid_forced",
	};
	const char *key = p->full_path + strlen("linux.sysctl.");

	if (one_of(key, ipc, COUNT(ipc)) || strncmp(key, "fs.mqueue.", 10) == 0)
		v->reason = "shown below /proc/sys; the limits of the node's ipc apply to the pod, "
			    "and the host's to the size of each object";
	else if (strcmp(key, "net.ipv4.ip_unprivileged_port_start") == 0)
		v->reason = "set where the container has a network stack of its own; on the host's "
			    "it is shown below /proc/sys, and bind follows it";
	else if (strncmp(key, "net.", 4) == 0)
		v->reason = "set where the container has a network stack of its own; on the host's "
			    "it is only shown below /proc/sys";
	else if (strcmp(key, "kernel.hostname") == 0)
		refuse_field(v, "it conflicts with the field hostname", "the field hostname");
	else if (strcmp(key, "kernel.domainname") == 0)
		judge_domainname(s, p, v);
	else
		refuse_field(v, "it belongs to the whole machine",
			"names of a network or IPC namespace: net.*, fs.mqueue.*, kernel.shm*, "
			"kernel.msg*, kernel.sem");
}

/* ------------------------------------------------------------------ seccomp, labels */

static const char refused_notify[] = "a task can have one listener, and the supervisor is it";
static const char accepted_action[] = "an action other than SCMP_ACT_NOTIFY";

void judge_seccomp_action(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	(void)p;
	if (strcmp(s->linux_.seccomp.default_action, "SCMP_ACT_NOTIFY") == 0)
		refuse_field(v, refused_notify, accepted_action);
}

void judge_seccomp_rules(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	(void)p;
	for (size_t i = 0; i < s->linux_.seccomp.n_rules; i++)
		if (strcmp(s->linux_.seccomp.rules[i].action, "SCMP_ACT_NOTIFY") == 0)
			refuse_field(v, refused_notify, accepted_action);
}

void judge_apparmor(const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	(void)p;
	if (!s->process.apparmor_profile)
		settle(v, SUPPORT_IGNORED, SUPPORT_NONE, "empty");
	else if (!host_has_apparmor())
		refuse_field(v, "AppArmor is not enabled on this machine", "none, or an empty one");
}

void judge_selinux(const struct spec *s, const struct spec_present *p, struct support_verdict *v)
{
	(void)p;
	if (!s->process.selinux_label)
		settle(v, SUPPORT_IGNORED, SUPPORT_NONE, "empty");
	else if (!host_has_selinux())
		refuse_field(v, "SELinux is not enabled on this machine", "none, or an empty one");
}
