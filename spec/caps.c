/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of capabilities(7), by number, in the specification's spelling alone (decision 9 says why
 * they are not libcap's).
 */
#include <stdbool.h>
#include <string.h>

#include "runtime/base/json_read.h"
#include "spec/spec.h"

static const char *const cap_names[] = {
	"CAP_CHOWN",
	"CAP_DAC_OVERRIDE",
	"CAP_DAC_READ_SEARCH",
	"CAP_FOWNER",
	"CAP_FSETID",
	"CAP_KILL",
	"CAP_SETGID",
	"CAP_SETUID",
	"CAP_SETPCAP",
	"CAP_LINUX_IMMUTABLE",
	"CAP_NET_BIND_SERVICE",
	"CAP_NET_BROADCAST",
	"CAP_NET_ADMIN",
	"CAP_NET_RAW",
	"CAP_IPC_LOCK",
	"CAP_IPC_OWNER",
	"CAP_SYS_MODULE",
	"CAP_SYS_RAWIO",
	"CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE",
	"CAP_SYS_PACCT",
	"CAP_SYS_ADMIN",
	"CAP_SYS_BOOT",
	"CAP_SYS_NICE",
	"CAP_SYS_RESOURCE",
	"CAP_SYS_TIME",
	"CAP_SYS_TTY_CONFIG",
	"CAP_MKNOD",
	"CAP_LEASE",
	"CAP_AUDIT_WRITE",
	"CAP_AUDIT_CONTROL",
	"CAP_SETFCAP",
	"CAP_MAC_OVERRIDE",
	"CAP_MAC_ADMIN",
	"CAP_SYSLOG",
	"CAP_WAKE_ALARM",
	"CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ",
	"CAP_PERFMON",
	"CAP_BPF",
	"CAP_CHECKPOINT_RESTORE",
};

int spec_cap_number(const char *name)
{
	for (size_t i = 0; i < COUNT(cap_names); i++)
		if (strcmp(cap_names[i], name) == 0)
			return (int)i;
	return -1;
}

const char *spec_cap_name(unsigned int number)
{
	return number < COUNT(cap_names) ? cap_names[number] : NULL;
}

/* Whether the list contains the name, or is long enough for a warning. */
static bool is_told(const char *list, const char *name)
{
	size_t n = strlen(name);

	if (!list)
		return false;
	for (const char *at = list; (at = strstr(at, name)); at += n)
		if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
			return true;
	return strlen(list) + n > 400;
}

/* An unknown name is only reported, as in runc: a bundle for a newer kernel has names that an older
 * runtime does not know. */
void spec_cap_note_unknown(struct arena *a, const char *name, const char **list)
{
	if (!*name)
		name = "\"\"";
	if (!is_told(*list, name))
		*list = *list ? arena_printf(a, "%s %s", *list, name)
			      : arena_printf(a, "%.80s", name);
}
