/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/secrets.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/proxy/proto.h"

/* A file is looked at again after this time. */
#define LOOK_S 1

/* USER:VALUE in base64, for one rule. */
struct basic {
	const struct http_auth *auth;
	char *text; /* NULL: not encoded since the value was read */
	size_t len, size;
};

/* A value that was replaced. */
struct gone {
	char *text;
	size_t len, size;
};

struct secret {
	const char *name;
	const struct plan_http_credential *plan;
	int dir_fd; /* directory of the file; -1: the credential is no file */
	const char *path;
	struct stat seen;
	time_t looked;
	char *value; /* NULL: the credential is not available */
	size_t len;
	bool unfit;           /* not available, because a field cannot have such a value */
	struct basic *basics; /* one for each rule of shape basic */
	size_t n_basics;
	/* What was sent before the last change, because answers that are on their way can repeat
	 * it: the basics, and the value after them. */
	struct gone *gone;
};

struct secrets {
	struct secret *items;
	size_t n;
	int *dir_fds;
	size_t n_dirs;
};

/* Allocates memory that is never in swap or in a core file. Returns NULL when there is none. */
static char *locked_alloc(size_t n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (mlock(p, n) == 0 && madvise(p, n, MADV_DONTDUMP) == 0)
		return p;
	munmap(p, n);
	return NULL;
}

static void locked_free(char **p, size_t *n)
{
	if (*p) {
		explicit_bzero(*p, *n);
		munmap(*p, *n);
	}
	*p = NULL;
	*n = 0;
}

/* Without a text the one before it stays. */
static void keep_gone(struct gone *to, char **text, size_t len, size_t *size)
{
	if (!*text)
		return;
	locked_free(&to->text, &to->size);
	*to = (struct gone){ take_ptr(*text), len, *size };
	*size = 0;
}

static void secret_forget(struct secret *s)
{
	s->unfit = false;
	keep_gone(&s->gone[s->n_basics], &s->value, s->len, &s->len);
	for (size_t i = 0; i < s->n_basics; i++)
		keep_gone(&s->gone[i], &s->basics[i].text, s->basics[i].len, &s->basics[i].size);
}

/* Keeps the value without one line end, which an editor may have added. */
static void secret_keep(struct secret *s, const char *data, size_t n)
{
	secret_forget(s);
	if (n > 0 && data[n - 1] == '\n')
		n--;
	if (n > 0 && data[n - 1] == '\r')
		n--;
	s->unfit = !http_may_send((struct http_span){ data, n });
	s->value = n > 0 && !s->unfit ? locked_alloc(n) : NULL;
	if (s->value) {
		memcpy(s->value, data, n);
		s->len = n;
	}
}

static int secret_open(const struct secret *s)
{
	/* Kubernetes replaces the files of a volume by changing a symbolic link in it. */
	const struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
		.resolve = (s->plan->file.base ? RESOLVE_BENEATH : 0) |
			   (s->plan->file.base && !s->plan->file.links ? RESOLVE_NO_SYMLINKS : 0) |
			   RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, s->dir_fd, s->path, &how, sizeof(how));
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads the file again if it has changed, once a second at most. */
static void secret_look(struct secret *s)
{
	static char buf[PROXY_SECRET_MAX + 2];
	const time_t now = time(NULL);
	auto_fd int fd = -1;
	size_t n = 0;
	struct stat st;

	if (s->dir_fd < 0 || (s->value && now - s->looked < LOOK_S && now >= s->looked))
		return;
	s->looked = now;
	fd = secret_open(s);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		secret_forget(s);
		return;
	}
	if (s->value && is_same(&st, &s->seen))
		return;
	while (n < sizeof(buf)) {
		ssize_t r = read(fd, buf + n, sizeof(buf) - n);

		if (r < 0) { /* half of a value is none */
			n = 0;
			break;
		}
		if (r == 0)
			break;
		n += (size_t)r;
	}
	s->seen = st;
	secret_keep(s, buf, n <= PROXY_SECRET_MAX ? n : 0);
	explicit_bzero(buf, sizeof(buf));
}

static int complain(const struct secret *s, const char *place, struct sl_err *err)
{
	if (s->unfit)
		return sl_err_set(err, 0,
			"credential %s: the value of %s has a control character, such as a line "
			"end within it, or a blank at one of its ends; it has to be one line of "
			"text",
			s->name, place);
	return sl_err_set(err, 0,
		"credential %s: %s cannot be read, is empty, or cannot be locked in memory",
		s->name, place);
}

static int hear_variable(struct secret *s, int link_fd, struct sl_err *err)
{
	static char buf[PROXY_SECRET_MAX];
	struct pollfd p = { .fd = link_fd, .events = POLLIN };
	ssize_t n = poll(&p, 1, -1) == 1 ? recv(link_fd, buf, sizeof(buf), 0) : -1;

	secret_keep(s, buf, n > 0 ? (size_t)n : 0);
	explicit_bzero(buf, sizeof(buf));
	return s->value ? 0 : complain(s, s->plan->variable, err);
}

