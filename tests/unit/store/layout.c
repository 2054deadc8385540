/* SPDX-License-Identifier: Apache-2.0
 *
 * The state root: made private, listed in order, a container reserved, found and removed;
 * what is no container is not followed.
 */

#include "tests/unit/store/fixture.h"

static void make_file(int dir_fd, const char *name)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
}

static void missing_root(void)
{
	struct sl_err err;
	int fd = -1;

	CHECK_ERR_CONTAINS(
		store_open_root("/nonexistent/x", false, &fd, &err), err, "/nonexistent/x");
	CHECK(err.code == ENOENT && fd == -1);
}

static void reserve_and_remove(struct store_fixture *f)
{
	auto_fd int dir_fd = -1;
	struct sl_err err;
	struct stat st;
	int again = -1;

	CHECK(fstat(f->root_fd, &st) == 0 && (st.st_mode & 07777) == 0700);
	CHECK_ERR_CONTAINS(
		store_open(f->root_fd, "c1", &again, &err), err, "container does not exist");
	CHECK(err.code == ENOENT);
	CHECK(store_reserve(f->root_fd, "c1", &dir_fd, &err) == 0);
	CHECK(fstat(dir_fd, &st) == 0 && (st.st_mode & 07777) == 0700);
	CHECK_ERR_CONTAINS(store_reserve(f->root_fd, "c1", &again, &err), err,
		"container with given ID already exists");
	CHECK_ERR_CONTAINS(store_reserve(f->root_fd, "../c1", &again, &err), err, "invalid");
	make_file(dir_fd, STORE_RECORD);
	make_file(dir_fd, STORE_CONTROL);
	make_file(dir_fd, ".state.json.123");
	CHECK(mkdirat(dir_fd, "rootfs", 0700) == 0);
	CHECK(store_remove(f->root_fd, "c1", &err) == 0);
	CHECK(store_remove(f->root_fd, "c1", &err) == 0); /* gone is gone */
	CHECK(again == -1 && faccessat(f->root_fd, "c1", F_OK, 0) < 0);
}

/* A tree that still hangs in the container's directory must not be emptied. */
static void full_directory(struct store_fixture *f)
{
	auto_fd int dir_fd = -1;
	struct sl_err err;

	CHECK(store_reserve(f->root_fd, "c2", &dir_fd, &err) == 0);
	CHECK(mkdirat(dir_fd, "rootfs", 0700) == 0 && mkdirat(dir_fd, "rootfs/etc", 0700) == 0);
	CHECK_ERR_CONTAINS(store_remove(f->root_fd, "c2", &err), err, "remove c2/rootfs");
	CHECK(faccessat(dir_fd, "rootfs/etc", F_OK, 0) == 0);
	CHECK(unlinkat(dir_fd, "rootfs/etc", AT_REMOVEDIR) == 0);
	CHECK(store_remove(f->root_fd, "c2", &err) == 0);
}

static void symlink_is_no_container(struct store_fixture *f)
{
	struct sl_err err;
	int fd = -1;

	CHECK(symlinkat("/", f->root_fd, "link") == 0);
	CHECK_ERR_CONTAINS(
		store_open(f->root_fd, "link", &fd, &err), err, "open the state of link");
	CHECK(fd == -1 && unlinkat(f->root_fd, "link", 0) == 0);
}

static void list(struct store_fixture *f)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err err;
	char **ids, name[16];
	size_t n = 0;

	CHECK(store_list(a, f->root_fd, &ids, &err) == 0 && ids[0] == NULL);
	for (int i = 199; i >= 0; i--) {
		snprintf(name, sizeof(name), "c%03d", i);
		if (mkdirat(f->root_fd, name, 0700) < 0)
			CHECK(false);
	}
	make_file(f->root_fd, "a-file");
	CHECK(store_list(a, f->root_fd, &ids, &err) == 0);
	while (ids[n])
		n++;
	CHECK(n == 200);
	CHECK_STR(ids[0], "c000");
	CHECK_STR(ids[199], "c199");
	for (size_t i = 0; i < n; i++)
		if (store_remove(f->root_fd, ids[i], &err) < 0)
			CHECK(false);
	CHECK(unlinkat(f->root_fd, "a-file", 0) == 0);
}

int main(void)
{
	struct store_fixture f;

	store_fixture_open(&f);
	missing_root();
	reserve_and_remove(&f);
	full_directory(&f);
	symlink_is_no_container(&f);
	list(&f);
	store_fixture_close(&f);
	return check_done();
}
