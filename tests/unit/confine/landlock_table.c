/* SPDX-License-Identifier: Apache-2.0
 *
 * Each ABI knows what the one before it knew and something more; what this kernel has is
 * what its ABI says; a protection that is lacking is named unless it is waived.
 */
#include "runtime/confine/landlock.h"
#include "runtime/confine/landlock_abi.h"
#include "tests/unit/check.h"

static bool contains(struct landlock_rights big, struct landlock_rights small)
{
	return !(small.fs & ~big.fs) && !(small.net & ~big.net) && !(small.scoped & ~big.scoped);
}

int main(void)
{
	struct landlock_rights none = landlock_abi_rights(0);
	struct landlock_rights newest = landlock_abi_rights(1000);

	CHECK(none.fs == 0 && none.net == 0 && none.scoped == 0);
	CHECK(landlock_abi_rights(-1).fs == 0);
	for (int abi = 1; abi <= 6; abi++) {
		struct landlock_rights r = landlock_abi_rights(abi);
		struct landlock_rights before = landlock_abi_rights(abi - 1);

		CHECK(contains(r, before) && !contains(before, r));
	}
	CHECK(landlock_abi_rights(1).fs == 0x1fff);
	CHECK(newest.fs == 0xffff && newest.net == 2 && newest.scoped == 3);
	CHECK(sizeof(struct landlock_rights) == 24); /* what ABI 6 takes */

	CHECK(landlock_abi() >= 1);
	CHECK(landlock_has(NODE_PROT_LANDLOCK_FS));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_REFER) == (landlock_abi() >= 2));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_TRUNCATE) == (landlock_abi() >= 3));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_NET) == (landlock_abi() >= 4));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_IOCTL) == (landlock_abi() >= 5));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_SIGNAL) == (landlock_abi() >= 6));
	CHECK(landlock_has(NODE_PROT_LANDLOCK_ABSTRACT) == (landlock_abi() >= 6));
	CHECK(landlock_has(NODE_PROT_SECCOMP_NOTIFY));
	CHECK(landlock_has(NODE_PROT_HIDEPID));
	CHECK(!landlock_has(NODE_PROT_COUNT));
	return check_done();
}
