/* The SHA-256 variant of SHA-crypt (Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512"),
 * as caching_sha2_password stores it: "$A$", thousands of rounds in three hex digits, "$",
 * 20 bytes of salt, 43 characters of digest. crypt(3) cuts the salt to 16 bytes, servers
 * do not, hence our own. */
#ifndef MQ_WIRE_SHA_CRYPT_H
#define MQ_WIRE_SHA_CRYPT_H

#include <stdbool.h>

#include "base/slice.h"

enum { SHA_CRYPT_DIGEST = 43, SHA_CRYPT_SALT = 20, SHA_CRYPT_STORED = 70 };

/* The digest in crypt's base 64, not NUL-terminated. False when the password is longer than
 * 256 bytes, the salt longer than 20, or libcrypto does not offer SHA-256. */
bool sha_crypt(struct slice password, struct slice salt, unsigned rounds,
               char ret[SHA_CRYPT_DIGEST]);

/* Whether stored has the form above. */
bool sha_crypt_is_stored(struct slice stored);
/* Whether password gives the digest of stored, which has that form. Takes milliseconds. */
bool sha_crypt_fits(struct slice stored, struct slice password);

#endif
