/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/nearest.h"

#include <string.h>

#define WORD_MAX 64 /* all words that exist are shorter */

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	const unsigned int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static unsigned int distance_of(const char *a, const char *b)
{
	unsigned int row[WORD_MAX + 1];
	const size_t n = strlen(b);

	for (unsigned int k = 0; k <= n; k++)
		row[k] = k;
	for (unsigned int i = 1; a[i - 1]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= n; k++) {
			const unsigned int above = row[k];

			row[k] =
				least(above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

void nearest_try(struct nearest *n, const char *existing)
{
	const size_t len = strlen(n->word);
	unsigned int distance;

	if (len > WORD_MAX || strlen(existing) > WORD_MAX)
		return;
	distance = distance_of(n->word, existing);
	/* More than a third of the word is another word. */
	if (3 * distance > len + 1 || (n->best && distance >= n->distance))
		return;
	n->best = existing;
	n->distance = distance;
}
