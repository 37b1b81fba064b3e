/* uthash with the one of its hash functions that has no switch to fall through, which clang
 * warns about. Keys here are numbers and short texts. */
#ifndef MQ_PROXY_HASH_H
#define MQ_PROXY_HASH_H

#define HASH_FUNCTION(key, len, hash) HASH_OAT(key, len, hash)
#include <uthash.h>

#include "base/slice.h"

/* Quick, not strong: of what is compared as well, or what nobody gains from forging. */
static inline uint64_t hash_bytes(uint64_t seed, struct slice bytes)
{
    uint64_t h = (seed + 1) * 0x9e3779b97f4a7c15u ^ bytes.len;
    for (size_t at = 0; at < bytes.len; at += sizeof h) {
        uint64_t chunk = 0;
        size_t left = bytes.len - at;
        memcpy(&chunk, bytes.data + at, left < sizeof chunk ? left : sizeof chunk);
        h = (h ^ chunk) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

#endif
