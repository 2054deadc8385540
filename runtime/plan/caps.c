/* SPDX-License-Identifier: Apache-2.0
 *
 * Which capabilities are safe without a user namespace, and why. In the reasons "the tree" is the
 * detached mount tree (nodev, except for read-only binds of chosen devices), "the domain" is the
 * Landlock domain, and "the filter" is syscalls.def. A capability counts as fenced only if one of
 * them stops every use of it in the kernel.
 */
#include "runtime/plan/caps.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stddef.h>

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

#define FENCED(cap, text) [cap] = { .number = cap, .name = #cap, .fenced = true, .fence = text }
#define OPEN(cap, text)   [cap] = { .number = cap, .name = #cap, .fenced = false, .fence = text }

static const struct caps_row caps_rows[] = {
	FENCED(CAP_CHOWN, "files of the tree only; device nodes are read-only binds"),
	FENCED(CAP_DAC_OVERRIDE, "files of the tree only, and Landlock is not overridden by it"),
	FENCED(CAP_DAC_READ_SEARCH,
		"files of the tree only; the filter refuses open_by_handle_at, by which it would "
		"reach the whole file system"),
	FENCED(CAP_FOWNER, "files of the tree only; device nodes are read-only binds"),
	FENCED(CAP_FSETID, "files of the tree only; a set-id file left in a volume is what it is "
			   "under any runtime without a user namespace"),
	FENCED(CAP_KILL, "the domain scopes signals to itself"),
	FENCED(CAP_SETGID, "being another group of the host opens nothing outside the tree"),
	FENCED(CAP_SETUID, "being another user of the host opens nothing outside the tree; signals "
			   "and tracing end at the domain, limits and priorities at the filter"),
	FENCED(CAP_SETPCAP, "changes the process's own capability sets, within its bounding set"),
	FENCED(CAP_LINUX_IMMUTABLE, "files of the tree only; the host's root can undo it"),
	FENCED(CAP_NET_BIND_SERVICE,
		"binds ports below 1024, of the host where the stack is the host's; "
		"rules for binding name the ports"),
	FENCED(CAP_NET_BROADCAST, "the kernel does not ask for it anywhere"),
	OPEN(CAP_NET_ADMIN,
		"the host's interfaces, routes and firewall where there is no network namespace: "
		"the netlink that changes them is the one that lists them"),
	FENCED(CAP_NET_RAW,
		"the filter refuses raw and packet sockets, SO_MARK and IP_TRANSPARENT"),
	FENCED(CAP_IPC_LOCK, "locks memory that the process may have anyway; the host's out-of-"
			     "memory killer takes locked memory too"),
	FENCED(CAP_IPC_OWNER, "objects of the pod only; where the node opens the host's, with "
			      "ipc.sysv or ipc.mqueue, it reaches those and counts as unfenced"),
	OPEN(CAP_SYS_MODULE, "code in the host's kernel: the module calls are refused, but an "
			     "ioctl on any socket loads a module by name for its holder"),
	OPEN(CAP_SYS_RAWIO, "the hardware: commands to disks, kernel memory, the lowest addresses"),
	FENCED(CAP_SYS_CHROOT, "above a second root is the tree, and above the tree is nothing"),
	FENCED(CAP_SYS_PTRACE, "the domain bounds tracing to itself, and the filter shields init"),
	FENCED(CAP_SYS_PACCT, "its only use is acct, which the filter refuses"),
	OPEN(CAP_SYS_ADMIN, "much more than mounts and namespaces, which are refused: control of "
			    "devices, quotas, security attributes of the host's files"),
	OPEN(CAP_SYS_BOOT, "all it is for is stopping or replacing the host's kernel, which the "
			   "filter refuses: whoever asks for it would not get what it means"),
	OPEN(CAP_SYS_NICE, "real-time scheduling takes the processors away from the host and from "
			   "the supervisor; other processes' priorities are refused by the filter"),
	OPEN(CAP_SYS_RESOURCE, "the reserve of the host's file systems, disk quotas, limits of all "
			       "kinds that protect the host"),
	OPEN(CAP_SYS_TIME, "sets the host's clock: adjtimex(2) passes the filter, because "
			   "reading the clock's state is harmless"),
	OPEN(CAP_SYS_TTY_CONFIG, "the host's consoles, when one is the terminal of the container"),
	FENCED(CAP_MKNOD, "Landlock withholds the making of devices, and no mount of the tree "
			  "opens one but the binds in /dev"),
	FENCED(CAP_LEASE, "the filter refuses to take leases"),
	FENCED(CAP_AUDIT_WRITE, "the filter refuses the audit socket"),
	OPEN(CAP_AUDIT_CONTROL, "sets the login user id that the host's audit log records"),
	FENCED(CAP_SETFCAP, "files of the tree only; what a file can give is bounded by the "
			    "container's bounding set, and a file left in a volume is as with a "
			    "set-id bit"),
	OPEN(CAP_MAC_OVERRIDE, "access that the host's security module refuses"),
	OPEN(CAP_MAC_ADMIN, "the host's security policy"),
	OPEN(CAP_SYSLOG, "addresses of the host's kernel, and its log by /proc/kmsg"),
	OPEN(CAP_WAKE_ALARM, "wakes the host from its sleep"),
	OPEN(CAP_BLOCK_SUSPEND, "keeps the host from its sleep"),
	FENCED(CAP_AUDIT_READ, "the filter refuses the audit socket"),
	OPEN(CAP_PERFMON, "all it is for is observing the host's kernel and every process, "
			  "which the filter refuses: whoever asks for it would not get what it "
			  "means"),
	OPEN(CAP_BPF, "all it is for is programs in the host's kernel, which the filter "
		      "refuses: whoever asks for it would not get what it means"),
	OPEN(CAP_CHECKPOINT_RESTORE, "chooses the process ids that the host gives out next"),
};
#define N_ROWS (sizeof(caps_rows) / sizeof(caps_rows[0]))

