#include "wire/auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/random.h"
#include "wire/auth_int.h"
#include "wire/sha_crypt.h"

static const char *const plugin_names[] = {
    [AUTH_NATIVE] = "mysql_native_password",
    [AUTH_CACHING_SHA2] = "caching_sha2_password",
};

enum auth_plugin auth_plugin_of(struct slice name)
{
    for (enum auth_plugin p = AUTH_NATIVE; p < AUTH_OTHER; p++)
        if (slice_eq(name, slice_cstr(plugin_names[p])))
            return p;
    return AUTH_OTHER;
}

const char *auth_plugin_name(enum auth_plugin plugin)
{
    return plugin < AUTH_OTHER ? plugin_names[plugin] : "";
}

void auth_nonce(uint8_t nonce[NONCE_SIZE])
{
    random_bytes(nonce, NONCE_SIZE);
    for (size_t i = 0; i < NONCE_SIZE; i++) {
        nonce[i] = (uint8_t)(1 + nonce[i] % 126);
        if (nonce[i] >= '$')
            nonce[i]++;
    }
}

void nonce_mask(uint8_t *bytes, size_t len, const uint8_t nonce[NONCE_SIZE])
{
    for (size_t i = 0; i < len; i++)
        bytes[i] ^= nonce[i % NONCE_SIZE];
}

static bool digest(const EVP_MD *md, struct slice a, struct slice b, uint8_t *ret)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx && EVP_DigestInit_ex(ctx, md, NULL) == 1 &&
              EVP_DigestUpdate(ctx, a.data, a.len) == 1 &&
              EVP_DigestUpdate(ctx, b.data, b.len) == 1 && EVP_DigestFinal_ex(ctx, ret, NULL) == 1;
    EVP_MD_CTX_free(ctx);
    return ok;
}

bool digest_sha1(struct slice a, struct slice b, uint8_t ret[SHA1_SIZE])
{
    return digest(EVP_sha1(), a, b, ret);
}

bool digest_sha256(struct slice a, struct slice b, uint8_t ret[SHA256_SIZE])
{
    return digest(EVP_sha256(), a, b, ret);
}

static const struct slice nothing = { "", 0 };

/* The hash of a hash, and the first hash, which is the secret that proofs are made of. */
static bool sha1_twice(struct slice password, uint8_t ret_once[SHA1_SIZE],
                       uint8_t ret_twice[SHA1_SIZE])
{
    return digest_sha1(password, nothing, ret_once) &&
           digest_sha1(slice_of(ret_once, SHA1_SIZE), nothing, ret_twice);
}

static bool sha256_twice(struct slice password, uint8_t ret_once[SHA256_SIZE],
                         uint8_t ret_twice[SHA256_SIZE])
{
    return digest_sha256(password, nothing, ret_once) &&
           digest_sha256(slice_of(ret_once, SHA256_SIZE), nothing, ret_twice);
}

bool digest_sha256_twice(struct slice password, uint8_t ret[SHA256_SIZE])
{
    uint8_t once[SHA256_SIZE];
    bool ok = sha256_twice(password, once, ret);
    OPENSSL_cleanse(once, sizeof once);
    return ok;
}

void verifier_of_password(struct verifier *v, struct slice password)
{
    uint8_t once[SHA1_SIZE];
    *v = (struct verifier){ .empty = password.len == 0, .has_clear = true, .clear = password };
    if (v->empty)
        return;
    v->has_native = sha1_twice(password, once, v->native);
    v->has_sha2 = digest_sha256_twice(password, v->sha2);
    OPENSSL_cleanse(once, sizeof once);
}

