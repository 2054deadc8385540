/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/grants.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/count.h"
#include "runtime/plan/path.h"
#include "sandbox/walk.h"

/* What is being made; the lists grow. */
struct granting {
	struct arena *a;
	const struct sandbox_options *o;
	const char *cwd;
	const char *prefix; /* of --chroot; "" without */
	struct grants g;
	struct plan_link *links;
	size_t cap_items, cap_links;
};

static void *grow(struct arena *a, void *items, size_t n, size_t *cap, size_t size)
{
	void *bigger;

	if (n < *cap)
		return items;
	*cap = *cap ? 2 * *cap : 16;
	bigger = arena_array(a, *cap, size);
	if (n)
		memcpy(bigger, items, n * size);
	return bigger;
}

static void add_grant(struct granting *m, const struct granted *g)
{
	m->g.items = grow(m->a, m->g.items, m->g.n, &m->cap_items, sizeof(*m->g.items));
	m->g.items[m->g.n++] = *g;
}

static void note_link(struct granting *m, const struct plan_link *l)
{
	m->links = grow(m->a, m->links, m->g.n_links, &m->cap_links, sizeof(*m->links));
	m->links[m->g.n_links++] = *l;
}

/* Whether path is dir or below it. */
static bool is_in(const char *path, const char *dir)
{
	const size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

const struct granted *grants_find(const struct grants *g, const char *path)
{
	const struct granted *found = NULL;

	/* Parents come first, so the last one is the nearest. */
	for (size_t i = 0; i < g->n; i++)
		if (is_in(path, g->items[i].path))
			found = &g->items[i];
	return found;
}

/* A path of an option, absolute. It is not shortened: "a/.." is another place when a is a
 * symlink. */
static const char *make_absolute(struct granting *m, const char *path)
{
	return path[0] == '/' || *m->prefix ? arena_printf(m->a, "/%s", path)
					    : arena_printf(m->a, "%s/%s", m->cwd, path);
}

/* The view has its own /proc and /dev. *ret: nothing is to be mounted for this path. */
static int judge_special(struct granting *m, const char *flag, const char *path, bool write,
	bool *ret, struct sl_err *err)
{
	static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
		"/dev/urandom", "/dev/tty", "/dev/pts", "/dev/ptmx", "/dev/shm", "/dev/fd",
		"/dev/stdin", "/dev/stdout", "/dev/stderr" };
	const char *clean = plan_path_clean(m->a, path);

	*ret = true;
	for (size_t i = 0; i < COUNT(devices); i++)
		if (strcmp(clean, devices[i]) == 0)
			return 0;
	if (is_in(clean, "/dev"))
		return sl_err_set(err, 0,
			"--%s %s: every sandbox has its own /dev with null, zero, full, random, "
			"urandom, tty, pts and shm; other devices of the host are not granted "
			"(--gpu grants GPUs)",
			flag, clean);
	if (is_in(clean, "/proc") && write)
		return sl_err_set(err, 0,
			"--%s %s: every sandbox has its own /proc, which cannot be granted for "
			"writing",
			flag, clean);
	if (is_in(clean, "/proc"))
		return 0;
	if (is_in(clean, "/sys") && (write || strcmp(clean, "/sys") != 0))
		return sl_err_set(err, 0,
			"--%s %s: /sys can only be granted as a whole, and for reading", flag,
			clean);
	m->g.sysfs |= is_in(clean, "/sys");
	*ret = is_in(clean, "/sys");
	return 0;
}

static int refuse_missing(const char *flag, const char *path, struct sl_err *err)
{
	struct sl_err why = *err;

	return sl_err_set(err, 0, "--%s %s: %s (--skip-missing leaves out what does not exist)",
		flag, path, why.msg);
}

static bool is_missing(const struct sl_err *err)
{
	return err->code == ENOENT || err->code == ENOTDIR;
}

static int grant_path(
	struct granting *m, const char *flag, const char *path, bool write, struct sl_err *err);

