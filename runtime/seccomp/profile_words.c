/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of config-linux.md, "Seccomp". The lists are also the output of `features`, so
 * profile_compile() accepts every name that `features` shows.
 */
#include "runtime/seccomp/profile_words.h"

#include <linux/seccomp.h>
#include <string.h>

#include "runtime/seccomp/profile.h"

static const struct profile_action actions[] = {
#define SECCOMP_ACTION(name, value, data) { #name, value, data },
#include "spec/seccomp.def"
};

const char *const *profile_actions(void)
{
	static const char *const names[] = {
#define SECCOMP_ACTION(name, value, data) #name,
#include "spec/seccomp.def"
		NULL
	};

	return names;
}

const struct profile_action *profile_action_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

const char *const *profile_operators(void)
{
	static const char *const names[] = {
#define SECCOMP_OPERATOR(name, op) #name,
#include "spec/seccomp.def"
		NULL
	};

	return names;
}

const char *const *profile_archs(void)
{
	static const char *const names[] = { "SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM",
		"SCMP_ARCH_LOONGARCH64", "SCMP_ARCH_M68K", "SCMP_ARCH_MIPS", "SCMP_ARCH_MIPS64",
		"SCMP_ARCH_MIPS64N32", "SCMP_ARCH_MIPSEL", "SCMP_ARCH_MIPSEL64",
		"SCMP_ARCH_MIPSEL64N32", "SCMP_ARCH_PARISC", "SCMP_ARCH_PARISC64", "SCMP_ARCH_PPC",
		"SCMP_ARCH_PPC64", "SCMP_ARCH_PPC64LE", "SCMP_ARCH_RISCV64", "SCMP_ARCH_S390",
		"SCMP_ARCH_S390X", "SCMP_ARCH_SH", "SCMP_ARCH_SHEB", "SCMP_ARCH_X32",
		"SCMP_ARCH_X86", "SCMP_ARCH_X86_64", NULL };

	return names;
}

static const struct {
	const char *name;
	unsigned int bit;
} flags_known[] = {
#define SECCOMP_FLAG(name, bit) { #name, bit },
#include "spec/seccomp.def"
};

const char *const *profile_known_flags(void)
{
	static const char *const names[] = {
#define SECCOMP_FLAG(name, bit) #name,
#include "spec/seccomp.def"
		NULL
	};

	return names;
}

int profile_flag(const char *name, unsigned int *flags)
{
	for (size_t i = 0; i < sizeof(flags_known) / sizeof(flags_known[0]); i++) {
		if (strcmp(flags_known[i].name, name) != 0)
			continue;
		*flags |= flags_known[i].bit;
		return 0;
	}
	return -1;
}

bool profile_word_in(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}
