/* SPDX-License-Identifier: Apache-2.0
 *
 * One row for every capability of the headers and of the running kernel, in order.
 */
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "runtime/plan/caps.h"
#include "tests/unit/check.h"

int main(void)
{
	static const unsigned int unfenced[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_SYS_MODULE,
		CAP_SYS_RAWIO, CAP_SYS_TIME, CAP_SYS_BOOT, CAP_SYS_RESOURCE, CAP_BPF, CAP_PERFMON,
		CAP_MAC_ADMIN, CAP_SYSLOG };
	static const unsigned int usual[] = { CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER,
		CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP, CAP_SETPCAP,
		CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	CHECK(caps_last() == CAP_LAST_CAP);
	CHECK(prctl(PR_CAPBSET_READ, (unsigned long)caps_last() + 1, 0L, 0L, 0L) < 0);
	for (unsigned int i = 0; i <= caps_last(); i++) {
		const struct caps_row *row = caps_row(i);

		CHECK(row && row->number == i && strlen(row->fence) > 20);
		CHECK_STR(row->name, spec_cap_name(i));
	}
	CHECK(!caps_row(caps_last() + 1));
	for (size_t i = 0; i < sizeof(unfenced) / sizeof(unfenced[0]); i++)
		CHECK(!caps_row(unfenced[i])->fenced);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		CHECK(caps_row(usual[i])->fenced);
	CHECK(caps_print_markdown(out) == 0);
	fclose(out);
	CHECK_CONTAINS(text, "| 21 | `CAP_SYS_ADMIN` | **no** | ");
	free(text);
	return check_done();
}
