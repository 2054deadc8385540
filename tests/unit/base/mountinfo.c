/* SPDX-License-Identifier: Apache-2.0
 *
 * A line of mountinfo is found by its id, and an option of its file system is decoded.
 */
#include <string.h>

#include "runtime/base/mountinfo.h"
#include "tests/unit/check.h"

static const char table[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"122 27 0:40 / /a\\040-\\040b rw,relatime shared:7 master:1 - overlay overlay "
	"rw,lowerdir=/l1:/l2,upperdir=/up\\040per\\134\\054x,workdir=/w\n"
	"23 27 0:41 / /ro ro - overlay overlay ro,lowerdir=/l1:/l2";

static void has_option(uint64_t id, const char *name, const char *want)
{
	char text[sizeof(table)], *line;
	const char *got;

	strcpy(text, table);
	line = mountinfo_find(text, id);
	CHECK(line != NULL);
	got = mountinfo_option(line, name);
	CHECK(want ? got && strcmp(got, want) == 0 : got == NULL);
}

int main(void)
{
	char text[sizeof(table)], odd[] = "\\04\\400\\\\101\\1";

	has_option(122, "upperdir", "/up per\\,x");
	has_option(122, "lowerdir", "/l1:/l2");
	has_option(122, "workdir", "/w");
	has_option(122, "upper", NULL);
	has_option(23, "upperdir", NULL);
	has_option(22, "upperdir", NULL);
	strcpy(text, table);
	CHECK(mountinfo_find(text, 2) == NULL);
	mountinfo_decode(odd);
	CHECK(strcmp(odd, "\\04\\400\\A\\1") == 0);
	return 0;
}
