/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/caller/caller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

static const char *value_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? line + strlen(name) : NULL;
}

static int read_ids(const char *status, const char *name, uint32_t *effective, uint32_t *files)
{
	const char *v = value_of(status, name);

	/* real, effective, saved, file system */
	return v && sscanf(v, "%*u %u %*u %u", effective, files) == 2 ? 0 : -1;
}

static int read_number(const char *status, const char *name, int base, uint64_t *ret)
{
	const char *v = value_of(status, name);

	if (!v)
		return -1;
	*ret = strtoull(v, NULL, base);
	return 0;
}

static int read_groups(const char *status, struct caller *who)
{
	const char *p = value_of(status, "\nGroups:");
	char *end;

	for (; p && who->n_groups < CALLER_GROUPS_MAX; p = end) {
		unsigned long gid;

		p += strspn(p, " \t");
		gid = strtoul(p, &end, 10);
		if (end == p || *p == '\n')
			return 0;
		who->groups[who->n_groups++] = (gid_t)gid;
	}
	return -1;
}

int caller_read(const struct notif_call *c, struct caller *ret)
{
	char path[32], status[CALLER_STATUS_SIZE];
	struct caller who = { 0 };
	uint64_t mask, tgid;

	snprintf(path, sizeof(path), "%d/status", c->pid);
	if (io_slurp(c->proc_fd, path, status, sizeof(status)) < 0)
		return -1;
	if (read_ids(status, "\nUid:", &who.uid, &who.fs_uid) < 0 ||
		read_ids(status, "\nGid:", &who.gid, &who.fs_gid) < 0 ||
		read_number(status, "\nCapEff:", 16, &who.caps) < 0 ||
		read_number(status, "\nCapPrm:", 16, &who.permitted) < 0 ||
		read_number(status, "\nUmask:", 8, &mask) < 0 ||
		read_number(status, "\nTgid:", 10, &tgid) < 0 || read_groups(status, &who) < 0) {
		errno = EACCES;
		return -1;
	}
	/* Afterwards: what was read was of the thread that asked. */
	if (!notif_waits(c)) {
		errno = ESRCH;
		return -1;
	}
	who.umask = (mode_t)mask;
	who.tgid = (pid_t)tgid;
	*ret = who;
	return 0;
}

bool caller_has_cap(const struct caller *who, int cap)
{
	return who->caps & 1ULL << cap;
}

bool caller_in_group(const struct caller *who, gid_t gid)
{
	if (who->gid == gid)
		return true;
	for (size_t i = 0; i < who->n_groups; i++)
		if (who->groups[i] == gid)
			return true;
	return false;
}

uint64_t caller_mask(const char *status, const char *name)
{
	const char *v = value_of(status, name);

	return v ? strtoull(v, NULL, 16) : 0;
}
