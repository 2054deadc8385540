/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/mountinfo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_octal(const char *s)
{
	return s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
	       s[3] >= '0' && s[3] <= '7';
}

void mountinfo_decode(char *field)
{
	char *out = field;

	for (const char *s = field; *s;) {
		if (is_octal(s)) {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

char *mountinfo_find(char *text, uint64_t mount_id)
{
	char *line;

	while ((line = strsep(&text, "\n")) != NULL)
		if (*line && strtoull(line, NULL, 10) == mount_id)
			return line;
	return NULL;
}

/* The fields after " - " are the type, the source, and the options of the file system. */
char *mountinfo_option(char *line, const char *name)
{
	const size_t len = strlen(name);
	char *rest = strstr(line, " - "), *option;

	rest = rest ? strrchr(rest, ' ') : NULL;
	if (!rest)
		return NULL;
	rest++;
	while ((option = strsep(&rest, ",")) != NULL) {
		if (strncmp(option, name, len) != 0 || option[len] != '=')
			continue;
		mountinfo_decode(option + len + 1);
		return option + len + 1;
	}
	return NULL;
}
