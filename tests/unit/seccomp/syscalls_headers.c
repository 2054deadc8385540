/* SPDX-License-Identifier: Apache-2.0
 *
 * Every call that the installed kernel headers know has a row, with their number. A newer
 * kernel's headers fail this test until somebody has thought about the new calls.
 */
#include <stdlib.h>

#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

/* What the tree is built with, which knows where its headers are. */
#ifndef COMPILER
#error "COMPILER is set by CMakeLists.txt"
#endif

static void check_line(const char *line, int *known)
{
	char name[64];
	const struct syscall_row *row;
	int value = 0; /* where the number stands */
	char *end;
	int nr;

	if (sscanf(line, "#define __NR_%63s %n", name, &value) != 1 || !value)
		return;
	nr = (int)strtol(line + value, &end, 10);
	if (end == line + value)
		return;
	/* Two marks of the generic list that are no calls. */
	if (strcmp(name, "arch_specific_syscall") == 0 || strcmp(name, "syscalls") == 0)
		return;
	++*known;
	row = syscall_row_by_name(name);
	if (!row || row->nr != nr || syscall_row(nr) != row) {
		printf("# %s is %d in the headers\n", name, nr);
		CHECK_NOT_REACHED("a row for every call of the headers");
	}
}

int main(void)
{
	FILE *headers = popen("echo '#include <asm/unistd.h>' | " COMPILER " -E -dM -x c -", "r");
	char line[512];
	int known = 0;

	while (headers && fgets(line, sizeof(line), headers))
		check_line(line, &known);
	CHECK(headers && pclose(headers) == 0);
	CHECK(known > 250);
	return check_done();
}
