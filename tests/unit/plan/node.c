/* SPDX-License-Identifier: Apache-2.0
 *
 * The node configuration: defaults, every key, and answers that name key and line.
 */
#include "runtime/plan/node.h"

#include <string.h>

#include "tests/unit/check.h"

static int parse(struct arena *a, const char *text, struct node_policy *n, struct sl_err *err)
{
	return node_parse(a, text, strlen(text), n, err);
}

static void defaults(struct arena *a)
{
	struct node_policy n = { .sysv_ipc = true };
	struct sl_err err;

	CHECK(parse(a, "{}", &n, &err) == 0);
	CHECK(n.caps_unfenced == NODE_UNFENCED_REFUSE && !n.own_namespace && !n.staged &&
		!n.sysv_ipc);
	CHECK(n.proc_complete && !n.posix_mqueue && n.net_namespace == NODE_NS_AUTO);
	CHECK(n.net_unnamed == NODE_NS_AUTO);
	for (int i = 0; i < NODE_PROT_COUNT; i++) {
		CHECK(!n.waived[i]);
		CHECK(node_protection_name((enum node_protection)i) != NULL);
	}
	CHECK(node_load(a, NULL, &n, &err) == 0);
	CHECK_ERR_CONTAINS(
		node_load(a, "/nonexistent/node.json", &n, &err), err, "/nonexistent/node.json");
}

static void every_key(struct arena *a)
{
	struct sl_err err = { 0 };
	struct node_policy n;

	CHECK(parse(a,
		      "{\"capabilities\":{\"unfenced\":\"drop\"},"
		      "\"protections\":{\"waive\":[\"landlock.signal\",\"proc.hidepid\"]},"
		      "\"rootfs\":{\"mode\":\"namespace\",\"assembly\":\"staged\"},"
		      "\"proc\":{\"complete\":false},\"ipc\":{\"sysv\":true,\"mqueue\":true,"
		      "\"shmSegments\":1024,\"shmBytes\":1,\"semaphoreSets\":2,\"semaphores\":3,"
		      "\"messageQueues\":4,\"posixQueues\":0,\"posixQueueBytes\":6},"
		      "\"network\":{\"unnamedNamespace\":\"refuse\",\"namespace\":\"join\","
		      "\"deny\":[\"10.0.0.0/8\"],\"ceiling\":[\"tcp://*:443\"],"
		      "\"default\":[\"tcp://a.example:443\"],\"localRules\":\"allow\","
		      "\"portRules\":\"landlock\"},"
		      "\"annotations\":{\"allow\":[\"io.sandlock.network.*\",\"io.sandlock.x\"]}}",
		      &n, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(n.caps_unfenced == NODE_UNFENCED_DROP && n.own_namespace && n.staged);
	CHECK(n.waived[NODE_PROT_LANDLOCK_SIGNAL] && n.waived[NODE_PROT_HIDEPID]);
	CHECK(!n.waived[NODE_PROT_LANDLOCK_FS]);
	CHECK(!n.proc_complete && n.sysv_ipc && n.posix_mqueue && n.net_unnamed == NODE_NS_REFUSE);
	CHECK(n.ipc_limits.shm_segments == 1024 && n.ipc_limits.shm_bytes == 1);
	CHECK(n.ipc_limits.sem_sets == 2 && n.ipc_limits.semaphores == 3);
	CHECK(n.ipc_limits.msg_queues == 4 && n.ipc_limits.posix_queues == 0);
	CHECK(n.ipc_limits.posix_bytes == 6);
	CHECK(n.net_namespace == NODE_NS_AUTO && n.net_local_rules && n.net_ports_by_landlock);
	CHECK(n.net_deny.n == 2 && n.net_ceiling.n == 1 && n.net_default.n == 1);
	CHECK(node_allows_annotation(&n, "io.sandlock.network.allow"));
	CHECK(node_allows_annotation(&n, "io.sandlock.x"));
	CHECK(!node_allows_annotation(&n, "io.sandlock.xy"));
	CHECK(!node_allows_annotation(&n, "io.sandlock.rootfs.mode"));
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct node_policy n;
	struct sl_err err;

	defaults(a);
	every_key(a);
	CHECK_ERR_CONTAINS(parse(a, "{\"capabilites\":{}}", &n, &err), err,
		"capabilites: unknown key (line 1)");
	CHECK_ERR_CONTAINS(parse(a, "{\n\"ipc\":{\n\"sysV\":true}}", &n, &err), err,
		"ipc.sysV: unknown key (line 3)");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":{\"sysv\":\"yes\"}}", &n, &err), err,
		"ipc.sysv: expected boolean, got string");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":{\"shmSegments\":1025}}", &n, &err), err,
		"ipc.shmSegments: expected a number from 0 to 1024");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":{\"semaphores\":\"1\"}}", &n, &err), err,
		"ipc.semaphores: expected a number from 0 to");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":true}", &n, &err), err, "ipc: expected object");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":null}", &n, &err), err, "ipc: expected object");
	CHECK_ERR_CONTAINS(parse(a, "{\"capabilities\":{\"unfenced\":\"allow\"}}", &n, &err), err,
		"capabilities.unfenced: expected refuse, drop or keep, got \"allow\"");
	CHECK_ERR_CONTAINS(parse(a, "{\"protections\":{\"waive\":[\"landlock\"]}}", &n, &err), err,
		"protections.waive[0]: unknown protection (`check` prints the names) \"landlock\"");
	CHECK_ERR_CONTAINS(parse(a, "{\"rootfs\":{\"mode\":\"x\"}}", &n, &err), err,
		"rootfs.mode: expected detached or namespace, got \"x\"");
	CHECK_ERR_CONTAINS(parse(a, "{\"rootfs\":{\"mode\":\"attach\"}}", &n, &err), err,
		"rootfs.mode: \"attach\" is no more, \"namespace\" is in its place");
	CHECK_ERR_CONTAINS(parse(a, "{\"rootfs\":{\"attachByAnnotation\":true}}", &n, &err), err,
		"rootfs.attachByAnnotation: is no more, \"modeByAnnotation\" is in its place");
	CHECK_ERR_CONTAINS(parse(a, "[]", &n, &err), err, "expected object");
	CHECK_ERR_CONTAINS(parse(a, "{\"ipc\":{},\n\"ipc\":{}}", &n, &err), err, "twice the key");
	return check_done();
}
