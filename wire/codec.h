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

uint8_t read_u8(struct reader *r);
uint16_t read_u16(struct reader *r);
uint32_t read_u24(struct reader *r);
uint32_t read_u32(struct reader *r);
uint64_t read_u64(struct reader *r);
/* Length-encoded integer; 0xFB and 0xFF are illegal here and set bad. */
uint64_t read_lenenc(struct reader *r);
struct slice read_bytes(struct reader *r, size_t n);
struct slice read_lenenc_slice(struct reader *r);
/* A column of a text row; data NULL for NULL. */
struct slice read_cell(struct reader *r);
/* Bytes up to the next NUL, which is consumed; without a NUL sets bad. */
struct slice read_cstr(struct reader *r);
/* Everything left. */
struct slice read_rest(struct reader *r);

void write_u8(struct buf *b, uint8_t v);
void write_u16(struct buf *b, uint16_t v);
void write_u24(struct buf *b, uint32_t v);
void write_u32(struct buf *b, uint32_t v);
void write_u64(struct buf *b, uint64_t v);
void write_lenenc(struct buf *b, uint64_t v);
/* The same without a buffer; returns the number of bytes, 1 to LENENC_MAX. */
enum { LENENC_MAX = 9 };
size_t lenenc_encode(uint8_t ret[LENENC_MAX], uint64_t v);
void write_lenenc_slice(struct buf *b, struct slice s);

#endif
