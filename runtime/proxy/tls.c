/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/proxy/authority.h"
#include "runtime/proxy/h1.h"
#include "runtime/proxy/h2.h"
#include "runtime/proxy/judge.h"
#include "runtime/proxy/trust.h"

static const unsigned char proto_h1[] = "\x08http/1.1";
static const unsigned char proto_h2[] = "\x02h2";

struct tls {
	SSL_CTX *server, *client;
	struct cert_authority *authority;
	struct trust trust;
};

/* Whether the client offers a protocol. Each entry of its list is one byte of length and the
 * name. */
static bool hello_offers(const struct conn_hello *h, const unsigned char *proto)
{
	const size_t n = (size_t)proto[0] + 1;

	for (size_t i = 0; i + n <= h->alpn_len; i += (size_t)h->alpn[i] + 1)
		if (memcmp(h->alpn + i, proto, n) == 0)
			return true;
	return false;
}

/* Reads server_name (RFC 6066), which has to be a list of one name of type host_name. */
static bool read_name(SSL *ssl, struct http_span *ret)
{
	const unsigned char *p;
	size_t n;

	*ret = (struct http_span){ 0 };
	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &p, &n))
		return true;
	if (n < 5 || (size_t)(p[0] << 8 | p[1]) + 2 != n || p[2] != TLSEXT_NAMETYPE_host_name ||
		(size_t)(p[3] << 8 | p[4]) + 5 != n)
		return false;
	*ret = (struct http_span){ (const char *)p + 5, n - 5 };
	return true;
}

/* Keeps those of the offered protocols that the proxy supports, in the client's order. */
static void read_alpn(SSL *ssl, struct conn_hello *h)
{
	const unsigned char *p;
	size_t n;

	h->alpn_len = 0;
	if (!SSL_client_hello_get0_ext(
		    ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &p, &n) ||
		n < 2 || (size_t)(p[0] << 8 | p[1]) + 2 != n)
		return;
	for (size_t i = 2, len; i < n; i += len) {
		len = (size_t)p[i] + 1;
		if (i + len > n)
			return;
		if ((len == sizeof(proto_h2) - 1 && memcmp(p + i, proto_h2, len) == 0) ||
			(len == sizeof(proto_h1) - 1 && memcmp(p + i, proto_h1, len) == 0)) {
			if (h->alpn_len + len > sizeof(h->alpn))
				return;
			memcpy(h->alpn + h->alpn_len, p + i, len);
			h->alpn_len += len;
		}
	}
}

static void own_address(const struct http_connection *w, struct http_host *ret)
{
	*ret = (struct http_host){ .is_addr = true, .v6 = w->v6 };
	memcpy(ret->addr, w->addr, sizeof(w->addr));
	inet_ntop(w->v6 ? AF_INET6 : AF_INET, w->addr, ret->text, sizeof(ret->text));
}

/* OpenSSL calls it when the hello has been read, and again when the handshake goes on after the
 * server's choice. */
static int on_hello(SSL *ssl, int *alert, void *arg)
{
	struct conn *c = SSL_get_app_data(ssl);
	struct http_span name;

	(void)arg;
	if (c->stage == CONN_ACCEPT) {
		if (authority_present(c->p->tls->authority, ssl, &c->hello.host) == 0)
			return SSL_CLIENT_HELLO_SUCCESS;
		*alert = SSL_AD_INTERNAL_ERROR;
		return SSL_CLIENT_HELLO_ERROR;
	}
	*alert = SSL_AD_UNRECOGNIZED_NAME;
	if (!read_name(ssl, &name))
		return SSL_CLIENT_HELLO_ERROR;
	if (name.s) {
		if (http_host_parse(name, &c->where.sni) != HTTP_NO_FAULT || c->where.sni.is_addr)
			return SSL_CLIENT_HELLO_ERROR;
		c->where.has_sni = true;
		c->hello.host = c->where.sni;
	} else {
		own_address(&c->where, &c->hello.host);
	}
	read_alpn(ssl, &c->hello);
	c->hello.read = true;
	return SSL_CLIENT_HELLO_RETRY;
}