/* The directories of the root, but not those that the view has itself. */
static int grant_root(struct granting *m, const char *flag, bool write, struct sl_err *err)
{
	DIR *d = opendir(*m->prefix ? m->prefix : "/");
	struct dirent *e;
	int r = 0;

	if (!d)
		return sl_err_set(err, errno, "--%s /", flag);
	while (r == 0 && (e = readdir(d))) {
		const char *path = arena_printf(m->a, "/%s", e->d_name);

		if (strcmp(path, "/.") == 0 || strcmp(path, "/..") == 0 ||
			strcmp(path, "/proc") == 0 || strcmp(path, "/dev") == 0 ||
			strcmp(path, "/sys") == 0 || e->d_type == DT_LNK)
			continue;
		r = grant_path(m, flag, path, write, err);
	}
	closedir(d);
	return r;
}

static int grant_path(
	struct granting *m, const char *flag, const char *path, bool write, struct sl_err *err)
{
	const char *absolute = make_absolute(m, path);
	bool special;
	struct walked w;

	if (judge_special(m, flag, absolute, write, &special, err) < 0)
		return -1;
	if (special)
		return 0;
	if (walk_resolve(m->a, m->prefix, absolute, &w, err) < 0) {
		if (is_missing(err))
			return m->o->skip_missing ? 0 : refuse_missing(flag, path, err);
		return sl_err_wrap(err, "--%s %s", flag, path);
	}
	if (strcmp(w.path, "/") == 0)
		return grant_root(m, flag, write, err);
	/* Symlinks may have led there. */
	if (judge_special(m, flag, w.path, write, &special, err) < 0)
		return -1;
	for (size_t i = 0; i < w.n_links; i++)
		note_link(m, &w.links[i]);
	if (!special)
		add_grant(m, &(struct granted){ .path = w.path,
				     .source = arena_printf(m->a, "%s%s", m->prefix, w.path),
				     .directory = S_ISDIR(w.st.st_mode),
				     .write = write });
	return 0;
}

/* PATH:HOST[:ro|:rw] */
static int grant_mount(struct granting *m, const char *text, struct sl_err *err)
{
	const char *host = strchr(text, ':');
	const char *mode = host ? strchr(host + 1, ':') : NULL;
	struct granted g = { .write = !mode || strcmp(mode, ":rw") == 0 };
	bool special;
	struct walked w;

	if (!host || text[0] != '/' || !host[1] || host + 1 == mode ||
		(mode && !g.write && strcmp(mode, ":ro") != 0))
		return sl_err_set(err, 0, "--fs-mount %s: expected PATH:HOST[:ro|:rw]", text);
	g.path = plan_path_clean(m->a, arena_strndup(m->a, text, (size_t)(host - text)));
	g.source = mode ? arena_strndup(m->a, host + 1, (size_t)(mode - host - 1)) : host + 1;
	if (strcmp(g.path, "/") == 0)
		return sl_err_set(err, 0, "--fs-mount %s: the root cannot be mounted over", text);
	if (judge_special(m, "fs-mount", g.path, true, &special, err) < 0)
		return -1;
	if (special)
		return sl_err_set(err, 0, "--fs-mount %s: /dev is the sandbox's own", text);
	if (g.source[0] != '/')
		g.source = arena_printf(m->a, "%s/%s", m->cwd, g.source);
	if (walk_resolve(m->a, "", g.source, &w, err) < 0)
		return sl_err_wrap(err, "--fs-mount %s", text);
	g.source = w.path;
	g.directory = S_ISDIR(w.st.st_mode);
	add_grant(m, &g);
	return 0;
}

/* A path that does not exist yet cannot be covered, and might be made later. */
static int deny_missing(struct granting *m, const char *path, struct sl_err *err)
{
	const struct granted *in =
		grants_find(&m->g, plan_path_clean(m->a, make_absolute(m, path)));

	if (in && in->write)
		return sl_err_wrap(err,
			"--fs-deny %s: it could be made later, because %s can be written; only "
			"what exists can be denied",
			path, in->path);
	return m->o->skip_missing ? 0 : refuse_missing("fs-deny", path, err);
}

static int refuse_path(struct granting *m, const char *path, struct sl_err *err)
{
	struct walked w;

	if (walk_resolve(m->a, m->prefix, make_absolute(m, path), &w, err) < 0)
		return is_missing(err) ? deny_missing(m, path, err)
				       : sl_err_wrap(err, "--fs-deny %s", path);
	/* What is in no grant is not there at all. */
	if (grants_find(&m->g, w.path))
		m->g.denied[m->g.n_denied++] = arena_strdup(m->a, w.path);
	return 0;
}

