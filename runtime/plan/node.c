/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/node.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/json_read.h"
#include "runtime/plan/node_http.h"
#include "runtime/plan/node_ipc.h"
#include "runtime/plan/node_net.h"

#define NODE_MAX_BYTES ((size_t)1024 * 1024)

static const char *const protection_names[NODE_PROT_COUNT] = {
	[NODE_PROT_LANDLOCK_FS] = "landlock.fs",
	[NODE_PROT_LANDLOCK_REFER] = "landlock.refer",
	[NODE_PROT_LANDLOCK_TRUNCATE] = "landlock.truncate",
	[NODE_PROT_LANDLOCK_NET] = "landlock.net",
	[NODE_PROT_LANDLOCK_IOCTL] = "landlock.ioctl",
	[NODE_PROT_LANDLOCK_SIGNAL] = "landlock.signal",
	[NODE_PROT_LANDLOCK_ABSTRACT] = "landlock.abstract",
	[NODE_PROT_SECCOMP_NOTIFY] = "seccomp.notify",
	[NODE_PROT_HIDEPID] = "proc.hidepid",
};

const char *node_protection_name(enum node_protection p)
{
	return protection_names[p];
}

static int parse_unfenced(const struct at *at, struct node_policy *n)
{
	static const struct read_word words[] = {
		{ "refuse", NODE_UNFENCED_REFUSE },
		{ "drop", NODE_UNFENCED_DROP },
		{ "keep", NODE_UNFENCED_KEEP },
	};
	int v = 0;

	if (read_word(at, words, COUNT(words), "expected refuse, drop or keep, got", &v) < 0)
		return -1;
	n->caps_unfenced = (enum node_unfenced)v;
	return 0;
}

static int parse_waive(const struct at *at, struct node_policy *n)
{
	struct read_word words[NODE_PROT_COUNT];

	if (read_is(at, JSON_ARRAY) < 0)
		return -1;
	for (int i = 0; i < NODE_PROT_COUNT; i++)
		words[i] = (struct read_word){ protection_names[i], i };
	for (size_t i = 0; i < at->j->n; i++) {
		struct at item = at_nth(at, i);
		int v = 0;

		if (read_word(&item, words, COUNT(words),
			    "unknown protection (`check` prints the names)", &v) < 0)
			return -1;
		n->waived[v] = true;
	}
	return 0;
}

/* A choice between two words; the second one is true. */
static int parse_choice(const struct at *at, const char *no, const char *yes, bool *ret)
{
	const struct read_word words[] = { { no, 0 }, { yes, 1 } };
	char what[80];
	int v = 0;

	snprintf(what, sizeof(what), "expected %s or %s, got", no, yes);
	if (read_word(at, words, COUNT(words), what, &v) < 0)
		return -1;
	*ret = v != 0;
	return 0;
}

static int parse_mode(const struct at *at, struct node_policy *n)
{
	if (at->j->type == JSON_STRING && strcmp(at->j->text, "attach") == 0)
		return read_fail(at, "\"attach\" is no more, \"namespace\" is in its place");
	return parse_choice(at, "detached", "namespace", &n->own_namespace);
}

static int parse_assembly(const struct at *at, struct node_policy *n)
{
	return parse_choice(at, "auto", "staged", &n->staged);
}

static int parse_local_rules(const struct at *at, struct node_policy *n)
{
	return parse_choice(at, "refuse", "allow", &n->net_local_rules);
}

static int parse_port_rules(const struct at *at, struct node_policy *n)
{
	return parse_choice(at, "exact", "landlock", &n->net_ports_by_landlock);
}

static int parse_bool(const struct at *at, bool *ret)
{
	if (read_is(at, JSON_BOOL) < 0)
		return -1;
	*ret = at->j->boolean;
	return 0;
}

static int parse_mode_annotation(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->mode_by_annotation);
}

static int parse_attach_annotation(const struct at *at, struct node_policy *n)
{
	(void)n;
	return read_fail(at, "is no more, \"modeByAnnotation\" is in its place");
}

static int parse_mounts_slave(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->mounts_slave);
}

static int parse_mounts_shared(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->mounts_shared);
}

static int parse_complete(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->proc_complete);
}

static int parse_sysv(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->sysv_ipc);
}

static int parse_mqueue(const struct at *at, struct node_policy *n)
{
	return parse_bool(at, &n->posix_mqueue);
}

