/* The MySQL protocol's basic types (page_protocol_basic_data_types): a reader that fails
 * once and stays failed, and writers that append to a buffer. */
#ifndef MQ_WIRE_CODEC_H
#define MQ_WIRE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* A cursor over bytes that somebody else owns. A read past the end, or an illegal length
 * prefix, sets bad and yields zeros from then on; callers check bad once at the end. */
struct reader {
    const uint8_t *next, *end;
    bool bad;
};

static inline struct reader reader_of(const void *data, size_t len)
{
    const uint8_t *first = data ? data : (const uint8_t *)"";
    return (struct reader){ first, first + len, false };
}
static inline size_t reader_left(const struct reader *r)
{
    return (size_t)(r->end - r->next);
}

enum { LENENC_NULL = 0xfb }; /* the least first byte that is no length itself */

/* The next n bytes, or NULL once the reader has failed. */
static inline const uint8_t *read_raw(struct reader *r, size_t n)
{
    if (r->bad || n > reader_left(r)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->next;
    r->next += n;
    return p;
}

/* Little-endian; compilers make one load, or one store, of these. */
static inline uint16_t u16_at(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t u32_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t u64_at(const uint8_t *p)
{
    return u32_at(p) | (uint64_t)u32_at(p + 4) << 32;
}

static inline uint8_t read_u8(struct reader *r)
{
    const uint8_t *p = read_raw(r, 1);
    return p ? *p : 0;
}

static inline uint16_t read_u16(struct reader *r)
{
    const uint8_t *p = read_raw(r, 2);
    return p ? u16_at(p) : 0;
}

static inline uint32_t read_u24(struct reader *r)
{
    const uint8_t *p = read_raw(r, 3);
    return p ? u16_at(p) | (uint32_t)p[2] << 16 : 0;
}

static inline uint32_t read_u32(struct reader *r)
{
    const uint8_t *p = read_raw(r, 4);
    return p ? u32_at(p) : 0;
}

static inline uint64_t read_u64(struct reader *r)
{
    const uint8_t *p = read_raw(r, 8);
    return p ? u64_at(p) : 0;
}

/* The same as read_lenenc, where more than one byte is to be read. */
uint64_t read_lenenc_prefixed(struct reader *r);

/* Length-encoded integer; 0xFB and 0xFF are illegal here and set bad. */
static inline uint64_t read_lenenc(struct reader *r)
{
    if (!r->bad && r->next < r->end && *r->next < LENENC_NULL)
        return *r->next++;
    return read_lenenc_prefixed(r);
}

static inline struct slice read_bytes(struct reader *r, size_t n)
{
    const uint8_t *p = read_raw(r, n);
    return p ? slice_of(p, n) : slice_of("", 0);
}

static inline struct slice read_lenenc_slice(struct reader *r)
{
    uint64_t n = read_lenenc(r);
    if (n > reader_left(r)) {
        r->bad = true;
        n = 0;
    }
    return read_bytes(r, (size_t)n);
}

/* A column of a text row; data NULL for NULL. */
struct slice read_cell(struct reader *r);
/* Bytes up to the next NUL, which is consumed; without a NUL sets bad. */
struct slice read_cstr(struct reader *r);
/* Everything left. */
struct slice read_rest(struct reader *r);

static inline void put_u16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void put_u32(uint8_t *p, uint32_t v)
{
    put_u16(p, (uint16_t)v);
    put_u16(p + 2, (uint16_t)(v >> 16));
}

static inline void put_u64(uint8_t *p, uint64_t v)
{
    put_u32(p, (uint32_t)v);
    put_u32(p + 4, (uint32_t)(v >> 32));
}

static inline void write_u8(struct buf *b, uint8_t v)
{
    buf_append_byte(b, v);
}

static inline void write_u16(struct buf *b, uint16_t v)
{
    put_u16(buf_reserve(b, 2), v);
    buf_commit(b, 2);
}

static inline void write_u24(struct buf *b, uint32_t v)
{
    write_u16(b, (uint16_t)v);
    write_u8(b, (uint8_t)(v >> 16));
}

static inline void write_u32(struct buf *b, uint32_t v)
{
    put_u32(buf_reserve(b, 4), v);
    buf_commit(b, 4);
}

static inline void write_u64(struct buf *b, uint64_t v)
{
    put_u64(buf_reserve(b, 8), v);
    buf_commit(b, 8);
}

/* Returns the number of bytes, 1 to LENENC_MAX. */
enum { LENENC_MAX = 9 };
size_t lenenc_encode(uint8_t ret[LENENC_MAX], uint64_t v);

static inline void write_lenenc(struct buf *b, uint64_t v)
{
    buf_commit(b, lenenc_encode(buf_reserve(b, LENENC_MAX), v));
}

static inline void write_lenenc_slice(struct buf *b, struct slice s)
{
    write_lenenc(b, s.len);
    buf_append_slice(b, s);
}

#endif
