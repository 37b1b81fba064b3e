/* What the login exchanges share inside the folder: digests, checks of proofs, RSA. Every
 * comparison of secrets takes the same time whatever the bytes are. */
#ifndef MQ_WIRE_AUTH_INT_H
#define MQ_WIRE_AUTH_INT_H

#include "wire/auth.h"

enum {
    SHA1_SIZE = 20,
    SHA256_SIZE = 32,
    PASSWORD_MAX = 256,  /* the longest password that servers take (MAX_PLAINTEXT_LENGTH) */
    RSA_SIZE_MAX = 1024, /* bytes of the largest modulus served */
};

/* Bytes of the caching_sha2_password exchange. */
enum { SHA2_REQUEST_KEY = 0x02, SHA2_FAST_OK = 0x03, SHA2_FULL = 0x04 };
/* First bytes of packets in a login exchange. */
enum { LOGIN_OK = 0x00, LOGIN_MORE_DATA = 0x01, LOGIN_SWITCH = 0xfe, LOGIN_ERR = 0xff };

/* The digest of a followed by b; false if libcrypto does not offer it. */
bool digest_sha1(struct slice a, struct slice b, uint8_t ret[SHA1_SIZE]);
bool digest_sha256(struct slice a, struct slice b, uint8_t ret[SHA256_SIZE]);
bool digest_sha256_twice(struct slice password, uint8_t ret[SHA256_SIZE]);

/* 0 to 15, or -1. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Whether a client's proof fits the hash of the account. */
bool native_proof_fits(const struct verifier *v, struct slice proof,
                       const uint8_t nonce[NONCE_SIZE]);
bool sha2_proof_fits(const struct verifier *v, struct slice proof, const uint8_t nonce[NONCE_SIZE]);

/* XOR with the nonce, over and over: how a password is hidden inside RSA. */
void nonce_mask(uint8_t *bytes, size_t len, const uint8_t nonce[NONCE_SIZE]);

/* The public key as PEM, owned by key. */
struct slice rsa_public_pem(const struct rsa_key *key);
/* Opens what a client sealed with OAEP; ret has room for RSA_SIZE_MAX bytes. */
bool rsa_open(const struct rsa_key *key, struct slice sealed, uint8_t *ret, size_t *ret_len);
/* Appends plain, sealed with a server's public key, to out. */
bool rsa_seal(struct slice pem, struct slice plain, struct buf *out);

#endif
