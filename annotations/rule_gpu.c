/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_gpu.h"

#include <stdlib.h>
#include <string.h>

int rule_gpu_parse(struct arena *a, const char *value, rule_gpus *ret)
{
	rule_gpus gpus = 0;
	char *end;

	(void)a;
	if (strcmp(value, "all") == 0) {
		*ret = UINT64_MAX;
		return 0;
	}
	for (const char *p = value;; p = end + 1) {
		unsigned long n;

		if (*p < '0' || *p > '9')
			return -1;
		n = strtoul(p, &end, 10);
		if (n >= RULE_GPU_MAX || (gpus & 1ULL << n) || (*end != ',' && *end != '\0'))
			return -1;
		gpus |= 1ULL << n;
		if (*end == '\0')
			break;
	}
	*ret = gpus;
	return 0;
}

const char *rule_gpu_render(struct arena *a, const rule_gpus *v)
{
	const char *text = NULL;

	if (*v == UINT64_MAX)
		return "all";
	for (unsigned int n = 0; n < RULE_GPU_MAX; n++)
		if (*v & 1ULL << n)
			text = text ? arena_printf(a, "%s,%u", text, n) : arena_printf(a, "%u", n);
	return text;
}
