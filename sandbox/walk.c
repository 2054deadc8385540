/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/walk.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The state of a walk: `done` exists and is without symlinks, `rest` is not looked at yet. */
struct steps {
	struct arena *a;
	const char *prefix;
	const char *done; /* "" is the root */
	const char *rest;
};

static void go_up(struct steps *s)
{
	const char *slash = strrchr(s->done, '/');

	if (slash)
		s->done = arena_strndup(s->a, s->done, (size_t)(slash - s->done));
}

static int follow(struct steps *s, const char *at, struct walked *w, struct sl_err *err)
{
	char target[PATH_MAX];
	ssize_t n = readlink(arena_printf(s->a, "%s%s", s->prefix, at), target, sizeof(target) - 1);

	if (n < 0)
		return sl_err_set(err, errno, "readlink %s", at);
	if (w->n_links == WALK_LINKS_MAX)
		return sl_err_set(err, ELOOP, "%s", at);
	target[n] = '\0';
	w->links[w->n_links++] =
		(struct plan_link){ .path = at, .target = arena_strdup(s->a, target) };
	s->rest = arena_printf(s->a, "%s/%s", target, s->rest);
	if (target[0] == '/')
		s->done = "";
	return 0;
}

static int walk_name(struct steps *s, const char *name, struct walked *w, struct sl_err *err)
{
	const char *at = arena_printf(s->a, "%s/%s", s->done, name);

	if (lstat(arena_printf(s->a, "%s%s", s->prefix, at), &w->st) < 0)
		return sl_err_set(err, errno, "%s", at);
	if (S_ISLNK(w->st.st_mode))
		return follow(s, at, w, err);
	s->done = at;
	return 0;
}

int walk_resolve(struct arena *a, const char *prefix, const char *path, struct walked *ret,
	struct sl_err *err)
{
	struct steps s = { .a = a, .prefix = prefix, .done = "", .rest = path };

	ret->n_links = 0;
	for (;;) {
		const size_t skip = strspn(s.rest, "/"), n = strcspn(s.rest + skip, "/");
		const char *name = arena_strndup(a, s.rest + skip, n);

		s.rest += skip + n;
		if (n == 0)
			break;
		if (strcmp(name, "..") == 0)
			go_up(&s);
		else if (strcmp(name, ".") != 0 && walk_name(&s, name, ret, err) < 0)
			return -1;
	}
	ret->path = *s.done ? s.done : "/";
	/* After ".." the last look was at something else. */
	if (lstat(arena_printf(a, "%s%s", prefix, ret->path), &ret->st) < 0)
		return sl_err_set(err, errno, "%s", ret->path);
	return 0;
}
