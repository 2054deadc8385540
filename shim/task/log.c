/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/printable.h"
#include "shim/task/inside.h"
#include "spec/state_doc.h"

void shim_log(const struct shim *s, const char *level, const char *id, const char *text)
{
	auto_arena struct arena *a = arena_new();
	char when[SPEC_TIME_MAX];
	struct timespec now;
	const char *line;

	if (s->log_fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	spec_time_format(now, when);
	line = arena_printf(a, "time=\"%s\" level=%s msg=\"%s\" id=%s runtime=sandlock\n", when,
		level, printable_text(a, text, true), id);
	/* If nobody reads the log, or not fast enough, the line is lost. */
	if (write(s->log_fd, line, strlen(line)) < 0)
		return;
}
