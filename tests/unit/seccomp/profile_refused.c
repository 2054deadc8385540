/* SPDX-License-Identifier: Apache-2.0
 *
 * What cannot be honoured is an error that names the field and the reason.
 */
#include "tests/unit/seccomp/profile_run.h"

#define REFUSED(text, ...)                                                                         \
	do {                                                                                       \
		const struct spec_seccomp s_ = { .set = true, __VA_ARGS__ };                       \
		CHECK_ERR_CONTAINS(profile_compile(a, &s_, &p, &err), err, text);                  \
		CHECK_CONTAINS(err.msg, "linux.seccomp");                                          \
	} while (0)

#define ALLOW .default_action = "SCMP_ACT_ALLOW"

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct profile p = { .n = 4711 };
	struct sl_err err;
	char *sparc[] = { "SCMP_ARCH_X86_64", "SCMP_ARCH_SPARC" };
	char *flag[] = { "SECCOMP_FILTER_FLAG_NEW_LISTENER" };

	REFUSED("unknown action \"SCMP_ACT_PANIC\"", .default_action = "SCMP_ACT_PANIC");
	REFUSED("missing", .default_action = NULL);
	REFUSED("one listener", .default_action = "SCMP_ACT_NOTIFY");
	REFUSED("syscalls[1]: SCMP_ACT_NOTIFY", ALLOW,
		RULES({ NAMES("getpid"), .action = "SCMP_ACT_LOG" },
			{ NAMES("getppid"), .action = "SCMP_ACT_NOTIFY" }));
	REFUSED("architectures[1]: unknown architecture \"SCMP_ARCH_SPARC\"", ALLOW,
		.architectures = sparc, .n_architectures = 2);
	REFUSED("flags[0]: unknown flag \"SECCOMP_FILTER_FLAG_NEW_LISTENER\"", ALLOW, .flags = flag,
		.n_flags = 1);
	REFUSED("SCMP_ACT_ALLOW takes no errnoRet", ALLOW, .has_default_errno_ret = true,
		.default_errno_ret = 1);
	REFUSED("syscalls[0]: SCMP_ACT_KILL takes no errnoRet", ALLOW,
		RULES({ NAMES("getpid"), .action = "SCMP_ACT_KILL", .has_errno_ret = true,
			.errno_ret = 1 }));
	REFUSED("4096 is larger than 4095", .default_action = "SCMP_ACT_ERRNO",
		.has_default_errno_ret = true, .default_errno_ret = 4096);
	REFUSED("args[0].index", ALLOW,
		RULES({ NAMES("getpid"), .action = "SCMP_ACT_LOG",
			ARGS({ 6, 0, 0, SPEC_SECCOMP_EQ }) }));
	CHECK(p.n == 4711);
	return check_done();
}
