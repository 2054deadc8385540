/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_BASE_COUNT_H
#define SANDLOCK_BASE_COUNT_H

/* The number of elements of an array (not of a pointer). */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