static const struct node_key {
	const char *section;
	const char *key;
	int (*parse)(const struct at *at, struct node_policy *n);
} keys[] = {
	{ "capabilities", "unfenced", parse_unfenced },
	{ "protections", "waive", parse_waive },
	{ "rootfs", "mode", parse_mode },
	{ "rootfs", "assembly", parse_assembly },
	{ "rootfs", "modeByAnnotation", parse_mode_annotation },
	{ "rootfs", "attachByAnnotation", parse_attach_annotation },
	{ "mounts", "slave", parse_mounts_slave },
	{ "mounts", "shared", parse_mounts_shared },
	{ "proc", "complete", parse_complete },
	{ "ipc", "sysv", parse_sysv },
	{ "ipc", "mqueue", parse_mqueue },
	{ "ipc", "shmSegments", node_parse_shm_segments },
	{ "ipc", "shmBytes", node_parse_shm_bytes },
	{ "ipc", "semaphoreSets", node_parse_sem_sets },
	{ "ipc", "semaphores", node_parse_semaphores },
	{ "ipc", "messageQueues", node_parse_msg_queues },
	{ "ipc", "posixQueues", node_parse_posix_queues },
	{ "ipc", "posixQueueBytes", node_parse_posix_bytes },
	{ "network", "unnamedNamespace", node_parse_unnamed },
	{ "network", "namespace", node_parse_namespace },
	{ "network", "deny", node_parse_net_deny },
	{ "network", "ceiling", node_parse_net_ceiling },
	{ "network", "default", node_parse_net_default },
	{ "network", "localRules", parse_local_rules },
	{ "network", "portRules", parse_port_rules },
	{ "network", "portRemap", node_parse_port_remap },
	{ "network", "portRange", node_parse_port_range },
	{ "http", "credentials", node_parse_credentials },
	{ "http", "hostPaths", node_parse_host_paths },
	{ "http", "caBundle", node_parse_ca_bundle },
	{ "http", "headBytes", node_parse_head_bytes },
	{ "http", "headFields", node_parse_head_fields },
	{ "http", "connections", node_parse_connections },
	{ "http", "handshakeMs", node_parse_handshake_ms },
	{ "http", "idleMs", node_parse_idle_ms },
	{ "annotations", "allow", node_parse_annotations },
};

static int parse_section(const struct at *section, struct node_policy *n)
{
	bool known = false;

	for (size_t k = 0; k < COUNT(keys); k++)
		known |= strcmp(keys[k].section, section->key) == 0;
	if (!known)
		return read_fail(section, "unknown key");
	if (read_is(section, JSON_OBJECT) < 0)
		return -1;
	for (size_t i = 0; i < section->j->n; i++) {
		struct at member = at_nth_member(section, i);
		const struct node_key *key = NULL;

		for (size_t k = 0; k < COUNT(keys) && !key; k++)
			if (strcmp(keys[k].section, section->key) == 0 &&
				strcmp(keys[k].key, member.key) == 0)
				key = &keys[k];
		if (!key)
			return read_fail(&member, "unknown key");
		if (key->parse(&member, n) < 0)
			return -1;
	}
	return 0;
}

static void node_defaults(struct node_policy *ret)
{
	*ret = (struct node_policy){
		.caps_unfenced = NODE_UNFENCED_REFUSE,
		.proc_complete = true,
		/* Neither what clients get by themselves nor the usual service ports. */
		.net_port_range = { 20000, 29999 },
		.ipc_limits = node_ipc_defaults,
		.http.limits = node_http_defaults,
	};
}

int node_parse(
	struct arena *a, const char *buf, size_t len, struct node_policy *ret, struct sl_err *err)
{
	struct reader rd = { .a = a, .err = err };
	const struct json *j;
	struct node_policy n;
	struct at root;

	if (json_parse(a, buf, len, &j, err) < 0)
		return -1;
	root = at_root(&rd, NULL, j);
	if (read_is(&root, JSON_OBJECT) < 0)
		return -1;
	node_defaults(&n);
	for (size_t i = 0; i < j->n; i++) {
		struct at section = at_nth_member(&root, i);

		if (parse_section(&section, &n) < 0)
			return -1;
	}
	*ret = n;
	return 0;
}

int node_load(struct arena *a, const char *path, struct node_policy *ret, struct sl_err *err)
{
	const char *file = path ? path : NODE_CONFIG_PATH;
	struct sl_err read_err;
	char *buf;
	size_t len;

	if (io_read_file(a, AT_FDCWD, file, NODE_MAX_BYTES, &buf, &len, &read_err) < 0) {
		if (!path && read_err.code == ENOENT) {
			node_defaults(ret);
			return 0;
		}
		*err = read_err;
		return sl_err_wrap(err, "node configuration");
	}
	if (node_parse(a, buf, len, ret, err) < 0)
		return sl_err_wrap(err, "node configuration %s", file);
	return 0;
}
