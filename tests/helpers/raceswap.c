/* SPDX-License-Identifier: Apache-2.0
 *
 * Exchanges two names as fast as it can until it is killed (rename(2), RENAME_EXCHANGE).
 *
 *   raceswap A B
 */
#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (;;) {
		if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) < 0)
			return 1;
	}
}
