/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/seccomp: the names in linux.seccomp and their values.
 */
#ifndef SANDLOCK_SECCOMP_PROFILE_WORDS_H
#define SANDLOCK_SECCOMP_PROFILE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/spec.h"

struct profile_action {
	const char *name;
	uint32_t value;  /* SECCOMP_RET_… with data 0 */
	bool takes_data; /* errnoRet */
};

const struct profile_action *profile_action_find(const char *name); /* NULL: unknown */

/* Adds the flag's bit to *flags. Returns -1 for an unknown flag. */
int profile_flag(const char *name, unsigned int *flags);

bool profile_word_in(const char *const *list, const char *word);

#endif
