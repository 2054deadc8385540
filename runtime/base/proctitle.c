/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/proctitle.h"

#include <stddef.h>
#include <string.h>

/* The area belongs to the whole process, so it is a global variable. */
static char *title_area;
static size_t title_size;

void proctitle_init(int argc, char **argv)
{
	char *end;

	if (argc < 1)
		return;
	end = argv[0] + strlen(argv[0]) + 1;
	for (int i = 1; i < argc && argv[i] == end; i++)
		end += strlen(argv[i]) + 1;
	title_area = argv[0];
	title_size = (size_t)(end - argv[0]);
}

void proctitle_set(const char *title)
{
	size_t n = strlen(title);

	if (title_size < 2)
		return;
	memset(title_area, 0, title_size);
	memcpy(title_area, title, n < title_size - 1 ? n : title_size - 1);
}
