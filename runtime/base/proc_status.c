/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/proc_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"

/* Enough for PROC_GROUPS_MAX groups of ten digits, and three kilobytes for the rest. */
#define STATUS_ROOM 8192

enum { TGID, THREADS, UMASK, SIGPND, SHDPND, SIGBLK, SIGIGN, CAPPRM, CAPEFF, NUMBERS };

static const struct {
	const char *name;
	int base;
} numbers[NUMBERS] = {
	[TGID] = { "Tgid:", 10 },
	[THREADS] = { "Threads:", 10 },
	[UMASK] = { "Umask:", 8 },
	[SIGPND] = { "SigPnd:", 16 },
	[SHDPND] = { "ShdPnd:", 16 },
	[SIGBLK] = { "SigBlk:", 16 },
	[SIGIGN] = { "SigIgn:", 16 },
	[CAPPRM] = { "CapPrm:", 16 },
	[CAPEFF] = { "CapEff:", 16 },
};

/* Returns the text after the name at the beginning of the line, or NULL. */
static const char *value_of(const char *line, const char *name)
{
	for (; *name; line++, name++)
		if (*line != *name)
			return NULL;
	return line;
}

static bool parse_ids(const char *line, const char *name, struct proc_ids *ret)
{
	const char *v = value_of(line, name);

	return v &&
	       sscanf(v, "%u %u %u %u", &ret->real, &ret->effective, &ret->saved, &ret->files) == 4;
}

static bool parse_groups(const char *line, struct proc_status *s)
{
	const char *p = value_of(line, "Groups:");
	char *end;

	if (!p)
		return false;
	for (;; p = end) {
		unsigned long gid;

		p += strspn(p, " \t");
		if (*p == '\n' || *p == '\0')
			return true;
		gid = strtoul(p, &end, 10);
		s->more_groups = end == p || s->n_groups == PROC_GROUPS_MAX;
		if (s->more_groups)
			return true;
		s->groups[s->n_groups++] = (gid_t)gid;
	}
}

int proc_parse_status(const char *text, struct proc_status *ret)
{
	struct proc_status s = { 0 };
	uint64_t v[NUMBERS] = { 0 };
	unsigned int seen = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (int i = 0; i < NUMBERS; i++) {
			const char *value = value_of(line, numbers[i].name);

			if (value) {
				v[i] = strtoull(value, NULL, numbers[i].base);
				seen |= 1U << i;
			}
		}
		seen |= (unsigned int)parse_ids(line, "Uid:", &s.uid) << NUMBERS;
		seen |= (unsigned int)parse_ids(line, "Gid:", &s.gid) << (NUMBERS + 1);
		seen |= (unsigned int)parse_groups(line, &s) << (NUMBERS + 2);
	}
	if (seen != (1U << (NUMBERS + 3)) - 1) {
		errno = EBADMSG;
		return -1;
	}
	s.tgid = (pid_t)v[TGID];
	s.threads = (unsigned int)v[THREADS];
	s.umask = (mode_t)v[UMASK];
	s.pending = v[SIGPND];
	s.shared = v[SHDPND];
	s.blocked = v[SIGBLK];
	s.ignored = v[SIGIGN];
	s.permitted = v[CAPPRM];
	s.effective = v[CAPEFF];
	*ret = s;
	return 0;
}

int proc_read_status(int proc_fd, pid_t tid, struct proc_status *ret)
{
	char path[32], text[STATUS_ROOM];

	snprintf(path, sizeof(path), "%d/status", tid);
	return io_slurp(proc_fd, path, text, sizeof(text)) < 0 ? -1 : proc_parse_status(text, ret);
}
