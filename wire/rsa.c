/* The key pair with which a client seals its password when the connection itself is not
 * secure (OAEP with SHA-1, which servers and clients agree on). */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/memory.h"
#include "wire/auth_int.h"

enum { KEY_BITS = 2048, PEM_MAX = 8192 };

struct rsa_key {
    EVP_PKEY *pair;
    BIO *pem; /* the public key as text */
};

struct rsa_key *rsa_key_create(struct err *reterr)
{
    struct rsa_key *key = mem_new(struct rsa_key);
    key->pair = EVP_RSA_gen(KEY_BITS);
    key->pem = BIO_new(BIO_s_mem());
    if (key->pair && key->pem && PEM_write_bio_PUBKEY(key->pem, key->pair))
        return key;
    ERR_clear_error();
    rsa_key_destroy(key);
    err_set(reterr, MQ_INTERNAL, "libcrypto cannot make an RSA key");
    return NULL;
}

void rsa_key_destroy(struct rsa_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->pair);
    BIO_free(key->pem);
    mem_free(key);
}

struct slice rsa_public_pem(const struct rsa_key *key)
{
    char *data;
    long len = BIO_get_mem_data(key->pem, &data);
    return slice_of(data, (size_t)len);
}

bool rsa_open(const struct rsa_key *key, struct slice sealed, uint8_t *ret, size_t *ret_len)
{
    *ret_len = RSA_SIZE_MAX;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key->pair, NULL);
    bool ok = ctx && EVP_PKEY_decrypt_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0 &&
              EVP_PKEY_decrypt(ctx, ret, ret_len, (const uint8_t *)sealed.data, sealed.len) > 0;
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/* Instead of libcrypto's own, which asks at the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *context)
{
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

static EVP_PKEY *public_key_of(struct slice pem)
{
    if (pem.len > PEM_MAX)
        return NULL;
    BIO *bio = BIO_new_mem_buf(pem.data, (int)pem.len);
    EVP_PKEY *key = bio ? PEM_read_bio_PUBKEY(bio, NULL, no_passphrase, NULL) : NULL;
    BIO_free(bio);
    if (key && EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_size(key) <= RSA_SIZE_MAX)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool rsa_seal(struct slice pem, struct slice plain, struct buf *out)
{
    EVP_PKEY *key = public_key_of(pem);
    EVP_PKEY_CTX *ctx = key ? EVP_PKEY_CTX_new(key, NULL) : NULL;
    size_t len = RSA_SIZE_MAX;
    bool ok = ctx && EVP_PKEY_encrypt_init(ctx) > 0 &&
              EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0 &&
              EVP_PKEY_encrypt(ctx, buf_reserve(out, RSA_SIZE_MAX), &len,
                               (const uint8_t *)plain.data, plain.len) > 0;
    if (ok)
        buf_commit(out, len);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    ERR_clear_error();
    return ok;
}
