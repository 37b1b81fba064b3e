#include "wire/codec.h"

enum {
    LENENC_16 = 0xfc,
    LENENC_24 = 0xfd,
    LENENC_64 = 0xfe,
};

uint64_t read_lenenc_prefixed(struct reader *r)
{
    switch (read_u8(r)) {
    case LENENC_16:
        return read_u16(r);
    case LENENC_24:
        return read_u24(r);
    case LENENC_64:
        return read_u64(r);
    default: /* NULL, or no length */
        r->bad = true;
        return 0;
    }
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

size_t lenenc_encode(uint8_t ret[LENENC_MAX], uint64_t v)
{
    if (v < LENENC_NULL) {
        ret[0] = (uint8_t)v;
        return 1;
    }
    size_t n = v <= 0xffff ? 2 : v <= 0xffffff ? 3 : 8;
    ret[0] = n == 2 ? LENENC_16 : n == 3 ? LENENC_24 : LENENC_64;
    for (size_t i = 0; i < n; i++)
        ret[1 + i] = (uint8_t)(v >> (8 * i));
    return n + 1;
}
