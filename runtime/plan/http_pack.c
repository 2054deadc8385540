/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes struct plan_http into a memfd and reads it back. One walk over the structure does both, so
 * they cannot differ: each step either writes a field or reads it. A number has eight bytes. A text
 * is its length plus one (0 for NULL) and its bytes.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/plan/http.h"

/* Enough for a few hundred rules of a few kilobytes each, and for addresses. */
#define PACK_MAX ((size_t)4 << 20)

struct pack {
	bool reading;
	bool failed;
	struct arena *a;
	FILE *out;      /* writing */
	const char *in; /* reading */
	size_t left;
};

static void bytes(struct pack *k, void *p, size_t n)
{
	if (!k->reading) {
		k->failed |= fwrite(p, 1, n, k->out) != n;
		return;
	}
	if (n > k->left) {
		k->failed = true;
		memset(p, 0, n);
		return;
	}
	memcpy(p, k->in, n);
	k->in += n;
	k->left -= n;
}

static uint64_t pack_number(struct pack *k, uint64_t v)
{
	bytes(k, &v, sizeof(v));
	return v;
}

#define NUMBER(k, field) ((field) = (__typeof__(field))pack_number(k, (uint64_t)(field)))

static bool flag(struct pack *k, bool v)
{
	return pack_number(k, v) != 0;
}

/* Packs a count. When reading, the count is limited to what the remaining bytes can contain. */
static size_t count_of(struct pack *k, size_t n)
{
	const uint64_t v = pack_number(k, n);

	if (k->reading && v > k->left + 1) { /* the count of a text is one larger than its bytes */
		k->failed = true;
		return 0;
	}
	return (size_t)v;
}

static void text(struct pack *k, const char **s)
{
	const size_t n = count_of(k, *s ? strlen(*s) + 1 : 0);
	char *copy;

	if (k->failed || n == 0) {
		if (k->reading)
			*s = NULL;
		return;
	}
	if (!k->reading) {
		bytes(k, (void *)*s, n - 1);
		return;
	}
	copy = arena_alloc(k->a, n);
	bytes(k, copy, n - 1);
	*s = copy;
}

/* Each element is handled as a copy, because the elements that are packed must not change, and some
 * cannot be written to. */
#define LIST(k, type, list, n, step)                                                               \
	do {                                                                                       \
		type *made_ = NULL;                                                                \
                                                                                                   \
		(n) = count_of(k, n);                                                              \
		if ((k)->reading)                                                                  \
			(list) = made_ = arena_array((k)->a, (n) + 1, sizeof(type));               \
		for (size_t i_ = 0; i_ < (n); i_++) {                                              \
			type item_ = (list)[i_];                                                   \
                                                                                                   \
			step(k, &item_);                                                           \
			if (made_)                                                                 \
				made_[i_] = item_;                                                 \
		}                                                                                  \
	} while (0)

static void http_rule(struct pack *k, struct http_rule *r)
{
	text(k, &r->method);
	text(k, &r->host);
	text(k, &r->path);
	NUMBER(k, r->path_len);
	NUMBER(k, r->kind);
	k->failed |= !r->path || strlen(r->path) != r->path_len || r->kind > HTTP_PATH_PREFIX;
}

static void http_auth(struct pack *k, struct http_auth *h)
{
	http_rule(k, &h->rule);
	NUMBER(k, h->shape);
	text(k, &h->name);
	text(k, &h->credential);
	h->cleartext = flag(k, h->cleartext);
	h->add_only = flag(k, h->add_only);
	k->failed |= h->shape > HTTP_AUTH_QUERY || !h->credential ||
		     (!h->name && h->shape != HTTP_AUTH_BEARER);
}

static void pin_addr(struct pack *k, struct http_pin_addr *at)
{
	at->v6 = flag(k, at->v6);
	bytes(k, at->addr, sizeof(at->addr));
}

static void pin(struct pack *k, struct http_pin *p)
{
	text(k, &p->host);
	LIST(k, struct http_pin_addr, p->addrs, p->n_addrs, pin_addr);
	k->failed |= !p->host;
}

static void port_range(struct pack *k, struct rule_ports *p)
{
	NUMBER(k, p->first);
	NUMBER(k, p->last);
}

static void http_file(struct pack *k, struct plan_http_file *f)
{
	text(k, &f->base);
	text(k, &f->path);
	f->links = flag(k, f->links);
}

static void credential(struct pack *k, struct plan_http_credential *c)
{
	text(k, &c->name);
	text(k, &c->variable);
	http_file(k, &c->file);
	k->failed |= !c->name || !c->variable == !c->file.path;
}

static void limits(struct pack *k, struct node_http_limits *l)
{
	NUMBER(k, l->head.head_bytes);
	NUMBER(k, l->head.fields);
	NUMBER(k, l->connections);
	NUMBER(k, l->handshake_ms);
	NUMBER(k, l->idle_ms);
	NUMBER(k, l->http2_streams);
	NUMBER(k, l->http2_resets);
	NUMBER(k, l->http2_bytes);
}

static void plan_walk(struct pack *k, struct plan_http *p)
{
	p->needed = flag(k, p->needed);
	p->tls = flag(k, p->tls);
	LIST(k, struct http_rule, p->rules.allow, p->rules.n_allow, http_rule);
	LIST(k, struct http_rule, p->rules.deny, p->rules.n_deny, http_rule);
	LIST(k, struct http_auth, p->rules.auth, p->rules.n_auth, http_auth);
	LIST(k, struct http_pin, p->rules.pins, p->rules.n_pins, pin);
	LIST(k, struct rule_ports, p->ports, p->n_ports, port_range);
	http_file(k, &p->ca);
	http_file(k, &p->key);
	http_file(k, &p->ca_out);
	LIST(k, const char *, p->inject, p->n_inject, text);
	p->ca_env = flag(k, p->ca_env);
	LIST(k, struct plan_http_credential, p->credentials, p->n_credentials, credential);
	limits(k, &p->limits);
	text(k, &p->trust);
}

int plan_http_pack(const struct plan_http *p, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = memfd_create("sandlock-http", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct plan_http copy = *p;
	struct pack k = { 0 };
	int dup_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (dup_fd < 0)
		return sl_err_set(err, errno, "memfd for the HTTP rules");
	k.out = fdopen(dup_fd, "w");
	if (!k.out) {
		close(dup_fd);
		return sl_err_set(err, errno, "memfd for the HTTP rules");
	}
	plan_walk(&k, &copy);
	k.failed |= fclose(k.out) != 0;
	if (k.failed || fcntl(fd, F_ADD_SEALS,
				F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return sl_err_set(err, errno, "write the HTTP rules");
	*ret_fd = take_fd(&fd);
	return 0;
}

int plan_http_unpack(struct arena *a, int fd, struct plan_http *ret, struct sl_err *err)
{
	struct plan_http p = { 0 };
	struct pack k = { .reading = true, .a = a };
	struct stat st;
	char *buf;

	if (fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "HTTP rules");
	if (st.st_size <= 0 || (size_t)st.st_size > PACK_MAX)
		return sl_err_set(err, EBADMSG, "HTTP rules of %lld bytes", (long long)st.st_size);
	buf = arena_alloc(a, (size_t)st.st_size);
	if (pread(fd, buf, (size_t)st.st_size, 0) != st.st_size)
		return sl_err_set(err, errno, "read the HTTP rules");
	k.in = buf;
	k.left = (size_t)st.st_size;
	plan_walk(&k, &p);
	if (k.failed || k.left > 0)
		return sl_err_set(err, EBADMSG, "HTTP rules");
	*ret = p;
	return 0;
}
