/* uthash with the one of its hash functions that has no switch to fall through, which clang
 * warns about. Keys here are numbers and short texts. */
#ifndef MQ_PROXY_HASH_H
#define MQ_PROXY_HASH_H

#define HASH_FUNCTION(key, len, hash) HASH_OAT(key, len, hash)
#include <uthash.h>

#endif
