/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_BASE_COUNT_H
#define SANDLOCK_BASE_COUNT_H

/* Elements of an array, not of a pointer. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
