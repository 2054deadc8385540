/* SPDX-License-Identifier: Apache-2.0
 *
 * The linux object (config-linux.md), without seccomp.
 */
#include <string.h>

#include "spec/load.h"

static const struct read_word ns_words[] = {
	{ "pid", SPEC_NS_PID },
	{ "network", SPEC_NS_NETWORK },
	{ "mount", SPEC_NS_MOUNT },
	{ "ipc", SPEC_NS_IPC },
	{ "uts", SPEC_NS_UTS },
	{ "user", SPEC_NS_USER },
	{ "cgroup", SPEC_NS_CGROUP },
	{ "time", SPEC_NS_TIME },
};

static const struct read_word propagation_words[] = {
	{ "private", 0 },
	{ "rprivate", 0 },
	{ "slave", 0 },
	{ "rslave", 0 },
	{ "shared", 0 },
	{ "rshared", 0 },
	{ "unbindable", 0 },
	{ "runbindable", 0 },
};

static const struct read_word personality_words[] = {
	{ "LINUX", 0 },
	{ "LINUX32", 0 },
};

static int load_namespace(const struct at *at, void *item)
{
	struct spec_namespace *ns = item;
	struct at type = at_member(at, "type");
	struct at path = at_member(at, "path");
	int word = 0;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_word(&type, ns_words, COUNT(ns_words), "unknown namespace type", &word) < 0)
		return -1;
	ns->type = (enum spec_ns_type)word;
	if (path.j && path.j->type == JSON_STRING && path.j->text[0] == '\0')
		return 0;
	return read_path_str(at, "path", READ_OPTIONAL, &ns->path);
}

static int load_namespaces(const struct at *linux_, struct spec_linux *l)
{
	const struct at list = at_member(linux_, "namespaces");
	bool seen[SPEC_NS_COUNT] = { false };
	void *items = NULL;

	if (read_items(linux_, "namespaces", READ_OPTIONAL, sizeof(*l->namespaces), load_namespace,
		    &items, &l->n_namespaces) < 0)
		return -1;
	l->namespaces = items;
	for (size_t i = 0; i < l->n_namespaces; i++) {
		const struct at item = at_nth(&list, i);

		if (seen[l->namespaces[i].type])
			return read_fail(&item, "duplicated namespace type \"%s\"",
				json_get(item.j, "type")->text);
		seen[l->namespaces[i].type] = true;
	}
	return 0;
}

int load_resources(const struct at *at, struct spec_resources *r)
{
	struct at memory, cpu, pids, cpus;

	if (load_limits(at) < 0 || load_device_rules(at, r) < 0)
		return -1;
	if (read_object(at, "memory", READ_OPTIONAL, &memory) < 0 ||
		read_object(at, "cpu", READ_OPTIONAL, &cpu) < 0 ||
		read_object(at, "pids", READ_OPTIONAL, &pids) < 0)
		return -1;
	if (read_i64(&memory, "limit", READ_OPTIONAL, -1, INT64_MAX, &r->memory_limit,
		    &r->has_memory_limit) < 0 ||
		read_i64(&memory, "swap", READ_OPTIONAL, -1, INT64_MAX, &r->memory_swap,
			&r->has_memory_swap) < 0)
		return -1;
	if (read_u64(&cpu, "shares", READ_OPTIONAL, UINT64_MAX, &r->cpu_shares,
		    &r->has_cpu_shares) < 0 ||
		read_i64(&cpu, "quota", READ_OPTIONAL, INT64_MIN, INT64_MAX, &r->cpu_quota,
			&r->has_cpu_quota) < 0 ||
		read_u64(&cpu, "period", READ_OPTIONAL, UINT64_MAX, &r->cpu_period,
			&r->has_cpu_period) < 0 ||
		read_i64(&cpu, "idle", READ_OPTIONAL, INT64_MIN, INT64_MAX, &r->cpu_idle,
			&r->has_cpu_idle) < 0 ||
		read_str(&cpu, "cpus", READ_OPTIONAL, &r->cpus) < 0 ||
		read_str(&cpu, "mems", READ_OPTIONAL, &r->mems) < 0)
		return -1;
	cpus = at_member(&cpu, "cpus");
	if (r->cpus && r->cpus[strspn(r->cpus, "0123456789,- ")] != '\0')
		return read_fail(&cpus, "\"%.80s\" is not a list of CPUs such as 0-3,7", r->cpus);
	return read_i64(&pids, "limit", READ_OPTIONAL, INT64_MIN, INT64_MAX, &r->pids_limit,
		&r->has_pids_limit);
}

