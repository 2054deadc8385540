/* SPDX-License-Identifier: Apache-2.0
 *
 * The table beside libseccomp's, which was written from the kernel's by others: a name that
 * both know has one number, and a call of this architecture that libseccomp knows has a row.
 */
#include <seccomp.h>
#include <stdlib.h>

#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

#define NUMBERS 1024 /* all architectures' newest are far below */

int main(void)
{
	int known = 0;

	for (int nr = 0; nr < NUMBERS; nr++) {
		char *theirs = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
		const struct syscall_row *row = syscall_row(nr);
		/* Newer than this libseccomp. Its number must not be another call's there. */
		bool newer = row && !theirs &&
			     seccomp_syscall_resolve_name(row->name) == __NR_SCMP_ERROR;

		if (theirs)
			known++;
		if (theirs ? !row || strcmp(row->name, theirs) != 0 : row && !newer) {
			printf("# %d: %s here, %s there\n", nr, row ? row->name : "none",
				theirs ? theirs : "none");
			CHECK_NOT_REACHED("the same name for a number");
		}
		free(theirs);
	}
	printf("# %d calls\n", known);
	CHECK(known > 280);
	return check_done();
}
