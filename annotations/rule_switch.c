/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_switch.h"

#include <string.h>

int rule_switch_parse(struct arena *a, const char *value, enum rule_switch *ret)
{
	(void)a;
	if (strcmp(value, "true") == 0)
		*ret = RULE_TRUE;
	else if (strcmp(value, "false") == 0)
		*ret = RULE_FALSE;
	else
		return -1;
	return 0;
}

const char *rule_switch_render(struct arena *a, const enum rule_switch *v)
{
	(void)a;
	switch (*v) {
	case RULE_UNSET: return NULL;
	case RULE_FALSE: return "false";
	case RULE_TRUE: return "true";
	}
	return NULL;
}
