/* SPDX-License-Identifier: Apache-2.0
 *
 * mounts (config.md, "Mounts") and id mappings. Options remain text. runtime/plan parses them,
 * because their meaning depends on the type of the mount.
 */
#include <string.h>

#include "spec/load.h"

static int load_id_mapping(const struct at *at, void *item)
{
	struct spec_id_mapping *m = item;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_u32(at, "containerID", READ_REQUIRED, &m->container_id, NULL) < 0 ||
		read_u32(at, "hostID", READ_REQUIRED, &m->host_id, NULL) < 0)
		return -1;
	return read_u32(at, "size", READ_REQUIRED, &m->size, NULL);
}

int load_id_mappings(
	const struct at *up, const char *key, struct spec_id_mapping **ret, size_t *ret_n)
{
	void *items = NULL;

	if (read_items(up, key, READ_OPTIONAL, sizeof(**ret), load_id_mapping, &items, ret_n) < 0)
		return -1;
	*ret = items;
	return 0;
}

static int load_mount(const struct at *at, void *item)
{
	struct spec_mount *m = item;
	struct at dest = at_member(at, "destination");

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_str(at, "destination", READ_REQUIRED, &m->destination) < 0)
		return -1;
	if (m->destination[0] == '\0')
		return read_fail(&dest, "must not be empty");
	/* As the specification says, a relative destination is relative to "/". */
	if (m->destination[0] != '/')
		m->destination = arena_printf(at->rd->a, "/%s", m->destination);
	if (read_str(at, "type", READ_OPTIONAL, &m->type) < 0 ||
		read_str(at, "source", READ_OPTIONAL, &m->source) < 0 ||
		read_strs(at, "options", &m->options, &m->n_options) < 0)
		return -1;
	if (load_id_mappings(at, "uidMappings", &m->uid_mappings, &m->n_uid_mappings) < 0)
		return -1;
	return load_id_mappings(at, "gidMappings", &m->gid_mappings, &m->n_gid_mappings);
}

int load_mounts(const struct at *root, struct spec *s)
{
	void *items = NULL;

	if (read_items(root, "mounts", READ_OPTIONAL, sizeof(*s->mounts), load_mount, &items,
		    &s->n_mounts) < 0)
		return -1;
	s->mounts = items;
	return 0;
}

static bool is_below_cgroup(const char *path)
{
	static const char top[] = "/sys/fs/cgroup";
	const size_t len = sizeof(top) - 1;

	return strncmp(path, top, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Podman without privileges binds /sys, and /proc for --pid host, because it cannot mount them. It
 * binds /sys/fs/cgroup/systemd for programs that it recognises as systemd. Users bind
 * /sys/fs/cgroup. */
const char *spec_bind_stands_for(const char *source, const char *destination)
{
	if (strcmp(source, "/proc") == 0 && strcmp(destination, "/proc") == 0)
		return "proc";
	if (strcmp(source, "/sys") == 0 && strcmp(destination, "/sys") == 0)
		return "sysfs";
	return is_below_cgroup(source) && is_below_cgroup(destination) ? "cgroup" : NULL;
}
