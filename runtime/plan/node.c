/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/node.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/base/json_read.h"
#include "runtime/plan/node_http.h"
#include "runtime/plan/node_net.h"

#define NODE_MAX_BYTES ((size_t)1024 * 1024)

#define SHM_BYTES_MAX  (1ULL << 50)
/* the kernel's largest size of a set, times the largest number of sets */
#define SEMAPHORES_MAX       1024000
#define POSIX_BYTES_MAX      (1ULL << 30)
#define HTTP_CONNECTIONS_MAX 1024
#define HTTP_MS_MAX          3600000
#define HTTP2_STREAMS_MAX    1000
#define HTTP2_RESETS_MAX     1000        /* nghttp2 closes a connection at about as many */
#define HTTP2_BYTES_MIN      (1UL << 18) /* two sessions and a head */
#define HTTP2_BYTES_MAX      (1UL << 28)

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

/* A choice of two words; the second one means true. */
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

static int parse_attach_annotation(const struct at *at, struct node_policy *n)
{
	(void)n;
	return read_fail(at, "is no more, \"modeByAnnotation\" is in its place");
}

#define AT(field)            offsetof(struct node_policy, field)
#define BOOL(f)              .field = AT(f), .size = sizeof(bool)
#define CHOICE(f, no_, yes_) BOOL(f), .no = no_, .yes = yes_
#define NUMBER(f, min_, max_)                                                                      \
	.field = AT(f), .size = sizeof(((struct node_policy *)0)->f), .min = min_, .max = max_

static const struct node_key {
	const char *section;
	const char *key;
	/* NULL: the other fields say how */
	int (*parse)(const struct at *at, struct node_policy *n);
	size_t field, size;
	const char *no, *yes; /* the words of a bool that is not a JSON boolean */
	uint64_t min, max;    /* limits of a number */
} keys[] = {
	{ "capabilities", "unfenced", .parse = parse_unfenced },
	{ "protections", "waive", .parse = parse_waive },
	{ "rootfs", "mode", .parse = parse_mode },
	{ "rootfs", "assembly", CHOICE(staged, "auto", "staged") },
	{ "rootfs", "modeByAnnotation", BOOL(mode_by_annotation) },
	{ "rootfs", "attachByAnnotation", .parse = parse_attach_annotation },
	{ "mounts", "slave", BOOL(mounts_slave) },
	{ "mounts", "shared", BOOL(mounts_shared) },
	{ "proc", "complete", BOOL(proc_complete) },
	{ "ipc", "sysv", BOOL(sysv_ipc) },
	{ "ipc", "mqueue", BOOL(posix_mqueue) },
	{ "ipc", "shmSegments", NUMBER(ipc_limits.shm_segments, 0, PLAN_IPC_OBJECTS) },
	{ "ipc", "shmBytes", NUMBER(ipc_limits.shm_bytes, 0, SHM_BYTES_MAX) },
	{ "ipc", "semaphoreSets", NUMBER(ipc_limits.sem_sets, 0, PLAN_IPC_OBJECTS) },
	{ "ipc", "semaphores", NUMBER(ipc_limits.semaphores, 0, SEMAPHORES_MAX) },
	{ "ipc", "messageQueues", NUMBER(ipc_limits.msg_queues, 0, PLAN_IPC_OBJECTS) },
	{ "ipc", "posixQueues", NUMBER(ipc_limits.posix_queues, 0, PLAN_IPC_QUEUES) },
	{ "ipc", "posixQueueBytes", NUMBER(ipc_limits.posix_bytes, 0, POSIX_BYTES_MAX) },
	{ "network", "unnamedNamespace", .parse = node_parse_unnamed },
	{ "network", "namespace", .parse = node_parse_namespace },
	{ "network", "deny", .parse = node_parse_net_deny },
	{ "network", "ceiling", .parse = node_parse_net_ceiling },
	{ "network", "default", .parse = node_parse_net_default },
	{ "network", "localRules", CHOICE(net_local_rules, "refuse", "allow") },
	{ "network", "portRules", CHOICE(net_ports_by_landlock, "exact", "landlock") },
	{ "network", "portRemap", .parse = node_parse_port_remap },
	{ "network", "portRange", .parse = node_parse_port_range },
	{ "http", "credentials", .parse = node_parse_credentials },
	{ "http", "hostPaths", .parse = node_parse_host_paths },
	{ "http", "caBundle", .parse = node_parse_ca_bundle },
	{ "http", "headBytes", NUMBER(http.limits.head.head_bytes, 1024, HTTP_HEAD_MAX) },
	{ "http", "headFields", NUMBER(http.limits.head.fields, 1, HTTP_FIELDS_MAX) },
	{ "http", "connections", NUMBER(http.limits.connections, 1, HTTP_CONNECTIONS_MAX) },
	{ "http", "handshakeMs", NUMBER(http.limits.handshake_ms, 1, HTTP_MS_MAX) },
	{ "http", "idleMs", NUMBER(http.limits.idle_ms, 1, HTTP_MS_MAX) },
	{ "http", "http2Streams", NUMBER(http.limits.http2_streams, 1, HTTP2_STREAMS_MAX) },
	{ "http", "http2Resets", NUMBER(http.limits.http2_resets, 1, HTTP2_RESETS_MAX) },
	{ "http", "http2Bytes", NUMBER(http.limits.http2_bytes, HTTP2_BYTES_MIN, HTTP2_BYTES_MAX) },
	{ "annotations", "allow", .parse = node_parse_annotations },
};

static int parse_number(const struct at *at, const struct node_key *key, void *field)
{
	uint64_t v = 0;
	uint32_t half;

	if (json_to_u64(at->j, &v) < 0 || v < key->min || v > key->max)
		return read_fail(at, "expected a number from %llu to %llu",
			(unsigned long long)key->min, (unsigned long long)key->max);
	half = (uint32_t)v;
	memcpy(field, key->size == sizeof(half) ? (void *)&half : (void *)&v, key->size);
	return 0;
}

static int parse_key(const struct at *at, const struct node_key *key, struct node_policy *n)
{
	void *field = (char *)n + key->field;

	if (key->parse)
		return key->parse(at, n);
	if (key->no)
		return parse_choice(at, key->no, key->yes, field);
	if (key->max > 0)
		return parse_number(at, key, field);
	if (read_is(at, JSON_BOOL) < 0)
		return -1;
	memcpy(field, &at->j->boolean, sizeof(bool));
	return 0;
}

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
		if (parse_key(&member, key, n) < 0)
			return -1;
	}
	return 0;
}

static void node_defaults(struct node_policy *ret)
{
	*ret = (struct node_policy){
		.caps_unfenced = NODE_UNFENCED_REFUSE,
		.proc_complete = true,
		/* Neither the ports that clients get from the kernel nor the usual ports of
		 * services. */
		.net_port_range = { 20000, 29999 },
		/* The kernel's limits for the whole host are 4096 segments, 32000 sets, 32000
		 * queues and 256 POSIX queues. A pod gets a part that leaves room for others and is
		 * enough for known programs. */
		.ipc_limits = {
			.shm_segments = 256,
			.shm_bytes = 4ULL << 30,
			.sem_sets = 256,
			.semaphores = 32000,
			.msg_queues = 128,
			.posix_queues = 64,
			/* the usual RLIMIT_MSGQUEUE of a user, getrlimit(2) */
			.posix_bytes = 819200,
		},
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
