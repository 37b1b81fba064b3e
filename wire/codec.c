#include "wire/codec.h"

enum {
    LENENC_NULL = 0xfb,
    LENENC_16 = 0xfc,
    LENENC_24 = 0xfd,
    LENENC_64 = 0xfe,
    LENENC_BAD = 0xff
};

/* The next n bytes, or NULL once the reader has failed. */
static const uint8_t *take(struct reader *r, size_t n)
{
    if (r->bad || n > reader_left(r)) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->next;
    r->next += n;
    return p;
}

static uint64_t read_le(struct reader *r, size_t n)
{
    const uint8_t *p = take(r, n);
    uint64_t v = 0;
    if (p)
        for (size_t i = 0; i < n; i++)
            v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint8_t read_u8(struct reader *r)
{
    return (uint8_t)read_le(r, 1);
}

uint16_t read_u16(struct reader *r)
{
    return (uint16_t)read_le(r, 2);
}

uint32_t read_u24(struct reader *r)
{
    return (uint32_t)read_le(r, 3);
}

uint32_t read_u32(struct reader *r)
{
    return (uint32_t)read_le(r, 4);
}

uint64_t read_u64(struct reader *r)
{
    return read_le(r, 8);
}

uint64_t read_lenenc(struct reader *r)
{
    uint8_t first = read_u8(r);
    switch (first) {
    case LENENC_NULL:
    case LENENC_BAD:
        r->bad = true;
        return 0;
    case LENENC_16:
        return read_u16(r);
    case LENENC_24:
        return read_u24(r);
    case LENENC_64:
        return read_u64(r);
    default:
        return first;
    }
}

struct slice read_bytes(struct reader *r, size_t n)
{
    const uint8_t *p = take(r, n);
    return p ? slice_of(p, n) : slice_of("", 0);
}

struct slice read_lenenc_slice(struct reader *r)
{
    uint64_t n = read_lenenc(r);
    if (n > reader_left(r)) {
        r->bad = true;
        n = 0;
    }
    return read_bytes(r, (size_t)n);
}

struct slice read_cell(struct reader *r)
{
    if (!r->bad && r->next < r->end && *r->next == LENENC_NULL) {
        r->next++;
        return slice_of(NULL, 0);
    }
    return read_lenenc_slice(r);
}

struct slice read_cstr(struct reader *r)
{
    const uint8_t *nul = memchr(r->next, '\0', reader_left(r));
    if (r->bad || !nul) {
        r->bad = true;
        return slice_of("", 0);
    }
    struct slice s = read_bytes(r, (size_t)(nul - r->next));
    r->next++;
    return s;
}

struct slice read_rest(struct reader *r)
{
    return read_bytes(r, reader_left(r));
}

static void put_le(uint8_t *p, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static void write_le(struct buf *b, uint64_t v, size_t n)
{
    put_le(buf_reserve(b, n), v, n);
    buf_commit(b, n);
}

void write_u8(struct buf *b, uint8_t v)
{
    write_le(b, v, 1);
}

void write_u16(struct buf *b, uint16_t v)
{
    write_le(b, v, 2);
}

void write_u24(struct buf *b, uint32_t v)
{
    write_le(b, v, 3);
}

void write_u32(struct buf *b, uint32_t v)
{
    write_le(b, v, 4);
}

void write_u64(struct buf *b, uint64_t v)
{
    write_le(b, v, 8);
}

size_t lenenc_encode(uint8_t ret[LENENC_MAX], uint64_t v)
{
    if (v < LENENC_NULL) {
        ret[0] = (uint8_t)v;
        return 1;
    }
    size_t n = v <= 0xffff ? 2 : v <= 0xffffff ? 3 : 8;
    ret[0] = n == 2 ? LENENC_16 : n == 3 ? LENENC_24 : LENENC_64;
    put_le(ret + 1, v, n);
    return n + 1;
}

void write_lenenc(struct buf *b, uint64_t v)
{
    buf_commit(b, lenenc_encode(buf_reserve(b, LENENC_MAX), v));
}

void write_lenenc_slice(struct buf *b, struct slice s)
{
    write_lenenc(b, s.len);
    buf_append_slice(b, s);
}
