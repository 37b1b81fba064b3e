/* uthash with a hash function that takes eight bytes at a time: keys here are a few numbers or short
 * texts, and some are looked up for every statement. */
#ifndef MQ_PROXY_HASH_H
#define MQ_PROXY_HASH_H

#include <stdint.h>

#include "base/slice.h"

#define HASH_FUNCTION(key, len, hash) ((hash) = (unsigned)hash_bytes(0, slice_of(key, len)))
#include <uthash.h>

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
