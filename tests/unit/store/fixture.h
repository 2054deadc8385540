/* SPDX-License-Identifier: Apache-2.0
 *
 * A state root of the test's own, and its end.
 */
#ifndef SANDLOCK_TESTS_UNIT_STORE_FIXTURE_H
#define SANDLOCK_TESTS_UNIT_STORE_FIXTURE_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "tests/unit/check.h"

struct store_fixture {
	char base[64];
	char root[80];
	int root_fd;
};

static inline void store_fixture_open(struct store_fixture *f)
{
	struct sl_err err;

	strcpy(f->base, "/tmp/sandlock-store-XXXXXX");
	f->root_fd = -1;
	CHECK(mkdtemp(f->base) != NULL);
	snprintf(f->root, sizeof(f->root), "%s/deep/root", f->base);
	CHECK(store_open_root(f->root, true, &f->root_fd, &err) == 0);
}

/* Fails the test when a container is left in it. */
static inline void store_fixture_close(struct store_fixture *f)
{
	close(f->root_fd);
	CHECK(rmdir(f->root) == 0);
	*strrchr(f->root, '/') = '\0';
	CHECK(rmdir(f->root) == 0 && rmdir(f->base) == 0);
}

#endif
