/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.devices and linux.resources.devices (config-linux.md, "Devices", "Allowed Device list").
 */
#include "spec/load.h"

static const struct read_word device_words[] = {
	{ "c", 'c' },
	{ "b", 'b' },
	{ "u", 'u' },
	{ "p", 'p' },
};

static const struct read_word rule_words[] = {
	{ "a", 'a' },
	{ "b", 'b' },
	{ "c", 'c' },
	{ "", 'a' },
};

static int load_device(const struct at *at, void *item)
{
	struct spec_device *d = item;
	struct at type = at_member(at, "type"), mode = at_member(at, "fileMode");
	enum read_need numbers;
	int word = 0;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_path_str(at, "path", READ_REQUIRED, &d->path) < 0)
		return -1;
	if (read_word(&type, device_words, COUNT(device_words), "unknown device type", &word) < 0)
		return -1;
	d->type = (char)word;
	numbers = d->type == 'p' ? READ_OPTIONAL : READ_REQUIRED;
	/* The limits of the kernel's dev_t: 12 bits for major, 20 for minor. */
	if (read_i64(at, "major", numbers, 0, 0xfff, &d->major, NULL) < 0 ||
		read_i64(at, "minor", numbers, 0, 0xfffff, &d->minor, NULL) < 0)
		return -1;
	if (read_u32(at, "fileMode", READ_OPTIONAL, &d->mode, &d->has_mode) < 0 ||
		read_u32(at, "uid", READ_OPTIONAL, &d->uid, &d->has_uid) < 0)
		return -1;
	/* st_mode of stat(2) is accepted too, because docker writes the file type into the mode. */
	if (d->mode > 0177777)
		return read_fail(&mode, "%u is more than 65535 (octal 177777)", d->mode);
	return read_u32(at, "gid", READ_OPTIONAL, &d->gid, &d->has_gid);
}

int load_devices(const struct at *linux_, struct spec_linux *l)
{
	void *items = NULL;

	if (read_items(linux_, "devices", READ_OPTIONAL, sizeof(*l->devices), load_device, &items,
		    &l->n_devices) < 0)
		return -1;
	l->devices = items;
	return 0;
}

static int load_access(const struct at *rule, unsigned int *ret)
{
	struct at at = at_member(rule, "access");
	const char *text = NULL;

	if (read_str(rule, "access", READ_OPTIONAL, &text) < 0)
		return -1;
	for (const char *c = text; c && *c; c++)
		switch (*c) {
		case 'r': *ret |= SPEC_DEVICE_READ; break;
		case 'w': *ret |= SPEC_DEVICE_WRITE; break;
		case 'm': *ret |= SPEC_DEVICE_MKNOD; break;
		default: return read_fail(&at, "\"%.80s\" is not made of r, w and m", text);
		}
	return 0;
}

static int load_device_rule(const struct at *at, void *item)
{
	struct spec_device_rule *rule = item;
	struct at type = at_member(at, "type");
	int word = 'a';

	*rule = (struct spec_device_rule){ .major = -1, .minor = -1 };
	if (read_is(at, JSON_OBJECT) < 0 || read_bool(at, "allow", &rule->allow) < 0)
		return -1;
	if (type.j &&
		read_word(&type, rule_words, COUNT(rule_words), "unknown device type", &word) < 0)
		return -1;
	rule->type = (char)word;
	/* Callers write -1 for every number. */
	if (read_i64(at, "major", READ_OPTIONAL, -1, INT64_MAX, &rule->major, NULL) < 0 ||
		read_i64(at, "minor", READ_OPTIONAL, -1, INT64_MAX, &rule->minor, NULL) < 0)
		return -1;
	return load_access(at, &rule->access);
}

int load_device_rules(const struct at *resources, struct spec_resources *r)
{
	void *items = NULL;

	if (read_items(resources, "devices", READ_OPTIONAL, sizeof(*r->device_rules),
		    load_device_rule, &items, &r->n_device_rules) < 0)
		return -1;
	r->device_rules = items;
	return 0;
}
