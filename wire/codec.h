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

static inline uint64_t read_le(struct reader *r, size_t n)
{
    const uint8_t *p = read_raw(r, n);
    uint64_t v = 0;
    for (size_t i = 0; p && i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline uint8_t read_u8(struct reader *r)
{
    return (uint8_t)read_le(r, 1);
}

static inline uint16_t read_u16(struct reader *r)
{
    return (uint16_t)read_le(r, 2);
}

static inline uint32_t read_u24(struct reader *r)
{
    return (uint32_t)read_le(r, 3);
}

static inline uint32_t read_u32(struct reader *r)
{
    return (uint32_t)read_le(r, 4);
}

static inline uint64_t read_u64(struct reader *r)
{
    return read_le(r, 8);
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

static inline void write_le_at(uint8_t *p, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline void write_le(struct buf *b, uint64_t v, size_t n)
{
    write_le_at(buf_reserve(b, n), v, n);
    buf_commit(b, n);
}

static inline void write_u8(struct buf *b, uint8_t v)
{
    buf_append_byte(b, v);
}

static inline void write_u16(struct buf *b, uint16_t v)
{
    write_le(b, v, 2);
}

static inline void write_u24(struct buf *b, uint32_t v)
{
    write_le(b, v, 3);
}

static inline void write_u32(struct buf *b, uint32_t v)
{
    write_le(b, v, 4);
}

static inline void write_u64(struct buf *b, uint64_t v)
{
    write_le(b, v, 8);
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