/* Symlinks of the root directory whose target is in a grant. */
static int link_root(struct granting *m, struct sl_err *err)
{
	DIR *d = opendir(*m->prefix ? m->prefix : "/");
	struct dirent *e;
	struct sl_err ignored;

	if (!d)
		return sl_err_set(err, errno, "read the root directory");
	while ((e = readdir(d))) {
		struct walked w;

		if (e->d_type != DT_LNK ||
			walk_resolve(m->a, m->prefix, arena_printf(m->a, "/%s", e->d_name), &w,
				&ignored) < 0 ||
			!grants_find(&m->g, w.path))
			continue;
		for (size_t i = 0; i < w.n_links; i++)
			note_link(m, &w.links[i]);
	}
	closedir(d);
	return 0;
}

/* Parents before what lies below them; of the same path the one that can be written first. */
static int by_path(const void *a, const void *b)
{
	const struct granted *x = a, *y = b;
	const int r = strcmp(x->path, y->path);

	return r ? r : (int)y->write - (int)x->write;
}

static int by_link(const void *a, const void *b)
{
	const struct plan_link *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* A mount of --fs-mount shows another place of the host, so it never adds nothing. */
static bool is_own_place(const struct granting *m, const struct granted *g)
{
	const size_t n = strlen(m->prefix);

	return strncmp(g->source, m->prefix, n) == 0 && strcmp(g->source + n, g->path) == 0;
}

static void collapse(struct granting *m)
{
	size_t n = m->g.n, kept = 0;

	if (n)
		qsort(m->g.items, n, sizeof(*m->g.items), by_path);
	m->g.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct granted g = m->g.items[i];
		const struct granted *in = grants_find(&m->g, g.path);

		if (in && is_own_place(m, in) && is_own_place(m, &g) &&
			(in->write == g.write || strcmp(in->path, g.path) == 0))
			continue;
		m->g.items[kept++] = g;
		m->g.n = kept;
	}
}

static void collapse_links(struct granting *m)
{
	size_t n = m->g.n_links, kept = 0;

	if (n)
		qsort(m->links, n, sizeof(*m->links), by_link);
	for (size_t i = 0; i < n; i++)
		if (!grants_find(&m->g, m->links[i].path) &&
			(kept == 0 || strcmp(m->links[kept - 1].path, m->links[i].path) != 0))
			m->links[kept++] = m->links[i];
	m->g.n_links = kept;
	m->g.links = m->links;
}

static int use_chroot(struct granting *m, struct sl_err *err)
{
	const char *dir = m->o->chroot;
	struct walked w;

	m->prefix = "";
	if (!dir)
		return 0;
	if (walk_resolve(m->a, "", dir[0] == '/' ? dir : arena_printf(m->a, "%s/%s", m->cwd, dir),
		    &w, err) < 0)
		return sl_err_wrap(err, "--chroot %s", dir);
	if (!S_ISDIR(w.st.st_mode))
		return sl_err_set(err, ENOTDIR, "--chroot %s", dir);
	m->prefix = strcmp(w.path, "/") == 0 ? "" : w.path;
	return 0;
}

static int grant_all(struct granting *m, struct sl_err *err)
{
	const struct sandbox_options *o = m->o;

	for (size_t i = 0; i < o->read.n; i++)
		if (grant_path(m, "fs-read", o->read.items[i], false, err) < 0)
			return -1;
	for (size_t i = 0; i < o->write.n; i++)
		if (grant_path(m, "fs-write", o->write.items[i], true, err) < 0)
			return -1;
	for (size_t i = 0; i < o->mount.n; i++)
		if (grant_mount(m, o->mount.items[i], err) < 0)
			return -1;
	return 0;
}

int grants_make(struct arena *a, const struct sandbox_options *o, const char *cwd,
	struct grants *ret, struct sl_err *err)
{
	struct granting m = { .a = a, .o = o, .cwd = cwd };

	m.g.denied = arena_array(a, o->deny.n + 1, sizeof(*m.g.denied));
	if (use_chroot(&m, err) < 0 || grant_all(&m, err) < 0)
		return -1;
	collapse(&m);
	for (size_t i = 0; i < o->deny.n; i++)
		if (refuse_path(&m, o->deny.items[i], err) < 0)
			return -1;
	if (link_root(&m, err) < 0)
		return -1;
	collapse_links(&m);
	*ret = m.g;
	return 0;
}