const struct caps_row *caps_row(unsigned int number)
{
	return number < N_ROWS ? &caps_rows[number] : NULL;
}

unsigned int caps_last(void)
{
	return N_ROWS - 1;
}

static bool is_fenced(const struct caps_row *row, const struct node_policy *node)
{
	if (row->number == CAP_IPC_OWNER)
		return !node->sysv_ipc && !node->posix_mqueue;
	return row->fenced;
}

static uint64_t unfenced_bits(const struct node_policy *node)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < N_ROWS; i++)
		if (!is_fenced(&caps_rows[i], node))
			bits |= UINT64_C(1) << i;
	return bits;
}

static int refuse_caps(uint64_t bits, struct sl_err *err)
{
	const struct caps_row *row =
		&caps_rows[__builtin_ctzll(bits)]; /* the table has a row for each of these bits */

	return sl_err_set(err, 0,
		"process.capabilities: %s is refused, because nothing can fence it here: %s. The "
		"node decides: \"capabilities\": {\"unfenced\": \"drop\"} in %s leaves such bits "
		"out, \"keep\" hands them on",
		row->name, row->fence, NODE_CONFIG_PATH);
}

struct caps_rules caps_rules_of(const struct node_policy *node)
{
	return (struct caps_rules){
		.unfenced = unfenced_bits(node),
		.on_unfenced = node->caps_unfenced,
		.proc_complete = node->proc_complete,
	};
}

int caps_decide(const struct spec_caps *asked, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err)
{
	/* A bit in any of the sets can become effective, by an execve of root or of a file with
	 * capabilities. */
	uint64_t all = asked->bounding | asked->effective | asked->inheritable | asked->permitted |
		       asked->ambient;
	uint64_t unfenced = all & rules->unfenced;
	uint64_t kept = UINT64_MAX;

	if (all >> N_ROWS)
		return sl_err_set(err, 0,
			"process.capabilities: bits 0x%" PRIx64 " are newer than this runtime",
			all >> N_ROWS << N_ROWS);
	if (unfenced && rules->on_unfenced == NODE_UNFENCED_REFUSE)
		return refuse_caps(unfenced, err);
	if (rules->on_unfenced == NODE_UNFENCED_DROP)
		kept = ~unfenced;
	*ret = (struct caps_decision){
		.caps = {
			/* a missing capabilities object means no capabilities, as in other
			 * runtimes */
			.set = true,
			.bounding = asked->bounding & kept,
			.effective = asked->effective & kept,
			.inheritable = asked->inheritable & kept,
			.permitted = asked->permitted & kept,
			.ambient = asked->ambient & kept,
		},
		.dropped = all & ~kept,
	};
	return 0;
}

static void add_proc_view(struct spec_caps *caps)
{
	const uint64_t bit = UINT64_C(1) << CAP_SYS_PTRACE;

	/* The bit is in the bounding set, so that root has it again after execve. It is not
	 * ambient, so that it is lost with the change to another user. */
	caps->bounding |= bit;
	caps->permitted |= bit;
	caps->effective |= bit;
}

int caps_of_process(const struct spec_process *p, const struct caps_rules *rules,
	struct caps_decision *ret, struct sl_err *err)
{
	if (caps_decide(&p->caps, rules, ret, err) < 0)
		return -1;
	/* An ambient capability must be inheritable and permitted (capabilities(7)). `runc spec`
	 * writes some that are not; runc drops them too. */
	ret->caps.ambient &= ret->caps.inheritable & ret->caps.permitted;
	/* The bit is added only if processes of other users can exist: without CAP_SETUID uid 0 can
	 * see all processes anyway, and a bundle that drops all capabilities gets none. */
	if (rules->proc_complete && p->uid == 0 &&
		ret->caps.permitted & (UINT64_C(1) << CAP_SETUID))
		add_proc_view(&ret->caps);
	return 0;
}

int caps_print_markdown(FILE *out)
{
	fputs("| bit | capability | fenced | by what, or what it would reach |\n"
	      "|---|---|---|---|\n",
		out);
	for (size_t i = 0; i < N_ROWS; i++)
		fprintf(out, "| %zu | `%s` | %s | %s |\n", i, caps_rows[i].name,
			caps_rows[i].fenced ? "yes" : "**no**", caps_rows[i].fence);
	return ferror(out) ? -1 : 0;
}
