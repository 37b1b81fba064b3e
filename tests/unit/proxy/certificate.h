/* Certificates for tests, made on the spot: a CA, and what it issues, as PEM files in a folder
 * that is removed at the end. */
#ifndef MQ_TESTS_PROXY_CERTIFICATE_H
#define MQ_TESTS_PROXY_CERTIFICATE_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/proxy/proxy_test.h"

enum { CERT_DAY = 86400 };

struct authority {
    EVP_PKEY *key;
    X509 *certificate;
    char folder[64], ca[128];
};

/* The paths of a certificate and of its key. */
struct certificate {
    char cert[128], key[128];
};

static inline X509 *certificate_build(const char *name, EVP_PKEY *key, long from, long until)
{
    X509 *x = X509_new();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), rand());
    X509_gmtime_adj(X509_getm_notBefore(x), from);
    X509_gmtime_adj(X509_getm_notAfter(x), until);
    X509_set_pubkey(x, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    return x;
}

static inline void certificate_extend(X509 *x, int nid, const char *value)
{
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    assert_non_null(e);
    X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
}

static inline void certificate_save(const char *path, const X509 *x, const EVP_PKEY *key)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(x ? PEM_write_X509(f, x) : PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL));
    fclose(f);
}

static inline void authority_init(struct authority *a, const char *name)
{
    snprintf(a->folder, sizeof a->folder, "/tmp/mqgate-test-XXXXXX");
    assert_non_null(mkdtemp(a->folder));
    snprintf(a->ca, sizeof a->ca, "%s/ca.pem", a->folder);
    a->key = EVP_EC_gen("P-256");
    a->certificate = certificate_build(name, a->key, -CERT_DAY, CERT_DAY);
    X509_set_issuer_name(a->certificate, X509_get_subject_name(a->certificate));
    certificate_extend(a->certificate, NID_basic_constraints, "critical,CA:TRUE");
    assert_true(X509_sign(a->certificate, a->key, EVP_sha256()));
    certificate_save(a->ca, a->certificate, NULL);
}

/* Named `name`, also as a DNS name; `until` is seconds from now. */
static inline struct certificate authority_issue(const struct authority *a, const char *name,
                                                 long until)
{
    struct certificate c;
    char alternative[128];
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = certificate_build(name, key, -2 * CERT_DAY, until);
    X509_set_issuer_name(x, X509_get_subject_name(a->certificate));
    snprintf(alternative, sizeof alternative, "DNS:%s", name);
    certificate_extend(x, NID_subject_alt_name, alternative);
    assert_true(X509_sign(x, a->key, EVP_sha256()));
    snprintf(c.cert, sizeof c.cert, "%s/%s.pem", a->folder, name);
    snprintf(c.key, sizeof c.key, "%s/%s.key", a->folder, name);
    certificate_save(c.cert, x, NULL);
    certificate_save(c.key, NULL, key);
    X509_free(x);
    EVP_PKEY_free(key);
    return c;
}

static inline void certificate_remove(const struct certificate *c)
{
    unlink(c->cert);
    unlink(c->key);
}

static inline void authority_fini(struct authority *a)
{
    unlink(a->ca);
    rmdir(a->folder);
    X509_free(a->certificate);
    EVP_PKEY_free(a->key);
}

#endif
