/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/hostname.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"

static bool joins_a_pod(const struct spec *s)
{
	for (size_t i = 0; i < s->linux_.n_namespaces; i++)
		if (s->linux_.namespaces[i].type == SPEC_NS_UTS && s->linux_.namespaces[i].path)
			return true;
	return false;
}

/* The caller provides the file, so only letters, digits, '-' and '.' are accepted. */
static bool is_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.");

	return n > 0 && n <= 64 && s[n] == '\0';
}

static ssize_t read_hostname(const char *path, char *buf, size_t size)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return io_slurp(AT_FDCWD, path, buf, size);
}

static void take_from_pod(struct arena *a, struct spec *s)
{
	char name[256];

	if (s->hostname || !joins_a_pod(s))
		return;
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct spec_mount *m = &s->mounts[i];

		if (!m->destination || strcmp(m->destination, "/etc/hostname") != 0 || !m->source ||
			read_hostname(m->source, name, sizeof(name)) <= 0)
			continue;
		name[strcspn(name, "\n")] = '\0';
		if (is_name(name))
			s->hostname = arena_strdup(a, name);
	}
}

/* docker passes --domainname as this sysctl, which is older than the field. If both are given and
 * differ, the bundle is refused (spec/support_judge.c). */
static void take_from_sysctl(struct spec *s)
{
	for (size_t i = 0; i < s->linux_.n_sysctl && !s->domainname; i++)
		if (strcmp(s->linux_.sysctl[i].key, "kernel.domainname") == 0)
			s->domainname = s->linux_.sysctl[i].value;
}

void plan_names(struct arena *a, struct spec *s)
{
	take_from_pod(a, s);
	take_from_sysctl(s);
}
