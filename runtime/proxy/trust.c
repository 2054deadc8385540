/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/trust.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

/* The roots of Debian, Alpine and others; of Fedora and Red Hat; of openSUSE. */
static const char *const bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/ca-bundle.pem",
};

static int open_bundle(void)
{
	const char *named = getenv("SSL_CERT_FILE"); /* which OpenSSL reads as well */
	int fd = -1;

	if (named)
		return open(named, O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; fd < 0 && i < sizeof(bundles) / sizeof(bundles[0]); i++)
		fd = open(bundles[i], O_RDONLY | O_CLOEXEC);
	return fd;
}

static int check_bundle(int fd, struct sl_err *err)
{
	BIO *bio = BIO_new_fd(fd, BIO_NOCLOSE);
	X509 *x;
	bool has;

	if (!bio)
		return sl_err_set(err, ENOMEM, "read it");
	x = PEM_read_bio_X509(bio, NULL, NULL, NULL);
	has = x != NULL;
	X509_free(x);
	BIO_free(bio);
	ERR_clear_error();
	if (!has)
		return sl_err_set(err, 0, "there is no certificate in PEM form in it");
	return lseek(fd, 0, SEEK_SET) < 0 ? sl_err_set(err, errno, "read it again") : 0;
}

int trust_open(struct trust *t, const char *node, struct sl_err *err)
{
	*t = (struct trust){ .host_fd = open_bundle(), .node_fd = -1 };
	if (!node)
		return 0;
	t->node_fd = open(node, O_RDONLY | O_CLOEXEC);
	if (t->node_fd < 0)
		return sl_err_set(err, errno, "http.caBundle of the node policy: open %s", node);
	if (check_bundle(t->node_fd, err) < 0)
		return sl_err_wrap(err, "http.caBundle of the node policy: %s", node);
	return 0;
}

static void add_all(X509_STORE *store, int fd)
{
	BIO *bio = fd < 0 ? NULL : BIO_new_fd(fd, BIO_NOCLOSE);
	BIO *buffered = BIO_new(BIO_f_buffer());
	X509 *x;

	if (bio && buffered) {
		BIO_push(buffered, bio);
		while ((x = PEM_read_bio_X509(buffered, NULL, NULL, NULL))) {
			X509_STORE_add_cert(store, x);
			X509_free(x);
		}
	}
	ERR_clear_error(); /* the last read fails because there are no more certificates */
	BIO_free(buffered);
	BIO_free(bio);
}

void trust_use(struct trust *t, SSL_CTX *ctx)
{
	X509_STORE *store = SSL_CTX_get_cert_store(ctx);

	if (t->read)
		return;
	t->read = true;
	add_all(store, t->host_fd);
	add_all(store, t->node_fd);
	drop_fd(&t->host_fd);
	drop_fd(&t->node_fd);
}