static int load_propagation(const struct at *linux_, struct spec_linux *l)
{
	struct at at = at_member(linux_, "rootfsPropagation");
	int ignored;

	if (read_str(linux_, "rootfsPropagation", READ_OPTIONAL, &l->rootfs_propagation) < 0)
		return -1;
	if (!l->rootfs_propagation)
		return 0;
	if (l->rootfs_propagation[0] == '\0') {
		l->rootfs_propagation = NULL;
		return 0;
	}
	return read_word(
		&at, propagation_words, COUNT(propagation_words), "unknown propagation", &ignored);
}

static int load_personality(const struct at *linux_, struct spec_linux *l)
{
	struct at obj, domain;
	int ignored;

	if (read_object(linux_, "personality", READ_OPTIONAL, &obj) < 0)
		return -1;
	if (!obj.j)
		return 0;
	l->has_personality = true;
	domain = at_member(&obj, "domain");
	if (read_word(&domain, personality_words, COUNT(personality_words),
		    "unknown personality domain", &ignored) < 0 ||
		read_str(&obj, "domain", READ_REQUIRED, &l->personality_domain) < 0)
		return -1;
	return read_strs(&obj, "flags", &l->personality_flags, &l->n_personality_flags);
}

/* A relative path would depend on the working directory of the runtime. */
static int load_paths(const struct at *linux_, const char *key, char ***ret, size_t *ret_n)
{
	struct at list = at_member(linux_, key);

	if (read_strs(linux_, key, ret, ret_n) < 0)
		return -1;
	for (size_t i = 0; i < *ret_n; i++) {
		struct at item = at_nth(&list, i);

		if ((*ret)[i][0] != '/')
			return read_fail(&item, "\"%.200s\" must be an absolute path", (*ret)[i]);
	}
	return 0;
}

static int load_objects(const struct at *linux_, struct spec_linux *l)
{
	struct at resources, seccomp;

	if (read_object(linux_, "resources", READ_OPTIONAL, &resources) < 0 ||
		read_object(linux_, "seccomp", READ_OPTIONAL, &seccomp) < 0)
		return -1;
	if (resources.j && load_resources(&resources, &l->resources) < 0)
		return -1;
	if (seccomp.j && load_seccomp(&seccomp, &l->seccomp) < 0)
		return -1;
	if (load_memory_policy(linux_, &l->memory_policy) < 0)
		return -1;
	return load_personality(linux_, l);
}

int load_linux(const struct at *root, struct spec_linux *l)
{
	struct at at;

	if (read_object(root, "linux", READ_OPTIONAL, &at) < 0)
		return -1;
	if (!at.j)
		return 0;
	l->set = true;
	if (load_namespaces(&at, l) < 0 ||
		load_id_mappings(&at, "uidMappings", &l->uid_mappings, &l->n_uid_mappings) < 0 ||
		load_id_mappings(&at, "gidMappings", &l->gid_mappings, &l->n_gid_mappings) < 0)
		return -1;
	if (load_devices(&at, l) < 0 || load_objects(&at, l) < 0 || load_propagation(&at, l) < 0)
		return -1;
	if (read_str(&at, "cgroupsPath", READ_OPTIONAL, &l->cgroups_path) < 0 ||
		read_str(&at, "mountLabel", READ_OPTIONAL, &l->mount_label) < 0 ||
		read_kvs(&at, "sysctl", &l->sysctl, &l->n_sysctl) < 0)
		return -1;
	if (l->mount_label && l->mount_label[0] == '\0')
		l->mount_label = NULL;
	if (load_paths(&at, "maskedPaths", &l->masked_paths, &l->n_masked_paths) < 0)
		return -1;
	return load_paths(&at, "readonlyPaths", &l->readonly_paths, &l->n_readonly_paths);
}
