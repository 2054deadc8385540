/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the steps is essential for the security, so it is data: read confine_steps[] from
 * the top. tests/unit/confine/steps.c checks it.
 */
#include "runtime/confine/steps.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/identity.h"

#define KEYCTL_JOIN_SESSION_KEYRING 1 /* linux/keyctl.h is not in every libc's set */

static int step_outside(struct confine_input *in)
{
	in->outside_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return in->outside_fd < 0 ? -1 : 0;
}

static int step_keyring(struct confine_input *in)
{
	if (!in->new_keyring)
		return 0;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		return -1;
	return 0;
}

static int step_personality(struct confine_input *in)
{
	if (!in->has_personality)
		return 0;
	return personality(in->personality) < 0 ? -1 : 0;
}

static int step_memory_policy(struct confine_input *in)
{
	if (!in->memory_nodes)
		return 0;
	return (int)syscall(SYS_set_mempolicy, in->memory_mode, in->memory_nodes,
		8 * sizeof(*in->memory_nodes));
}

static int step_root(struct confine_input *in)
{
	return fchdir(in->root_fd) < 0 || chroot(".") < 0 ? -1 : 0;
}

static int step_landlock(struct confine_input *in)
{
	if (in->ruleset_fd < 0)
		return 0;
	return (int)syscall(SYS_landlock_restrict_self, in->ruleset_fd, 0);
}

/* Tries to open a directory that no rule grants. The descriptor is valid, so only Landlock can
 * refuse. */
static int step_attack_files(struct confine_input *in)
{
	auto_fd int outside_fd = take_fd(&in->outside_fd);
	auto_fd int fd = -1;

	if (in->ruleset_fd < 0)
		return 0;
	fd = openat(outside_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		errno = ENOTRECOVERABLE;
		return -1;
	}
	return errno == EACCES ? 0 : -1;
}

static bool signals_are_scoped(pid_t outsider)
{
	/* Signal 0 only checks the permission. Process 1 always exists and never belongs to the
	 * container. The outsider has the same user id as this process, so only the signal scope
	 * can refuse. */
	if (kill(1, 0) == 0 || errno != EPERM)
		return false;
	return kill(outsider, 0) < 0 && (errno == EPERM || errno == ESRCH);
}

static int step_attack_signals(struct confine_input *in)
{
	if (!in->scope_signals || signals_are_scoped(in->outsider))
		return 0;
	errno = ENOTRECOVERABLE;
	return -1;
}

static int step_no_new_privs(struct confine_input *in)
{
	return in->no_new_privs ? prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) : 0;
}

static int step_filter(struct confine_input *in)
{
	struct sock_fprog prog = {
		.len = (unsigned short)in->n_filter,
		.filter = (struct sock_filter *)in->filter,
	};
	unsigned int flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	long fd;

#ifdef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	flags |= SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
#endif
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	/* Kernels before 5.19 do not know the flag. Without it a handled signal may restart a
	 * trapped call, which is slower but as safe. */
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			&prog);
	if (fd < 0)
		return -1;
	in->listener_fd = (int)fd;
	return 0;
}

/* Tries a refused call, with arguments that would do no harm if the call were permitted. */
static int step_attack_filter(struct confine_input *in)
{
	(void)in;
	if (syscall(SYS_mount_setattr, -1, "", 0, NULL, 0) == 0 || errno != EPERM) {
		errno = ENOTRECOVERABLE;
		return -1;
	}
	return 0;
}

static int step_profile(struct confine_input *in)
{
	struct sock_fprog prog = {
		.len = (unsigned short)in->n_profile,
		.filter = (struct sock_filter *)in->profile,
	};

	if (in->n_profile == 0)
		return 0;
	/* TSYNC would also set the filter on the other threads of this process, among them the
	 * leader of init. */
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		in->profile_flags & ~(unsigned int)SECCOMP_FILTER_FLAG_TSYNC, &prog);
}

static int step_capabilities(struct confine_input *in)
{
	struct spec_caps caps = {
		.set = true,
		.bounding = in->caps_bounding | in->caps_ceiling,
		.permitted = in->caps_ceiling,
		.effective = in->caps_ceiling,
	};

	return identity_apply_caps(&caps);
}

const struct confine_step confine_steps[] = {
	{ "outside",
		"a descriptor of the host's root, taken while it can still be, for the attack "
		"on the file rules below; closed there",
		step_outside },
	{ "keyring", "a session keyring of its own, before the filter refuses keyctl",
		step_keyring },
	{ "personality", "before the filter refuses personality(2); inherited by all children",
		step_personality },
	{ "linux.memoryPolicy",
		"inherited by all children; before the bundle's profile, which may refuse it",
		step_memory_policy },
	{ "root", "chroot into the detached tree: the rules below are about what is above it",
		step_root },
	{ "landlock", "the fence; after chroot, which a domain may still do but need not",
		step_landlock },
	{ "attack: open outside", "a ruleset that does not bite must not go unnoticed",
		step_attack_files },
	{ "attack: signal outside",
		"kill(-1) of init relies on the signal scope; before the filter, which asks the "
		"supervisor about process 1",
		step_attack_signals },
	{ "no_new_privs",
		"inherited by every child from its birth, when the bundle asks for it; "
		"before both filters, whose answer to this prctl then does not matter",
		step_no_new_privs },
	{ "seccomp",
		"after everything that needs a refused call; while CAP_SYS_ADMIN is held, so "
		"that noNewPrivileges: false can be honoured",
		step_filter },
	{ "attack: mount_setattr", "the filter must refuse what Landlock does not stop",
		step_attack_filter },
	{ "profile",
		"the bundle's own filter, inherited by every child from its birth; after ours and "
		"its attack, which it could answer otherwise; while CAP_SYS_ADMIN is held",
		step_profile },
	{ "capabilities",
		"last: a process of the container must not find more in a child that has "
		"not yet executed than it could have itself",
		step_capabilities },
};
const size_t confine_n_steps = sizeof(confine_steps) / sizeof(confine_steps[0]);

int confine_enforce(struct confine_input *in, int *ret_listener_fd, struct sl_err *err)
{
	in->listener_fd = -1;
	for (size_t i = 0; i < confine_n_steps; i++) {
		if (confine_steps[i].run(in) == 0)
			continue;
		if (errno == ENOTRECOVERABLE)
			return sl_err_set(err, 0,
				"confine: step \"%s\" succeeded where it must fail",
				confine_steps[i].name);
		return sl_err_set(err, errno, "confine: step \"%s\"", confine_steps[i].name);
	}
	*ret_listener_fd = in->listener_fd;
	return 0;
}
