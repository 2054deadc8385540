/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel that lacks protections, played by a filter that answers ENOSYS: the error names
 * the first one that is missing, and with all of them waived there is no domain.
 */
#include "runtime/confine/landlock.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

static int install_old_kernel(void)
{
	const struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};

	return child_filter(insns, sizeof(insns) / sizeof(insns[0]), 0);
}

int main(void)
{
	struct node_policy node = { .own_namespace = false };
	const struct landlock_params p = { .waived = node.waived };
	struct sl_err err;
	int fd = 4711;

	CHECK(install_old_kernel() == 0);
	CHECK(landlock_abi() == 0);
	for (enum node_protection i = 0; i < NODE_PROT_COUNT; i++) {
		if (i == NODE_PROT_SECCOMP_NOTIFY) {
			CHECK(landlock_has(i));
			continue;
		}
		CHECK(!landlock_has(i));
		CHECK_ERR_CONTAINS(landlock_prepare(&p, &fd, &err), err, node_protection_name(i));
		CHECK_CONTAINS(err.msg, "waive");
		CHECK(fd == 4711);
		node.waived[i] = true;
	}
	CHECK(landlock_prepare(&p, &fd, &err) == 0 && fd == -1);
	return check_done();
}
