/* SPDX-License-Identifier: Apache-2.0
 *
 * The word that was probably meant: the one with the fewest characters to insert, remove or
 * replace (the Levenshtein distance), if they are few.
 */
#ifndef SANDLOCK_SANDBOX_NEAREST_H
#define SANDLOCK_SANDBOX_NEAREST_H

struct nearest {
	const char *word;
	const char *best; /* NULL: none is near */
	unsigned int distance;
};

/* Compares the word with one that exists. */
void nearest_try(struct nearest *n, const char *existing);

#endif
