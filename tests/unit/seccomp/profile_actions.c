/* SPDX-License-Identifier: Apache-2.0
 *
 * Every action and flag, by what a child feels; errnoRet of the default and of rules; calls
 * that the profile could not know.
 */
#include <errno.h>
#include <signal.h>

#include "tests/unit/seccomp/profile_run.h"

static struct profile compiled(struct arena *a, const struct spec_seccomp *s)
{
	struct profile p = { .n = 0 };
	struct sl_err err = { .code = 0 };

	if (!CHECK(profile_compile(a, s, &p, &err) == 0))
		printf("# %s\n", err.msg);
	return p;
}

/* An allow-list without getppid, as field reports describe it. */
static void check_allow_list(struct arena *a)
{
	const struct spec_seccomp s = {
		.set = true,
		.default_action = "SCMP_ACT_ERRNO",
		.has_default_errno_ret = true,
		.default_errno_ret = 77,
		RULES({ NAMES("exit_group", "exit", "getpid", "no_such_call", "openat2"),
			      .action = "SCMP_ACT_ALLOW" },
			{ NAMES("getuid"), .action = "SCMP_ACT_ERRNO", .has_errno_ret = true,
				.errno_ret = 99 },
			{ NAMES("getgid"), .action = "SCMP_ACT_ERRNO" }),
	};
	struct profile p = compiled(a, &s);

	CHECK(profile_try(&p, SYS_getpid, 0, 0, 0) == 0);
	CHECK(profile_try(&p, SYS_getppid, 0, 0, 0) == 77);
	CHECK(profile_try(&p, SYS_getuid, 0, 0, 0) == 99);
	CHECK(profile_try(&p, SYS_getgid, 0, 0, 0) == EPERM);
	CHECK(profile_try(&p, SYS_clone3, 0, 0, 0) == 77); /* older than openat2 */
	CHECK(profile_try(&p, SYS_openat2, -1, 0, 0) == E2BIG);
	CHECK(profile_try(&p, SYS_openat2 + 1, 0, 0, 0) == ENOSYS);
	CHECK(profile_try(&p, 9999, 0, 0, 0) == ENOSYS);
	CHECK(p.flags == SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}

/* A name newer than libseccomp is known by our own list. */
static void check_new_name(struct arena *a)
{
	const struct spec_seccomp s = {
		.set = true,
		.default_action = "SCMP_ACT_ERRNO",
		RULES({ NAMES("exit_group", "exit"), .action = "SCMP_ACT_ALLOW" },
			{ NAMES("file_setattr"), .action = "SCMP_ACT_ERRNO", .has_errno_ret = true,
				.errno_ret = 88 }),
	};
	struct profile p = compiled(a, &s);

	CHECK(profile_try(&p, 469, 0, 0, 0) == 88);
	CHECK(profile_try(&p, 470, 0, 0, 0) == ENOSYS);
	CHECK(profile_try(&p, SYS_getppid, 0, 0, 0) == EPERM);
}

static void check_actions(struct arena *a)
{
	static const struct {
		char *action;
		int want;
	} cases[] = {
		{ "SCMP_ACT_KILL", -SIGSYS },
		{ "SCMP_ACT_KILL_THREAD", -SIGSYS },
		{ "SCMP_ACT_KILL_PROCESS", -SIGSYS },
		{ "SCMP_ACT_TRAP", -SIGSYS },
		{ "SCMP_ACT_ERRNO", EPERM },
		{ "SCMP_ACT_TRACE", ENOSYS },
		{ "SCMP_ACT_LOG", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct spec_seccomp s = {
			.set = true,
			.default_action = "SCMP_ACT_ALLOW",
			RULES({ NAMES("getppid"), .action = cases[i].action }),
		};
		struct profile p = compiled(a, &s);

		CHECK(profile_try(&p, SYS_getppid, 0, 0, 0) == cases[i].want);
		CHECK(profile_try(&p, SYS_getpid, 0, 0, 0) == 0);
		CHECK(profile_try(&p, 9999, 0, 0, 0) == ENOSYS);
	}
}

/* Lists of `features` are what is accepted. */
static void check_words(struct arena *a)
{
	for (const char *const *w = profile_actions(); *w; w++) {
		const struct spec_seccomp s = { .set = true, .default_action = (char *)*w };

		compiled(a, &s);
	}
	for (const char *const *w = profile_archs(); *w; w++) {
		const struct spec_seccomp s = {
			.set = true,
			.default_action = "SCMP_ACT_ALLOW",
			.architectures = (char *[]){ (char *)*w },
			.n_architectures = 1,
		};

		compiled(a, &s);
	}
	for (const char *const *w = profile_known_flags(); *w; w++) {
		const struct spec_seccomp s = {
			.set = true,
			.default_action = "SCMP_ACT_ALLOW",
			.flags = (char *[]){ (char *)*w },
			.n_flags = 1,
		};
		struct profile p = compiled(a, &s);

		CHECK(profile_try(&p, SYS_getppid, 0, 0, 0) == 0); /* the kernel takes it */
	}
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	const struct spec_seccomp none = { .set = false };
	struct profile p;
	struct sl_err err;

	check_allow_list(a);
	check_new_name(a);
	check_actions(a);
	check_words(a);
	CHECK(profile_compile(a, &none, &p, &err) == 0 && !p.insns && p.n == 0);
	return check_done();
}
