/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/path.h"

#include <string.h>

char *plan_path_clean(struct arena *a, const char *path)
{
	char *out = arena_alloc(a, strlen(path) + 2);
	size_t len = 0;

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len > 0 && out[--len] != '/')
				;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			out[len++] = '/';
			memcpy(out + len, path, n);
			len += n;
		}
		path += n;
		path += *path == '/';
	}
	if (len == 0)
		out[len++] = '/';
	out[len] = '\0';
	return out;
}
