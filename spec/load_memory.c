/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.memoryPolicy (config-linux.md, "Memory policy"). The numbers are those of set_mempolicy(2);
 * some linux/mempolicy.h headers do not have the newest.
 */
#include "spec/load.h"

const struct read_word load_memory_modes[] = {
	{ "MPOL_DEFAULT", 0 },
	{ "MPOL_PREFERRED", 1 },
	{ "MPOL_BIND", 2 },
	{ "MPOL_INTERLEAVE", 3 },
	{ "MPOL_LOCAL", 4 },
	{ "MPOL_PREFERRED_MANY", 5 },
	{ "MPOL_WEIGHTED_INTERLEAVE", 6 },
};
const size_t load_n_memory_modes = COUNT(load_memory_modes);

const struct read_word load_memory_flags[] = {
	{ "MPOL_F_NUMA_BALANCING", 1 << 13 },
	{ "MPOL_F_RELATIVE_NODES", 1 << 14 },
	{ "MPOL_F_STATIC_NODES", 1 << 15 },
};
const size_t load_n_memory_flags = COUNT(load_memory_flags);

int load_memory_policy(const struct at *linux_, struct spec_memory_policy *m)
{
	struct at obj, mode, flags;
	int word = 0;

	if (read_object(linux_, "memoryPolicy", READ_OPTIONAL, &obj) < 0)
		return -1;
	if (!obj.j)
		return 0;
	mode = at_member(&obj, "mode");
	if (read_word(&mode, load_memory_modes, COUNT(load_memory_modes), "unknown mode", &word) <
			0 ||
		read_str(&obj, "nodes", READ_OPTIONAL, &m->nodes) < 0 ||
		read_array(&obj, "flags", READ_OPTIONAL, &flags) < 0)
		return -1;
	m->mode = word;
	for (size_t i = 0; flags.j && i < flags.j->n; i++) {
		struct at item = at_nth(&flags, i);

		if (read_word(&item, load_memory_flags, COUNT(load_memory_flags), "unknown flag",
			    &word) < 0)
			return -1;
		m->mode |= word;
	}
	m->set = true;
	return 0;
}
