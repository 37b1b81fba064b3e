/* Words of a statement taken eight bytes at a time: letter case folded away, hashed and
 * compared. For this folder only. */
#ifndef MQ_SQL_WORDS_H
#define MQ_SQL_WORDS_H

#include <stdint.h>

#include "base/slice.h"

#define WORD_FACTOR 0x9E3779B97F4A7C15u /* 2^64 divided by the golden ratio, odd */
/* Takes the case off letters. Digits and _ come out as other bytes, yet no two bytes that
 * may stand in a bare word become equal, save the two cases of a letter. */
#define WORD_FOLD 0xDFDFDFDFDFDFDFDFu

static inline uint64_t word_le32(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

/* The bytes at..at+7 of s, fewer at its end, as a little-endian number; reads no byte
 * behind s and takes no branch per byte. */
static inline uint64_t word_chunk(struct slice s, size_t at)
{
    const uint8_t *p = (const uint8_t *)s.data + at;
    size_t len = s.len - at;
    if (len >= 8)
        return word_le32(p) | word_le32(p + 4) << 32;
    if (len >= 4)
        return word_le32(p) | word_le32(p + len - 4) << 8 * (len - 4);
    if (len == 0)
        return 0;
    return (uint64_t)p[0] | (uint64_t)p[len / 2] << 8 * (len / 2) |
           (uint64_t)p[len - 1] << 8 * (len - 1);
}

static inline uint64_t word_mix(uint64_t hash, uint64_t chunk)
{
    hash = (hash ^ chunk) * WORD_FACTOR;
    return hash ^ hash >> 32;
}

/* Without regard to case. keyword_hash.py computes the same. */
static inline uint64_t word_hash(struct slice word)
{
    uint64_t hash = word.len * WORD_FACTOR;
    for (size_t at = 0; at < word.len; at += 8)
        hash = word_mix(hash, word_chunk(word, at) & WORD_FOLD);
    return hash * WORD_FACTOR;
}

/* Are two bare words of one length the same without regard to case? */
static inline bool word_ieq(struct slice a, struct slice b)
{
    for (size_t at = 0; at < a.len; at += 8)
        if ((word_chunk(a, at) ^ word_chunk(b, at)) & WORD_FOLD)
            return false;
    return true;
}

#endif
