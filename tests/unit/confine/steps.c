/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the confinement is the security property: this is the order, each step with
 * a reason, and what must stand before what. Running the steps is tests/escape's part.
 */
#include "runtime/confine/steps.h"

#include <string.h>

#include "tests/unit/check.h"

static const char *const order[] = {
	"outside",
	"keyring",
	"personality",
	"linux.memoryPolicy",
	"root",
	"landlock",
	"attack: open outside",
	"attack: signal outside",
	"no_new_privs",
	"seccomp",
	"attack: mount_setattr",
	"profile",
	"capabilities",
};

#define N_ORDER (sizeof(order) / sizeof(order[0]))

static size_t at(const char *name)
{
	size_t i = 0;

	while (i < confine_n_steps && strcmp(confine_steps[i].name, name) != 0)
		i++;
	return i;
}

int main(void)
{
	if (!CHECK(confine_n_steps == N_ORDER))
		return check_done();
	for (size_t i = 0; i < N_ORDER; i++) {
		CHECK_STR(confine_steps[i].name, order[i]);
		CHECK(confine_steps[i].why && strlen(confine_steps[i].why) > 20);
		CHECK(confine_steps[i].run != NULL);
	}
	/* The reasons, whatever else is put between. */
	CHECK(at("outside") < at("root"));  /* afterwards the host's root can't be opened */
	CHECK(at("root") < at("landlock")); /* the rules are about the tree */
	CHECK(at("landlock") < at("attack: open outside"));
	CHECK(at("landlock") < at("attack: signal outside"));
	CHECK(at("keyring") < at("seccomp") && at("personality") < at("seccomp"));
	CHECK(at("linux.memoryPolicy") < at("profile"));
	CHECK(at("seccomp") < at("attack: mount_setattr"));
	CHECK(at("seccomp") < at("profile")); /* ours must not depend on what it allows */
	CHECK(at("attack: mount_setattr") < at("profile"));
	CHECK(at("profile") < at("capabilities")); /* both need CAP_SYS_ADMIN */
	return check_done();
}
