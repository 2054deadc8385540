/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX    4194304
#define DURATION_MAX (366ULL * 86400)

/* Reads digits and at most one of the letters. The letter multiplies by the factor with the same
 * index. */
static int read_scaled(const char *value, const char *letters, const uint64_t *factors,
	uint64_t most, uint64_t *ret)
{
	uint64_t factor = 1, n;
	const char *letter;
	char *end;

	if (value[0] < '0' || value[0] > '9')
		return -1;
	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno != 0)
		return -1;
	if (*end != '\0') {
		letter = strchr(letters, *end);
		if (!letter || end[1] != '\0')
			return -1;
		factor = factors[letter - letters];
	}
	if (n == 0 || n > most / factor)
		return -1;
	*ret = n * factor;
	return 0;
}

static const char *render_number(struct arena *a, uint64_t v, const char *unit)
{
	return v ? arena_printf(a, "%llu%s", (unsigned long long)v, unit) : NULL;
}

int rule_count_parse(struct arena *a, const char *value, uint64_t *ret)
{
	(void)a;
	return read_scaled(value, "", NULL, COUNT_MAX, ret);
}

const char *rule_count_render(struct arena *a, const uint64_t *v)
{
	return render_number(a, *v, "");
}

int rule_duration_parse(struct arena *a, const char *value, uint64_t *ret)
{
	static const uint64_t factors[] = { 1, 60, 3600 };

	(void)a;
	return read_scaled(value, "smh", factors, DURATION_MAX, ret);
}

const char *rule_duration_render(struct arena *a, const uint64_t *v)
{
	return render_number(a, *v, "s");
}

int rule_size_parse(struct arena *a, const char *value, uint64_t *ret)
{
	static const uint64_t factors[] = { 1ULL << 10, 1ULL << 20, 1ULL << 30, 1ULL << 40 };

	(void)a;
	return read_scaled(value, "KMGT", factors, INT64_MAX, ret);
}

const char *rule_size_render(struct arena *a, const uint64_t *v)
{
	return render_number(a, *v, "");
}

int rule_memory_mode_parse(struct arena *a, const char *value, enum rule_memory_mode *ret)
{
	(void)a;
	if (strcmp(value, "kill") == 0)
		*ret = RULE_MEMORY_KILL;
	else if (strcmp(value, "deny") == 0)
		*ret = RULE_MEMORY_DENY;
	else
		return -1;
	return 0;
}

const char *rule_memory_mode_render(struct arena *a, const enum rule_memory_mode *v)
{
	(void)a;
	switch (*v) {
	case RULE_MEMORY_UNSET: return NULL;
	case RULE_MEMORY_KILL: return "kill";
	case RULE_MEMORY_DENY: return "deny";
	}
	return NULL;
}
