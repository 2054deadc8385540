/* SPDX-License-Identifier: Apache-2.0 */
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/container/container.h"
#include "runtime/store/kills.h"

/* The owner of the container's directory, by name if it has one. Only the local file is read, as
 * runc does: a lookup over the network may take any time. */
static const char *owner_of(struct arena *a, const struct container *c)
{
	auto_file FILE *f = NULL;
	const struct passwd *pw;
	struct stat st;

	if (fstat(c->dir_fd, &st) < 0)
		return "";
	if (st.st_uid == 0)
		return "root";
	f = fopen("/etc/passwd", "re");
	while (f && (pw = fgetpwent(f)))
		if (pw->pw_uid == st.st_uid)
			return arena_strdup(a, pw->pw_name);
	return arena_printf(a, "%u", st.st_uid);
}

void container_state(const struct runtime *rt, const struct container *c, struct spec_state *ret)
{
	const struct record *r = &c->record;
	struct store_kills k;

	store_read_kills(c->dir_fd, &k);
	*ret = (struct spec_state){
		.oci_version = r->oci_version,
		.id = c->id,
		.pid = c->status == RECORD_STOPPED ? 0 : r->supervisor.pid,
		.status = record_status_name(c->status),
		.bundle = r->bundle,
		.rootfs = r->rootfs,
		.created = r->created,
		.annotations = r->annotations,
		.n_annotations = r->n_annotations,
		.owner = owner_of(rt->arena, c),
		.killed = { .memory = k.memory, .disk = k.disk, .timeout = k.timeout },
	};
}
