/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/supervisor/siblings.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/record.h"
#include "runtime/store/store.h"

#define FNV_BASIS 14695981039346656037ULL
#define FNV_PRIME 1099511628211ULL

enum relation { STRANGER, SIBLING, UNKNOWN };

/* A hash of name, inode and time of birth of a state directory. A directory that is made again
 * has another one, even with the same inode. If two collide, a sibling may be taken for a
 * stranger, and its sockets count as foreign. */
static uint64_t number_of(const char *id, const struct statx *st)
{
	const uint64_t born = (uint64_t)st->stx_btime.tv_sec * 1000000000 + st->stx_btime.tv_nsec;
	uint64_t h = FNV_BASIS ^ st->stx_ino;

	h = (h * FNV_PRIME ^ born) * FNV_PRIME;
	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * FNV_PRIME;
	return h;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* UNKNOWN: a directory without a record belongs to a container that is just being made. */
static enum relation relation_of(const struct siblings *s, struct arena *a, const char *id)
{
	auto_fd int dir_fd = -1;
	struct sl_err ignored;
	struct record r;

	if (!a || store_open(s->root_fd, id, &dir_fd, &ignored) < 0 ||
		record_read(a, dir_fd, &r, &ignored) < 0)
		return UNKNOWN;
	return strcmp(record_pod(&r), s->pod) == 0 ? SIBLING : STRANGER;
}

struct found {
	char **ids;
	size_t n;
	uint64_t *strangers;
	size_t n_strangers;
	bool complete;
};

static void sort_in(const struct siblings *s, const char *id, struct found *f)
{
	auto_arena struct arena *a = arena_new_checked();
	struct statx st;
	uint64_t number;

	if (strcmp(id, s->id) == 0 ||
		statx(s->root_fd, id, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &st) < 0)
		return;
	number = number_of(id, &st);
	if (s->n_strangers > 0 &&
		bsearch(&number, s->strangers, s->n_strangers, sizeof(number), by_number)) {
		f->strangers[f->n_strangers++] = number;
		return;
	}
	switch (relation_of(s, a, id)) {
	case STRANGER: f->strangers[f->n_strangers++] = number; break;
	case SIBLING: f->complete &= (f->ids[f->n] = strdup(id)) && ++f->n; break;
	case UNKNOWN: f->complete = false; break;
	}
}

static void forget_siblings(struct siblings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->ids[i]);
	free(s->ids);
	free(s->strangers);
}

/* Modification times have the resolution of a clock tick: a second change within the same tick
 * would not be seen, so a recent time is not trusted. */
static bool is_settled(const struct stat *root)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec - root->st_mtim.tv_sec > 1;
}

static void refresh(struct siblings *s, const struct stat *root)
{
	auto_arena struct arena *a = arena_new_checked();
	struct found f = { .complete = true };
	struct sl_err ignored;
	size_t n = 0;
	char **ids;

	if (!a || store_list(a, s->root_fd, &ids, &ignored) < 0)
		return;
	while (ids[n])
		n++;
	f.ids = calloc(n + 1, sizeof(*f.ids));
	f.strangers = calloc(n + 1, sizeof(*f.strangers));
	if (!f.ids || !f.strangers) {
		free(f.ids);
		free(f.strangers);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sort_in(s, ids[i], &f);
	qsort(f.strangers, f.n_strangers, sizeof(*f.strangers), by_number);
	forget_siblings(s);
	s->ids = f.ids;
	s->n = f.n;
	s->strangers = f.strangers;
	s->n_strangers = f.n_strangers;
	s->seen = f.complete && is_settled(root) ? root->st_mtim : (struct timespec){ 0 };
}

void siblings_each(struct siblings *s, void (*each)(int dir_fd, void *arg), void *arg)
{
	struct stat root;

	if (!s->pod[0] || fstat(s->root_fd, &root) < 0)
		return;
	if (root.st_mtim.tv_sec != s->seen.tv_sec || root.st_mtim.tv_nsec != s->seen.tv_nsec)
		refresh(s, &root);
	for (size_t i = 0; i < s->n; i++) {
		auto_fd int dir_fd = -1;
		struct sl_err ignored;

		if (store_open(s->root_fd, s->ids[i], &dir_fd, &ignored) == 0)
			each(dir_fd, arg);
	}
}
