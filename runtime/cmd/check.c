/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/base/proc.h"
#include "runtime/cmd/cmd.h"
#include "runtime/confine/landlock.h"
#include "runtime/container/lacking.h"
#include "runtime/tree/tree.h"

static const struct flag check_flags[] = { { 0 } };

/* Prints each protection; returns how many are missing without a waiver. */
static int print_protections(const struct node_policy *node)
{
	int missing = 0;

	for (int i = 0; i < NODE_PROT_COUNT; i++) {
		enum node_protection p = (enum node_protection)i;
		const char *lacking = lacking_of(node_protection_name(p));
		bool has = landlock_has(p);

		/* If the caller lacks it, the kernel's support does not matter. */
		printf("%-24s %s%s\n", node_protection_name(p),
			lacking           ? "no; "
			: has             ? "yes"
			: node->waived[i] ? "missing, waived by the node policy"
					  : "MISSING: create refuses",
			lacking ? lacking : "");
		missing += !lacking && !has && !node->waived[i];
	}
	return missing;
}

static void print_rights(void)
{
	const char *devices = lacking_of("devices");

	printf("%-24s %s\n", "devices", devices ? devices : "nodes of the container's own");
	printf("%-24s %s\n", "rights",
		geteuid() != 0 ? "none; in a user namespace of the caller create works without "
				 "what is said above"
		: proc_in_user_namespace() ? "root of a user namespace"
					   : "root");
}

static int check_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	static const char *const unfenced[] = { "refuse", "drop", "keep" };
	static const char *const namespaces[] = { "auto", "host", "refuse" };
	struct node_policy node;
	struct utsname u;
	const char *config = cli->rt.config ? cli->rt.config : NODE_CONFIG_PATH;
	const char *proxy = container_proxy_program(&cli->rt);
	char watch[CONTAINER_WATCH_SIZE];
	int missing;

	(void)f;
	if (node_load(cli->rt.arena, cli->rt.config, &node, err) < 0)
		return CMD_ERROR;
	if (uname(&u) == 0)
		printf("%-24s %s %s\n", "kernel", u.release, u.machine);
	printf("%-24s %d\n", "landlock ABI", landlock_abi());
	printf("%-24s %s\n", "tree assembly",
		node.staged                 ? "staged, by the node policy"
		: geteuid() != 0            ? "not known without rights"
		: tree_can_mount_detached() ? "detached"
					    : "staged (before Linux 6.15)");
	missing = print_protections(&node);
	print_rights();
	printf("%-24s %s%s\n", "node policy", config,
		access(config, F_OK) < 0 ? ", which is not there: defaults" : "");
	printf("%-24s %s\n", "rootfs.mode", plan_fs_mode(node.own_namespace));
	printf("%-24s %s\n", "mounts",
		!node.own_namespace  ? "nothing that the host mounts later"
		: node.mounts_shared ? "slave and shared propagation"
		: node.mounts_slave  ? "slave propagation"
				     : "private");
	printf("%-24s %s\n", "capabilities.unfenced", unfenced[node.caps_unfenced]);
	printf("%-24s %s\n", "proc.complete", node.proc_complete ? "true" : "false");
	printf("%-24s of the pod; the host's sysv %s, mqueue %s\n", "ipc",
		node.sysv_ipc ? "opened" : "refused", node.posix_mqueue ? "opened" : "refused");
	printf("%-24s %s\n", "network",
		node.net_default.n > 0
			? "by network.default"
			: "TCP to the loopback of the container's own pod; TCP bind and "
			  "listen; nothing else");
	printf("%-24s namespace %s, unnamedNamespace %s, portRules %s, localRules %s, %zu denied, "
	       "%zu in the ceiling\n",
		"network rules", namespaces[node.net_namespace], namespaces[node.net_unnamed],
		node.net_ports_by_landlock ? "landlock" : "exact",
		node.net_local_rules ? "allow" : "refuse", node.net_deny.n, node.net_ceiling.n);
	printf("%-24s %s\n", "HTTP rules",
		proxy ? proxy : "refused: the program sandlock-proxy is not there");
	container_memory_watch(watch, sizeof(watch));
	printf("%-24s %s\n", "memory limit", watch);
	return missing ? 1 : 0;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "",
	.summary = "say what this kernel and node policy give, and what is missing",
	.flags = check_flags,
	.max_args = 0,
	.failure_status = 1,
	.run = check_run,
};