/* Keeps the directory open and not the file, so that a file that replaces it is found. */
static int open_place(struct arena *a, struct secret *s, struct sl_err *err)
{
	const struct plan_http_file *f = &s->plan->file;
	const char *slash = f->base ? NULL : strrchr(f->path, '/');
	const char *dir =
		f->base ? f->base : arena_printf(a, "%.*s", (int)(slash - f->path + 1), f->path);

	s->path = f->base ? f->path : slash + 1;
	s->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0)
		return sl_err_set(err, errno, "credential %s: open %s", s->name, dir);
	secret_look(s);
	return s->value ? 0 : complain(s, f->path, err);
}

static bool uses_secret(const struct http_auth *auth, const struct secret *s)
{
	return strcmp(auth->credential, s->name) == 0;
}

static void list_basics(struct arena *a, const struct http_rules *rules, struct secret *s)
{
	s->basics = arena_array(a, rules->n_auth + 1, sizeof(*s->basics));
	for (size_t i = 0; i < rules->n_auth; i++)
		if (rules->auth[i].shape == HTTP_AUTH_BASIC && uses_secret(&rules->auth[i], s))
			s->basics[s->n_basics++].auth = &rules->auth[i];
	s->gone = arena_array(a, s->n_basics + 1, sizeof(*s->gone));
}

int secrets_open(struct arena *a, const struct plan_http *plan, int link_fd, struct secrets **ret,
	struct sl_err *err)
{
	struct secrets *s = arena_alloc(a, sizeof(*s));

	s->items = arena_array(a, plan->n_credentials + 1, sizeof(*s->items));
	s->dir_fds = arena_array(a, plan->n_credentials + 1, sizeof(*s->dir_fds));
	for (; s->n < plan->n_credentials; s->n++) {
		struct secret *it = &s->items[s->n];

		*it = (struct secret){ .name = plan->credentials[s->n].name,
			.plan = &plan->credentials[s->n],
			.dir_fd = -1 };
		list_basics(a, &plan->rules, it);
		if ((it->plan->variable ? hear_variable(it, link_fd, err)
					: open_place(a, it, err)) < 0)
			return -1;
		if (it->dir_fd >= 0)
			s->dir_fds[s->n_dirs++] = it->dir_fd;
	}
	*ret = s;
	return 0;
}

const int *secrets_directories(const struct secrets *s, size_t *ret_n)
{
	*ret_n = s->n_dirs;
	return s->dir_fds;
}

/* Encodes USER:VALUE in base64 (RFC 7617). Returns NULL when there is no memory. */
static const struct basic *encode_basic(const struct secret *s, struct basic *b)
{
	const char *user = b->auth->name;
	const size_t n = strlen(user) + 1 + s->len;
	size_t pair_size = n;
	char *pair;

	if (b->text)
		return b;
	pair = locked_alloc(n);
	b->size = 4 * (n / 3 + 1) + 1;
	b->text = pair ? locked_alloc(b->size) : NULL;
	if (b->text) {
		mempcpy(stpcpy(stpcpy(pair, user), ":"), s->value, s->len);
		b->len = (size_t)EVP_EncodeBlock(
			(unsigned char *)b->text, (const unsigned char *)pair, (int)n);
	}
	locked_free(&pair, &pair_size);
	return b->text ? b : NULL;
}

static const struct basic *basic_for(const struct secret *s, const struct http_auth *auth)
{
	for (size_t i = 0; i < s->n_basics; i++)
		if (s->basics[i].auth == auth)
			return encode_basic(s, &s->basics[i]);
	return NULL;
}

int secrets_attach(struct secrets *s, const struct http_auth *auth, struct http_attach *ret,
	const char **ret_why)
{
	*ret_why = "The credential for this request is not there";
	*ret = (struct http_attach){ .auth = auth };
	if (!auth)
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		struct secret *it = &s->items[i];
		const struct basic *basic;

		if (!uses_secret(auth, it))
			continue;
		secret_look(it);
		if (it->unfit)
			*ret_why = "The credential for this request has a control character or a "
				   "blank at an end";
		if (!it->value)
			return -1;
		ret->value = (struct http_span){ it->value, it->len };
		if (auth->shape != HTTP_AUTH_BASIC)
			return 0;
		basic = basic_for(it, auth);
		if (!basic)
			return -1;
		ret->value = (struct http_span){ basic->text, basic->len };
		return 0;
	}
	return -1;
}

static bool repeats(struct http_span text, const char *value, size_t len)
{
	return value && http_repeats(text, (struct http_span){ value, len });
}

static bool secret_is_in(const struct secret *s, struct http_span text)
{
	if (repeats(text, s->value, s->len))
		return true;
	for (size_t i = 0; i < s->n_basics; i++)
		if (repeats(text, s->basics[i].text, s->basics[i].len))
			return true;
	for (size_t i = 0; i <= s->n_basics; i++)
		if (repeats(text, s->gone[i].text, s->gone[i].len))
			return true;
	return false;
}

void secrets_redact(const struct secrets *s, struct http_head *head)
{
	for (size_t k = 0; k < s->n; k++) {
		for (size_t i = 0; i < head->n_fields; i++)
			if (secret_is_in(&s->items[k], head->fields[i].value))
				head->fields[i].value = http_span_of("[redacted]");
		if (secret_is_in(&s->items[k], head->reason))
			head->reason = (struct http_span){ NULL, 0 };
	}
}
