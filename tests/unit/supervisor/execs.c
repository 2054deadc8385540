/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of exec'd processes that callers know by another one: all of them, in pieces, by
 * rising pid, in whatever order they came; none of those that callers know by their own.
 */
#include <stdlib.h>

#include "runtime/supervisor/internal.h"
#include "tests/unit/check.h"

#define N 150

static struct session sessions[N];

int main(void)
{
	struct supervisor s = { 0 };
	struct control_execs l = { 0 };
	pid_t after = 0;
	int seen = 0;

	sessions_list(&s, 0, &l);
	CHECK(l.n_rows == 0);
	for (int i = 0; i < N; i++) {
		struct session *c = &sessions[i];

		c->id.pid = 1000 + (i * 37) % N; /* each once: 37 and 150 have no common divisor */
		c->reported = i % 3 == 0 ? 0 : c->id.pid + 1000;
		c->next = s.sessions;
		s.sessions = c;
	}
	do {
		sessions_list(&s, after, &l);
		for (uint32_t i = 0; i < l.n_rows; i++) {
			CHECK(l.rows[i].pid > after && l.rows[i].reported == l.rows[i].pid + 1000);
			after = l.rows[i].pid;
			seen++;
		}
	} while (l.n_rows == CONTROL_EXECS_ROWS);
	CHECK(seen == N * 2 / 3);
	return check_done();
}
