/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/authority.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/base/cleanup.h"

/* Certificates that are kept, a power of two. For a name without one a new certificate is
 * signed. */
#define LEAVES 128

/* A certificate for a name is replaced after a day. It is valid longer, for connections that last;
 * some clients reject certificates that are valid for more than about a year. */
#define LEAF_RENEW_S ((time_t)24 * 3600)
#define LEAF_DAYS    30
#define OWN_DAYS     3650
#define SKEW_S       3600L /* tolerates clocks that are behind */

#define FILE_MAX     ((size_t)1 << 20)

struct leaf {
	char *host;
	X509 *cert;
	time_t made;
};

struct cert_authority {
	X509 *cert;
	EVP_PKEY *key;
	EVP_PKEY *leaf_key; /* of all certificates for names; not given out */
	struct leaf leaves[LEAVES];
};

static int tls_error(struct sl_err *err, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_get_error());

	return sl_err_set(err, 0, "%s: %s", what, reason ? reason : "it did not work");
}

/* Opens a regular file below its directory. No link is followed. */
static FILE *open_bundle_file(const struct plan_http_file *f, const char *key, struct sl_err *err)
{
	const struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	auto_fd int base_fd = open(f->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = -1;
	struct stat st;
	FILE *file;

	if (base_fd >= 0)
		fd = (int)syscall(SYS_openat2, base_fd, f->path, &how, sizeof(how));
	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		sl_err_fill(err, 0, "%s: %s/%s is no regular file", key, f->base, f->path);
		return NULL;
	}
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		sl_err_fill(err, errno, "%s: open %s/%s", key, f->base, f->path);
	else
		take_fd(&fd);
	return file;
}

/* A key that needs a password is refused, because there is nobody to ask. */
static int no_password(char *buf, int size, int rwflag, void *arg)
{
	(void)buf, (void)size, (void)rwflag, (void)arg;
	return -1;
}

static int authority_load(
	struct cert_authority *a, const struct plan_http *plan, struct sl_err *err)
{
	auto_file FILE *cert = open_bundle_file(&plan->ca, "http_ca", err);
	auto_file FILE *key = cert ? open_bundle_file(&plan->key, "http_key", err) : NULL;

	if (!cert || !key)
		return -1;
	a->cert = PEM_read_X509(cert, NULL, no_password, NULL);
	if (!a->cert)
		return tls_error(err, "http_ca: read a certificate in PEM form");
	a->key = PEM_read_PrivateKey(key, NULL, no_password, NULL);
	if (!a->key)
		return tls_error(
			err, "http_key: read a private key in PEM form without a password");
	if (X509_check_private_key(a->cert, a->key) != 1)
		return sl_err_set(
			err, 0, "http_key: it is not the key of the certificate in http_ca");
	if (X509_check_ca(a->cert) != 1)
		return sl_err_set(err, 0, "http_ca: the certificate is not one of an authority");
	if (X509_cmp_current_time(X509_get0_notAfter(a->cert)) <= 0)
		return sl_err_set(err, 0, "http_ca: the certificate has expired");
	return 0;
}

static int cert_set_serial(X509 *x)
{
	unsigned char bytes[16];
	BIGNUM *n;
	int rc;

	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return -1;
	bytes[0] &= 0x7f;
	n = BN_bin2bn(bytes, sizeof(bytes), NULL);
	rc = n && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x)) ? 0 : -1;
	BN_free(n);
	return rc;
}

static int cert_set_name(X509 *x, const char *cn)
{
	X509_NAME *name = X509_get_subject_name(x);

	return X509_NAME_add_entry_by_txt(
		       name, "CN", MBSTRING_UTF8, (const unsigned char *)cn, -1, -1, 0) == 1
		       ? 0
		       : -1;
}

static int cert_add(X509 *x, X509 *issuer, int nid, const char *value)
{
	X509_EXTENSION *e;
	X509V3_CTX ctx;
	int rc;

	X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
	e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
	rc = e && X509_add_ext(x, e, -1) == 1 ? 0 : -1;
	X509_EXTENSION_free(e);
	return rc;
}

static X509 *cert_begin(EVP_PKEY *key, const char *cn, int days)
{
	X509 *x = X509_new();

	if (x && X509_set_version(x, X509_VERSION_3) == 1 && cert_set_serial(x) == 0 &&
		cert_set_name(x, cn) == 0 && X509_gmtime_adj(X509_getm_notBefore(x), -SKEW_S) &&
		X509_gmtime_adj(X509_getm_notAfter(x), (long)days * 24 * 3600) &&
		X509_set_pubkey(x, key) == 1)
		return x;
	X509_free(x);
	return NULL;
}

