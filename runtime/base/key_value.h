/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_BASE_KEY_VALUE_H
#define SANDLOCK_BASE_KEY_VALUE_H

struct key_value {
	const char *key;
	const char *value;
};

#endif
