/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: the words of linux.seccomp and what they stand for.
 */
#ifndef SANDLOCK_CONFINE_PROFILE_WORDS_H
#define SANDLOCK_CONFINE_PROFILE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/spec.h"

struct profile_action {
	const char *name;
	uint32_t value;  /* SCMP_ACT_… with data 0 */
	bool takes_data; /* errnoRet */
};

const struct profile_action *profile_action_find(const char *name); /* NULL: unknown */

/* enum scmp_compare of libseccomp. */
unsigned int profile_operator_value(enum spec_seccomp_op op);

/* Adds the flag's bit to *flags. Returns -1 for an unknown flag. */
int profile_flag(const char *name, unsigned int *flags);

bool profile_word_in(const char *const *list, const char *word);

/* From here on numbers are x32's, or -1. */
#define PROFILE_NOT_A_NUMBER 0x40000000U

#endif
