/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the members of linux.resources (config-linux.md, "Control groups") that nothing uses yet.
 * Their types and ranges are those of the specification, so that a mistake is reported now and not
 * when they are used one day.
 */
#include "spec/load.h"

enum kind {
	SIGNED,
	UNSIGNED,
	WORD16,
	WORD32,
	TEXT,
};

struct limit_member {
	const char *key;
	enum kind kind;
};

static int check_member(const struct at *up, const struct limit_member *m)
{
	int64_t number;
	uint64_t natural;
	const char *text;

	switch (m->kind) {
	case SIGNED:
		return read_i64(up, m->key, READ_OPTIONAL, INT64_MIN, INT64_MAX, &number, NULL);
	case UNSIGNED: return read_u64(up, m->key, READ_OPTIONAL, UINT64_MAX, &natural, NULL);
	case WORD16: return read_u64(up, m->key, READ_OPTIONAL, UINT16_MAX, &natural, NULL);
	case WORD32: return read_u64(up, m->key, READ_OPTIONAL, UINT32_MAX, &natural, NULL);
	case TEXT: return read_str(up, m->key, READ_OPTIONAL, &text);
	}
	return 0;
}

static int check_members(const struct at *up, const struct limit_member *members, size_t n)
{
	if (!up->j)
		return 0;
	if (read_is(up, JSON_OBJECT) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (check_member(up, &members[i]) < 0)
			return -1;
	return 0;
}

static int check_object(
	const struct at *up, const char *key, const struct limit_member *members, size_t n)
{
	struct at obj;

	if (read_object(up, key, READ_OPTIONAL, &obj) < 0)
		return -1;
	return check_members(&obj, members, n);
}

static int check_list(
	const struct at *up, const char *key, const struct limit_member *members, size_t n)
{
	struct at list;

	if (!up->j)
		return 0;
	if (read_array(up, key, READ_OPTIONAL, &list) < 0)
		return -1;
	for (size_t i = 0; list.j && i < list.j->n; i++) {
		struct at item = at_nth(&list, i);

		if (check_members(&item, members, n) < 0)
			return -1;
	}
	return 0;
}

static int check_block(const struct at *resources)
{
	static const struct limit_member own[] = { { "weight", WORD16 }, { "leafWeight", WORD16 } };
	static const struct limit_member weights[] = { { "major", SIGNED }, { "minor", SIGNED },
		{ "weight", WORD16 }, { "leafWeight", WORD16 } };
	static const struct limit_member rates[] = { { "major", SIGNED }, { "minor", SIGNED },
		{ "rate", UNSIGNED } };
	static const char *const throttles[] = { "throttleReadBpsDevice", "throttleWriteBpsDevice",
		"throttleReadIOPSDevice", "throttleWriteIOPSDevice" };
	struct at block;

	if (check_object(resources, "blockIO", own, COUNT(own)) < 0 ||
		read_object(resources, "blockIO", READ_OPTIONAL, &block) < 0 ||
		check_list(&block, "weightDevice", weights, COUNT(weights)) < 0)
		return -1;
	for (size_t i = 0; i < COUNT(throttles); i++)
		if (check_list(&block, throttles[i], rates, COUNT(rates)) < 0)
			return -1;
	return 0;
}

/* Objects with free keys. */
static int check_maps(const struct at *resources)
{
	static const struct limit_member handles[] = { { "hcaHandles", WORD32 },
		{ "hcaObjects", WORD32 } };
	struct at rdma, unified;

	if (read_object(resources, "rdma", READ_OPTIONAL, &rdma) < 0 ||
		read_object(resources, "unified", READ_OPTIONAL, &unified) < 0)
		return -1;
	for (size_t i = 0; rdma.j && i < rdma.j->n; i++) {
		struct at item = at_nth_member(&rdma, i);

		if (check_members(&item, handles, COUNT(handles)) < 0)
			return -1;
	}
	for (size_t i = 0; unified.j && i < unified.j->n; i++) {
		struct at item = at_nth_member(&unified, i);

		if (read_is(&item, JSON_STRING) < 0)
			return -1;
	}
	return 0;
}

int load_limits(const struct at *resources)
{
	static const struct limit_member memory[] = { { "reservation", SIGNED },
		{ "kernel", SIGNED }, { "kernelTCP", SIGNED }, { "swappiness", UNSIGNED } };
	static const struct limit_member cpu[] = { { "burst", UNSIGNED },
		{ "realtimeRuntime", SIGNED }, { "realtimePeriod", UNSIGNED } };
	static const struct limit_member pages[] = { { "pageSize", TEXT }, { "limit", UNSIGNED } };
	static const struct limit_member network[] = { { "classID", WORD32 } };
	static const struct limit_member priorities[] = { { "name", TEXT },
		{ "priority", WORD32 } };
	struct at net;

	if (check_object(resources, "memory", memory, COUNT(memory)) < 0 ||
		check_object(resources, "cpu", cpu, COUNT(cpu)) < 0 ||
		check_list(resources, "hugepageLimits", pages, COUNT(pages)) < 0 ||
		check_object(resources, "network", network, COUNT(network)) < 0 ||
		read_object(resources, "network", READ_OPTIONAL, &net) < 0 ||
		check_list(&net, "priorities", priorities, COUNT(priorities)) < 0 ||
		check_block(resources) < 0)
		return -1;
	return check_maps(resources);
}
