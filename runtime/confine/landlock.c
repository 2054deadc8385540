/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the ruleset: it denies everything that Landlock can deny, and then grants what the rules
 * permit. Building is separate from entering, so that the supervisor can report all errors that
 * concern the user before anything is restricted.
 */
#include "runtime/confine/landlock.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static bool has_notify(void)
{
	struct seccomp_notif_sizes sizes;

	return syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
}

/* fsconfig(2) checks the option at once; nothing is mounted. */
static bool has_hidepid(void)
{
	auto_fd int fs_fd = (int)syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC);

	return fs_fd >= 0 &&
	       syscall(SYS_fsconfig, fs_fd, FSCONFIG_SET_STRING, "hidepid", "ptraceable", 0) == 0;
}

static bool has_protection(enum node_protection p, struct landlock_rights rights)
{
	switch (p) {
	case NODE_PROT_LANDLOCK_FS: return rights.fs != 0;
	case NODE_PROT_LANDLOCK_REFER: return rights.fs & LANDLOCK_ACCESS_FS_REFER;
	case NODE_PROT_LANDLOCK_TRUNCATE: return rights.fs & LANDLOCK_ACCESS_FS_TRUNCATE;
	case NODE_PROT_LANDLOCK_NET: return rights.net & LANDLOCK_ACCESS_NET_CONNECT_TCP;
	case NODE_PROT_LANDLOCK_IOCTL: return rights.fs & LANDLOCK_ACCESS_FS_IOCTL_DEV;
	case NODE_PROT_LANDLOCK_SIGNAL: return rights.scoped & LANDLOCK_SCOPE_SIGNAL;
	case NODE_PROT_LANDLOCK_ABSTRACT:
		return rights.scoped & LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET;
	case NODE_PROT_SECCOMP_NOTIFY: return has_notify();
	case NODE_PROT_HIDEPID: return has_hidepid();
	case NODE_PROT_COUNT: break;
	}
	return false;
}

bool landlock_has(enum node_protection p)
{
	return has_protection(p, landlock_abi_rights(landlock_abi()));
}

static int require(const bool *waived, struct landlock_rights rights, int abi, struct sl_err *err)
{
	for (enum node_protection p = 0; p < NODE_PROT_COUNT; p++) {
		if (waived[p] || has_protection(p, rights))
			continue;
		return sl_err_set(err, 0,
			"this kernel lacks the protection \"%s\" (Landlock ABI %d); the node can "
			"waive it: \"protections\": {\"waive\": [\"%s\"]} in %s",
			node_protection_name(p), abi, node_protection_name(p), NODE_CONFIG_PATH);
	}
	return 0;
}

/* Returns 0, or -1 with errno. */
static int grant(int ruleset_fd, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr attr = {
		.allowed_access = access,
		.parent_fd = fd,
	};

	return (int)syscall(
		SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &attr, 0);
}

static int add_landlock_rules(
	int ruleset_fd, const struct landlock_params *p, uint64_t handled, struct sl_err *err)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct landlock_rule *r = &p->rules[i];

		/* EBADFD: the file system cannot be mounted (a memfd). Landlock does not check such
		 * files, so there is nothing to grant. */
		if (grant(ruleset_fd, r->fd, handled & r->access) < 0 && errno != EBADFD)
			return sl_err_set(err, errno, "landlock: grant on descriptor %d", r->fd);
	}
	return 0;
}

static int grant_ports(int ruleset_fd, const struct rule_ports *ports, size_t n, uint64_t access,
	struct sl_err *err)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned int port = ports[i].first; port <= ports[i].last; port++) {
			struct landlock_port attr = { .access = access, .port = port };

			if (syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_PORT_RULE, &attr,
				    0) < 0)
				return sl_err_set(err, errno, "landlock: grant port %u", port);
		}
	return 0;
}

static int add_net_rules(int ruleset_fd, const struct plan_net *net, struct sl_err *err)
{
	if (!net)
		return 0;
	if (grant_ports(ruleset_fd, net->connect_ports, net->n_connect_ports,
		    LANDLOCK_ACCESS_NET_CONNECT_TCP, err) < 0)
		return -1;
	/* If the supervisor performs bind(2), it checks the list itself. */
	if (net->bind_judged)
		return 0;
	return grant_ports(
		ruleset_fd, net->bind_ports, net->n_bind_ports, LANDLOCK_ACCESS_NET_BIND_TCP, err);
}

/* Chooses the network rights that the ruleset handles. A right that is not handled is not
 * restricted. */
static int adjust_net(
	const struct plan_net *net, struct landlock_rights *rights, struct sl_err *err)
{
	if (!net)
		return 0;
	if (net->connect_any)
		rights->net &= ~LANDLOCK_ACCESS_NET_CONNECT_TCP;
	/* The supervisor performs bind(2), so the kernel must not bind a port for a call that
	 * continues. */
	if (net->bind_judged && landlock_has(NODE_PROT_LANDLOCK_NET))
		rights->net |= LANDLOCK_ACCESS_NET_BIND_TCP;
	if (!net->bind_limited && net->mode == PLAN_NET_OWN)
		return 0;
	/* The node's waiver applies only to containers without network rules: the rules need this
	 * protection. */
	if (!landlock_has(NODE_PROT_LANDLOCK_NET))
		return sl_err_set(err, 0, "network rules need Landlock's TCP rights (ABI 4)");
	if (net->bind_limited)
		rights->net |= LANDLOCK_ACCESS_NET_BIND_TCP;
	return 0;
}

int landlock_prepare(const struct landlock_params *p, int *ret_ruleset_fd, struct sl_err *err)
{
	int abi = landlock_abi();
	struct landlock_rights rights = landlock_abi_rights(abi);
	auto_fd int ruleset_fd = -1;

	if (require(p->waived, rights, abi, err) < 0 || adjust_net(p->net, &rights, err) < 0)
		return -1;
	if (!rights.fs) { /* the node waives all of Landlock, otherwise require() has refused */
		*ret_ruleset_fd = -1;
		return 0;
	}
	ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights), 0);
	if (ruleset_fd < 0)
		return sl_err_set(err, errno, "landlock: create the ruleset");
	if (add_landlock_rules(ruleset_fd, p, rights.fs, err) < 0 ||
		add_net_rules(ruleset_fd, p->net, err) < 0)
		return -1;
	*ret_ruleset_fd = take_fd(&ruleset_fd);
	return 0;
}

int landlock_fence_sockets(void)
{
	const struct landlock_rights rights = { .fs = LANDLOCK_ACCESS_FS_MAKE_SOCK };
	auto_fd int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), ruleset_fd = -1;

	/* Only the file rights are passed: the other members are newer
	 * (landlock_create_ruleset(2)). */
	ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights.fs), 0);
	if (root_fd < 0 || ruleset_fd < 0 || grant(ruleset_fd, root_fd, rights.fs) < 0)
		return -1;
	return (int)syscall(SYS_landlock_restrict_self, ruleset_fd, 0);
}
