/* SPDX-License-Identifier: Apache-2.0
 *
 * The sections of the document, with one file for each. A section function gets its object and
 * fills a zeroed structure. It fails at the first wrong member.
 */
#ifndef SANDLOCK_SPEC_LOAD_H
#define SANDLOCK_SPEC_LOAD_H

#include "runtime/base/json_read.h"
#include "spec/spec.h"

int load_process(const struct at *at, struct spec_process *p);
int load_mounts(const struct at *root, struct spec *s);
int load_id_mappings(
	const struct at *up, const char *key, struct spec_id_mapping **ret, size_t *ret_n);
int load_hooks(const struct at *root, struct spec_hooks *h);
int load_linux(const struct at *root, struct spec_linux *l);
int load_devices(const struct at *linux_, struct spec_linux *l);
int load_device_rules(const struct at *resources, struct spec_resources *r);
int load_resources(const struct at *at, struct spec_resources *r);
int load_limits(const struct at *resources);
int load_memory_policy(const struct at *linux_, struct spec_memory_policy *m);
extern const struct read_word load_memory_modes[], load_memory_flags[];
extern const size_t load_n_memory_modes, load_n_memory_flags;
int load_seccomp(const struct at *at, struct spec_seccomp *s);

/* Fills spec->present and checks the JSON type of every field that support.h knows. */
int load_present(const struct at *root, struct spec *s);

#endif
