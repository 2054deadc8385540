/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is of the own pod: those with its sandbox id and nobody else, oneself not; who comes and
 * goes; a container that is just being made; and out of memory nobody is taken for one.
 */
#include "runtime/supervisor/siblings.h"

#include <unistd.h>

#include "runtime/store/record.h"
#include "tests/unit/store/fixture.h"

static struct store_fixture f;
static struct siblings s;

/* What siblings_each() gives: the inodes of the directories. */
static struct {
	ino_t inodes[16];
	size_t n;
} seen;

static void note(int dir_fd, void *arg)
{
	struct stat st;

	(void)arg;
	if (fstat(dir_fd, &st) == 0 && seen.n < 16)
		seen.inodes[seen.n++] = st.st_ino;
}

static size_t look(void)
{
	seen.n = 0;
	siblings_each(&s, note, NULL);
	return seen.n;
}

static bool has(const char *id)
{
	struct stat st;

	if (fstatat(f.root_fd, id, &st, 0) < 0)
		return false;
	for (size_t i = 0; i < seen.n; i++)
		if (seen.inodes[i] == st.st_ino)
			return true;
	return false;
}

/* pod NULL: none in its annotations. */
static void describe(const char *id, const char *pod)
{
	const struct key_value kv = { "io.kubernetes.cri.sandbox-id", pod };
	const struct record r = {
		.oci_version = "1.0.2",
		.id = id,
		.bundle = "/b",
		.rootfs = "/r",
		.ipc = "",
		.status = RECORD_RUNNING,
		.annotations = &kv,
		.n_annotations = pod ? 1 : 0,
	};
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = -1;
	struct sl_err err;

	CHECK(store_open(f.root_fd, id, &dir_fd, &err) == 0 &&
		record_write(a, dir_fd, &r, &err) == 0);
}

static void make(const char *id)
{
	auto_fd int dir_fd = -1;
	struct sl_err err;

	CHECK(store_reserve(f.root_fd, id, &dir_fd, &err) == 0);
}

static void end(const char *id)
{
	struct sl_err err;

	CHECK(store_remove(f.root_fd, id, &err) == 0);
}

int main(void)
{
	store_fixture_open(&f);
	s = (struct siblings){ .root_fd = f.root_fd, .id = "me", .pod = "pod" };
	make("me");
	describe("me", "pod");
	CHECK(look() == 0);
	make("one");
	describe("one", "pod");
	make("other");
	describe("other", "another-pod");
	make("none");
	describe("none", NULL);
	CHECK(look() == 1 && has("one"));
	/* Asked again, from what is known. */
	CHECK(look() == 1 && has("one"));

	/* Before its record is there nobody knows whose it is, and then it is seen. */
	make("late");
	CHECK(look() == 1 && !has("late"));
	describe("late", "pod");
	CHECK(look() == 2 && has("late") && has("one"));

	end("one");
	CHECK(look() == 1 && has("late"));
	/* A name that is used again is not what it was. */
	end("other");
	make("other");
	describe("other", "pod");
	CHECK(look() == 2 && has("late") && has("other"));

	/* Without a pod there are none. */
	s.pod = "";
	CHECK(look() == 0);
	s.pod = "pod";

	end("me");
	end("late");
	end("other");
	end("none");
	store_fixture_close(&f);
	return check_done();
}