/* Selects the protocol that the server has chosen; if it has chosen none, HTTP/1.1. */
static int on_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
	const unsigned char *in, unsigned int in_len, void *arg)
{
	struct conn *c = SSL_get_app_data(ssl);
	const unsigned char *want = c->hello.h2 ? proto_h2 : proto_h1;

	(void)in, (void)in_len, (void)arg;
	if (!hello_offers(&c->hello, want))
		return SSL_TLSEXT_ERR_NOACK;
	*out = want + 1;
	*out_len = want[0];
	return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *tls_context(const SSL_METHOD *method)
{
	SSL_CTX *ctx = SSL_CTX_new(method);

	if (!ctx)
		return NULL;
	SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
					 SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	return ctx;
}

int tls_open(
	const struct plan_http *plan, struct tls **ret, struct proxy_msg *ready, struct sl_err *err)
{
	struct tls *t = calloc(1, sizeof(*t));

	if (!t || !(t->server = tls_context(TLS_server_method())) ||
		!(t->client = tls_context(TLS_client_method())))
		return sl_err_set(err, ENOMEM, "TLS");
	SSL_CTX_set_client_hello_cb(t->server, on_hello, NULL);
	SSL_CTX_set_alpn_select_cb(t->server, on_alpn, NULL);
	SSL_CTX_set_verify(t->client, SSL_VERIFY_PEER, NULL);
	if (authority_open(plan, &t->authority, ready, err) < 0 ||
		trust_open(&t->trust, plan->trust, err) < 0)
		return -1;
	*ret = t;
	return 0;
}

void tls_begin(struct conn *c)
{
	c->down.ssl = SSL_new(c->p->tls->server);
	if (!c->down.ssl || SSL_set_fd(c->down.ssl, c->down.fd) != 1) {
		conn_drop(c);
		return;
	}
	SSL_set_app_data(c->down.ssl, c);
	c->where.tls = true;
	c->since_ms = clock_now_ms();
	c->stage = CONN_HELLO;
}

/* Whether a handshake has to wait; false: it has failed. */
static bool tls_waits(struct side *s, int rc)
{
	switch (SSL_get_error(s->ssl, rc)) {
	case SSL_ERROR_WANT_WRITE: s->tls_waiting = true; return true;
	case SSL_ERROR_WANT_READ:
	case SSL_ERROR_WANT_CLIENT_HELLO_CB: return true;
	default: return false;
	}
}

/* Without a server that chooses the protocol, a client that offers HTTP/2 alone gets its answer so.
 */
static void accept_client(struct conn *c)
{
	if (c->up_failure[0])
		c->hello.h2 =
			hello_offers(&c->hello, proto_h2) && !hello_offers(&c->hello, proto_h1);
	c->stage = CONN_ACCEPT;
	c->moved = true;
}

static void fail_out(struct conn *c, const char *what, const char *why)
{
	snprintf(c->up_failure, sizeof(c->up_failure), "%s: %s", what, why);
	side_close(&c->up);
	accept_client(c);
}

static void read_hello(struct conn *c)
{
	int rc;

	ERR_clear_error();
	rc = SSL_accept(c->down.ssl);
	if (c->hello.read) {
		c->stage = CONN_OUTGOING;
		c->moved = true;
		if (!judge_host(c->p, &c->hello.host)) {
			c->asked = true;
			fail_out(c, "no connection", "no rule allows a request to this host");
		} else if (conn_ask(c) < 0) {
			accept_client(c);
		}
	} else if (!tls_waits(&c->down, rc)) {
		judge_record(c->p, NULL, "TLS: a hello that cannot be read");
		conn_drop(c);
	}
}

/* Sets the name or address that the server's certificate has to have. An address is not sent as
 * server_name (RFC 6066). */
static bool tls_set_name(SSL *ssl, const struct http_host *host)
{
	X509_VERIFY_PARAM *param = SSL_get0_param(ssl);

	X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	if (host->is_addr)
		return X509_VERIFY_PARAM_set1_ip(param, host->addr, host->v6 ? 16 : 4) == 1;
	return SSL_set_tlsext_host_name(ssl, host->text) == 1 &&
	       SSL_set1_host(ssl, host->text) == 1;
}

static bool begin_out(struct conn *c)
{
	struct tls *t = c->p->tls;
	SSL *ssl;

	trust_use(&t->trust, t->client);
	ssl = c->up.ssl = SSL_new(t->client);
	if (!ssl || SSL_set_fd(ssl, c->up.fd) != 1)
		return false;
	return tls_set_name(ssl, &c->hello.host) &&
	       (c->hello.alpn_len == 0 || SSL_set_alpn_protos(ssl, c->hello.alpn,
						  (unsigned int)c->hello.alpn_len) == 0);
}

static const char *tls_reason(SSL *ssl)
{
	const long verified = SSL_get_verify_result(ssl);
	const char *reason;

	if (verified != X509_V_OK)
		return X509_verify_cert_error_string(verified);
	reason = ERR_reason_error_string(ERR_peek_error());
	return reason ? reason : "the connection ended within the handshake";
}

static void tls_connect(struct conn *c)
{
	const unsigned char *proto;
	unsigned int n;
	int rc;

	if (c->up_failure[0]) {
		accept_client(c);
		return;
	}
	if (c->up.fd < 0)
		return;
	if (!c->up.ssl && !begin_out(c)) {
		fail_out(c, "TLS to the server", "no memory");
		return;
	}
	ERR_clear_error();
	rc = SSL_connect(c->up.ssl);
	if (rc == 1) {
		SSL_get0_alpn_selected(c->up.ssl, &proto, &n);
		c->hello.h2 = n == proto_h2[0] && memcmp(proto, proto_h2 + 1, n) == 0;
		accept_client(c);
	} else if (!tls_waits(&c->up, rc)) {
		fail_out(c, "TLS to the server", tls_reason(c->up.ssl));
	}
}

static void finish_accept(struct conn *c)
{
	int rc;

	ERR_clear_error();
	rc = SSL_accept(c->down.ssl);
	if (rc == 1) {
		c->since_ms = 0;
		c->moved = true;
		if (c->hello.h2)
			h2_begin(c);
		else
			h1_begin(c);
	} else if (!tls_waits(&c->down, rc)) {
		conn_drop(c);
	}
}

void tls_run(struct conn *c)
{
	switch (c->stage) {
	case CONN_HELLO: read_hello(c); break;
	case CONN_OUTGOING: tls_connect(c); break;
	case CONN_ACCEPT: finish_accept(c); break;
	case CONN_SNIFF:
	case CONN_HTTP1:
	case CONN_HTTP2:
	case CONN_TUNNEL:
	case CONN_CLOSING:
	case CONN_GONE: break;
	}
}
