/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever the filter can ask about has somebody who answers: a row of the table of calls cannot
 * be of a kind that nobody handles, and an answer by number is of a call that is asked about.
 */
#include "runtime/supervisor/internal.h"
#include "tests/unit/check.h"

int main(void)
{
	char part;
	static struct supervisor s, bare;

	s.view = (void *)&part;
	s.ipc = (void *)&part;
	s.net = (void *)&part;
	handlers_install(&s);
	handlers_install(&bare);
	for (int nr = 0; nr <= syscall_newest(); nr++) {
		const struct syscall_row *row = syscall_row(nr);

		if (row && row->notify != NOTIFY_NONE && !s.notif.handlers[row->notify].handle) {
			printf("# %s\n", row->name);
			CHECK_NOT_REACHED("nobody answers");
		}
	}
	CHECK(s.notif.handlers[NOTIFY_NONE].handle == NULL);
	CHECK(s.notif.n_overrides > bare.notif.n_overrides && bare.notif.n_overrides > 0);
	for (size_t i = 0; i < s.notif.n_overrides; i++) {
		const struct syscall_row *row = syscall_row(s.notif.override_nr[i]);

		CHECK(row && row->notify != NOTIFY_NONE && s.notif.overrides[i].handle);
	}
	/* What this container does without is denied, should the filter ask. */
	CHECK(bare.notif.handlers[NOTIFY_CONNECT].handle == NULL);
	CHECK(bare.notif.handlers[NOTIFY_UNAME].handle != NULL);
	return check_done();
}