static bool hex_decode(struct slice hex, uint8_t *ret, size_t len)
{
    if (hex.len != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = hex_digit(hex.data[2 * i]), low = hex_digit(hex.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        ret[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool verifier_of_stored(struct verifier *v, struct slice stored)
{
    if (!sha_crypt_is_stored(stored))
        return false;
    memcpy(v->sha2_crypt, stored.data, stored.len);
    v->has_sha2_crypt = true;
    return true;
}

bool verifier_of_hash(struct verifier *v, struct slice hash)
{
    uint8_t stored[SHA_CRYPT_STORED];
    *v = (struct verifier){ 0 };
    if (hash.len > 1 && hash.data[0] == '*')
        return v->has_native =
                   hex_decode(slice_of(hash.data + 1, hash.len - 1), v->native, SHA1_SIZE);
    /* SHOW CREATE USER prints the salt's bytes this way (print_identified_with_as_hex). */
    if (hash.len > 2 && hash.data[0] == '0' && (hash.data[1] | 0x20) == 'x')
        return hex_decode(slice_of(hash.data + 2, hash.len - 2), stored, sizeof stored) &&
               verifier_of_stored(v, slice_of(stored, sizeof stored));
    return verifier_of_stored(v, hash);
}

static void xor_into(uint8_t *to, const uint8_t *with, size_t len)
{
    for (size_t i = 0; i < len; i++)
        to[i] ^= with[i];
}

/* SHA1(password) XOR SHA1(nonce, SHA1(SHA1(password))) */
static size_t native_prove(struct slice password, const uint8_t nonce[NONCE_SIZE],
                           uint8_t proof[SHA1_SIZE])
{
    uint8_t once[SHA1_SIZE], twice[SHA1_SIZE];
    if (!sha1_twice(password, once, twice) ||
        !digest_sha1(slice_of(nonce, NONCE_SIZE), slice_of(twice, SHA1_SIZE), proof))
        return 0;
    xor_into(proof, once, SHA1_SIZE);
    OPENSSL_cleanse(once, sizeof once);
    return SHA1_SIZE;
}

/* SHA256(password) XOR SHA256(SHA256(SHA256(password)), nonce) */
static size_t sha2_prove(struct slice password, const uint8_t nonce[NONCE_SIZE],
                         uint8_t proof[SHA256_SIZE])
{
    uint8_t once[SHA256_SIZE], twice[SHA256_SIZE];
    if (!sha256_twice(password, once, twice) ||
        !digest_sha256(slice_of(twice, SHA256_SIZE), slice_of(nonce, NONCE_SIZE), proof))
        return 0;
    xor_into(proof, once, SHA256_SIZE);
    OPENSSL_cleanse(once, sizeof once);
    return SHA256_SIZE;
}

size_t auth_prove(enum auth_plugin plugin, struct slice password, const uint8_t nonce[NONCE_SIZE],
                  uint8_t proof[32])
{
    memset(proof, 0, SHA256_SIZE);
    if (password.len == 0 || plugin == AUTH_OTHER)
        return 0;
    return plugin == AUTH_NATIVE ? native_prove(password, nonce, proof)
                                 : sha2_prove(password, nonce, proof);
}

/* Undoing the XOR of a true proof gives the first hash, whose hash the account stores. */
bool native_proof_fits(const struct verifier *v, struct slice proof,
                       const uint8_t nonce[NONCE_SIZE])
{
    uint8_t once[SHA1_SIZE], twice[SHA1_SIZE];
    if (!v->has_native || proof.len != SHA1_SIZE ||
        !digest_sha1(slice_of(nonce, NONCE_SIZE), slice_of(v->native, SHA1_SIZE), once))
        return false;
    xor_into(once, (const uint8_t *)proof.data, SHA1_SIZE);
    bool ok = digest_sha1(slice_of(once, SHA1_SIZE), nothing, twice) &&
              CRYPTO_memcmp(twice, v->native, SHA1_SIZE) == 0;
    OPENSSL_cleanse(once, sizeof once);
    return ok;
}

bool sha2_proof_fits(const struct verifier *v, struct slice proof, const uint8_t nonce[NONCE_SIZE])
{
    uint8_t once[SHA256_SIZE], twice[SHA256_SIZE];
    if (!v->has_sha2 || proof.len != SHA256_SIZE ||
        !digest_sha256(slice_of(v->sha2, SHA256_SIZE), slice_of(nonce, NONCE_SIZE), once))
        return false;
    xor_into(once, (const uint8_t *)proof.data, SHA256_SIZE);
    bool ok = digest_sha256(slice_of(once, SHA256_SIZE), nothing, twice) &&
              CRYPTO_memcmp(twice, v->sha2, SHA256_SIZE) == 0;
    OPENSSL_cleanse(once, sizeof once);
    return ok;
}
