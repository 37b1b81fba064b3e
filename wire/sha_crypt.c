#include "wire/sha_crypt.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdint.h>

#include "wire/auth_int.h"

static const char base64[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* One digest after the other over the same context; a failure sticks. */
struct sha {
    EVP_MD_CTX *ctx;
    bool bad;
};

static void start(struct sha *h)
{
    h->bad |= EVP_DigestInit_ex(h->ctx, NULL, NULL) != 1;
}

static void add(struct sha *h, const void *data, size_t len)
{
    h->bad |= EVP_DigestUpdate(h->ctx, data, len) != 1;
}

static void finish(struct sha *h, uint8_t ret[SHA256_SIZE])
{
    h->bad |= EVP_DigestFinal_ex(h->ctx, ret, NULL) != 1;
}

/* len bytes of the digest, over and over. */
static void repeat(uint8_t *to, size_t len, const uint8_t digest[SHA256_SIZE])
{
    for (size_t i = 0; i < len; i++)
        to[i] = digest[i % SHA256_SIZE];
}

/* Steps 1 to 12: the digest that the rounds start from. */
static void first_digest(struct sha *h, struct slice password, struct slice salt,
                         uint8_t ret[SHA256_SIZE])
{
    uint8_t b[SHA256_SIZE], repeated[PASSWORD_MAX];
    start(h);
    add(h, password.data, password.len);
    add(h, salt.data, salt.len);
    add(h, password.data, password.len);
    finish(h, b);
    repeat(repeated, password.len, b);

    start(h);
    add(h, password.data, password.len);
    add(h, salt.data, salt.len);
    add(h, repeated, password.len);
    for (size_t bits = password.len; bits; bits >>= 1)
        if (bits & 1)
            add(h, b, SHA256_SIZE);
        else
            add(h, password.data, password.len);
    finish(h, ret);
    OPENSSL_cleanse(repeated, sizeof repeated);
}

/* Steps 13 to 20: times × s digested, then as many bytes of that as s has. */
static void stretch(struct sha *h, struct slice s, size_t times, uint8_t *ret)
{
    uint8_t digest[SHA256_SIZE];
    start(h);
    for (size_t i = 0; i < times; i++)
        add(h, s.data, s.len);
    finish(h, digest);
    repeat(ret, s.len, digest);
    OPENSSL_cleanse(digest, sizeof digest);
}

/* Step 21. */
static void run_rounds(struct sha *h, unsigned rounds, struct slice p, struct slice s,
                       uint8_t a[SHA256_SIZE])
{
    for (unsigned i = 0; i < rounds && !h->bad; i++) {
        start(h);
        if (i & 1)
            add(h, p.data, p.len);
        else
            add(h, a, SHA256_SIZE);
        if (i % 3)
            add(h, s.data, s.len);
        if (i % 7)
            add(h, p.data, p.len);
        if (i & 1)
            add(h, a, SHA256_SIZE);
        else
            add(h, p.data, p.len);
        finish(h, a);
    }
}

/* Step 22: three bytes at a time, from places that step by 10 and by 21 modulo 30. */
static void encode(const uint8_t a[SHA256_SIZE], char ret[SHA_CRYPT_DIGEST])
{
    char *to = ret;
    for (unsigned i = 0; i < 10; i++) {
        unsigned first = i * 21 % 30;
        uint32_t v =
            (uint32_t)a[first] << 16 | (uint32_t)a[(first + 10) % 30] << 8 | a[(first + 20) % 30];
        for (int n = 0; n < 4; n++, v >>= 6)
            *to++ = base64[v & 0x3f];
    }
    uint32_t v = (uint32_t)a[31] << 8 | a[30];
    for (int n = 0; n < 3; n++, v >>= 6)
        *to++ = base64[v & 0x3f];
}

bool sha_crypt(struct slice password, struct slice salt, unsigned rounds,
               char ret[SHA_CRYPT_DIGEST])
{
    if (password.len > PASSWORD_MAX || salt.len > SHA_CRYPT_SALT)
        return false;
    struct sha h = { .ctx = EVP_MD_CTX_new() };
    if (!h.ctx || EVP_DigestInit_ex(h.ctx, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(h.ctx);
        return false;
    }
    uint8_t a[SHA256_SIZE], p[PASSWORD_MAX], s[SHA_CRYPT_SALT];
    first_digest(&h, password, salt, a);
    stretch(&h, password, password.len, p);
    stretch(&h, salt, 16 + (size_t)a[0], s);
    run_rounds(&h, rounds, slice_of(p, password.len), slice_of(s, salt.len), a);
    encode(a, ret);
    OPENSSL_cleanse(a, sizeof a);
    OPENSSL_cleanse(p, sizeof p);
    EVP_MD_CTX_free(h.ctx);
    return !h.bad;
}

/* Rounds of "$A$005$…"; 0 when the digits are none. */
static unsigned stored_rounds(struct slice stored)
{
    unsigned thousands = 0;
    for (size_t i = 3; i < 6; i++) {
        int digit = hex_digit(stored.data[i]);
        if (digit < 0)
            return 0;
        thousands = thousands * 16 + (unsigned)digit;
    }
    return thousands * 1000;
}

static struct slice stored_salt(struct slice stored)
{
    return slice_of(stored.data + 7, SHA_CRYPT_SALT);
}

static const char *stored_digest(struct slice stored)
{
    return stored.data + 7 + SHA_CRYPT_SALT;
}

bool sha_crypt_is_stored(struct slice stored)
{
    if (stored.len != SHA_CRYPT_STORED || memcmp(stored.data, "$A$", 3) != 0 ||
        stored.data[6] != '$' || memchr(stored.data, '\0', stored.len))
        return false;
    for (size_t i = 0; i < SHA_CRYPT_DIGEST; i++)
        if (!strchr(base64, stored_digest(stored)[i]))
            return false;
    return stored_rounds(stored) > 0;
}

bool sha_crypt_fits(struct slice stored, struct slice password)
{
    char digest[SHA_CRYPT_DIGEST];
    return sha_crypt(password, stored_salt(stored), stored_rounds(stored), digest) &&
           CRYPTO_memcmp(digest, stored_digest(stored), SHA_CRYPT_DIGEST) == 0;
}