static int authority_make(struct cert_authority *a, struct sl_err *err)
{
	static const char cn[] = "sandlock-oci: authority of one container";

	a->key = EVP_EC_gen("P-256");
	a->cert = a->key ? cert_begin(a->key, cn, OWN_DAYS) : NULL;
	if (!a->cert || X509_set_issuer_name(a->cert, X509_get_subject_name(a->cert)) != 1 ||
		cert_add(a->cert, a->cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") <
			0 ||
		cert_add(a->cert, a->cert, NID_key_usage, "critical,keyCertSign") < 0 ||
		cert_add(a->cert, a->cert, NID_subject_key_identifier, "hash") < 0 ||
		X509_sign(a->cert, a->key, EVP_sha256()) == 0)
		return tls_error(err, "make a certificate authority");
	return 0;
}

static int write_pem(const struct cert_authority *a, char *pem, size_t size, struct sl_err *err)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *data;
	long n;
	int rc;

	if (!bio || PEM_write_bio_X509(bio, a->cert) != 1) {
		rc = tls_error(err, "write the certificate");
	} else if ((n = BIO_get_mem_data(bio, &data)) <= 0 || (size_t)n >= size) {
		rc = sl_err_set(err, 0, "http_ca: the certificate is longer than %zu bytes", size);
	} else {
		memcpy(pem, data, (size_t)n);
		pem[n] = '\0';
		rc = 0;
	}
	BIO_free(bio);
	return rc;
}

int authority_open(const struct plan_http *plan, struct cert_authority **ret,
	struct proxy_msg *ready, struct sl_err *err)
{
	struct cert_authority *a = calloc(1, sizeof(*a));

	if (!a)
		return sl_err_set(err, ENOMEM, "make a certificate authority");
	*ret = a; /* never freed, also after a failure */
	if ((plan->ca.path ? authority_load(a, plan, err) : authority_make(a, err)) < 0)
		return -1;
	a->leaf_key = EVP_EC_gen("P-256");
	if (!a->leaf_key)
		return tls_error(err, "make a key");
	snprintf(ready->authority.name, sizeof(ready->authority.name), "%08lx.0",
		X509_subject_name_hash(a->cert));
	return write_pem(a, ready->authority.pem, sizeof(ready->authority.pem), err);
}

static const EVP_MD *cert_digest(EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448") ? NULL : EVP_sha256();
}

static X509 *authority_sign(const struct cert_authority *a, const struct http_host *host)
{
	char cn[65], san[HTTP_HOST_MAX + 8];
	X509 *x;

	/* 64 is ub-common-name of RFC 5280. Clients check the alternative name, which is
	 * complete. */
	snprintf(cn, sizeof(cn), "%.64s", host->text);
	snprintf(san, sizeof(san), "%s:%s", host->is_addr ? "IP" : "DNS", host->text);
	x = cert_begin(a->leaf_key, cn, LEAF_DAYS);
	if (x && X509_set_issuer_name(x, X509_get_subject_name(a->cert)) == 1 &&
		cert_add(x, a->cert, NID_basic_constraints, "critical,CA:FALSE") == 0 &&
		cert_add(x, a->cert, NID_key_usage, "critical,digitalSignature") == 0 &&
		cert_add(x, a->cert, NID_ext_key_usage, "serverAuth") == 0 &&
		cert_add(x, a->cert, NID_subject_alt_name, san) == 0 &&
		cert_add(x, a->cert, NID_authority_key_identifier, "keyid") == 0 &&
		X509_sign(x, a->key, cert_digest(a->key)) != 0)
		return x;
	X509_free(x);
	return NULL;
}

static size_t leaf_slot(const char *host)
{
	size_t h = 5381;

	for (const char *p = host; *p; p++)
		h = h * 33 + (unsigned char)*p;
	return h % LEAVES;
}

static X509 *authority_find(struct cert_authority *a, const struct http_host *host)
{
	struct leaf *l = &a->leaves[leaf_slot(host->text)];
	const time_t now = time(NULL);

	if (l->cert && now - l->made < LEAF_RENEW_S && strcmp(l->host, host->text) == 0)
		return l->cert;
	X509_free(l->cert);
	free(l->host);
	*l = (struct leaf){
		.host = strdup(host->text), .cert = authority_sign(a, host), .made = now
	};
	if (!l->host || !l->cert) {
		X509_free(l->cert);
		free(l->host);
		*l = (struct leaf){ 0 };
	}
	return l->cert;
}

int authority_present(struct cert_authority *a, SSL *ssl, const struct http_host *host)
{
	X509 *cert = authority_find(a, host);

	return cert && SSL_use_certificate(ssl, cert) == 1 &&
			       SSL_use_PrivateKey(ssl, a->leaf_key) == 1
		       ? 0
		       : -1;
}
