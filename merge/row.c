#include "merge/row.h"

#include "base/memory.h"

enum { ROW_NULL = 0xfb, BITMAP_OFFSET = 2, BITS = 8 };

bool is_integer_type(uint8_t type)
{
    return integer_width(type) != 0;
}

bool is_decimal_type(uint8_t type)
{
    return type == TYPE_DECIMAL || type == TYPE_NEWDECIMAL;
}

bool is_text_type(uint8_t type)
{
    return type == TYPE_VARCHAR || (type >= TYPE_ENUM && type <= TYPE_STRING) || type == TYPE_JSON;
}

size_t integer_width(uint8_t type)
{
    switch (type) {
    case TYPE_TINY:
        return 1;
    case TYPE_SHORT:
    case TYPE_YEAR:
        return 2;
    case TYPE_LONG:
    case TYPE_INT24:
        return 4;
    case TYPE_LONGLONG:
        return 8;
    default:
        return 0;
    }
}

/* ---- splitting ---- */

/* Bytes of a binary value that has no length before it; 0: it has. */
static size_t fixed_width(uint8_t type)
{
    return type == TYPE_FLOAT ? 4 : type == TYPE_DOUBLE ? 8 : integer_width(type);
}

/* The length that stands before dates and times is written as that of others. */
static struct slice binary_value(struct reader *r, uint8_t type)
{
    size_t width = fixed_width(type);
    return width ? read_bytes(r, width) : read_lenenc_slice(r);
}

static size_t bitmap_size(size_t columns)
{
    return (columns + BITMAP_OFFSET + BITS - 1) / BITS;
}

static bool bit_is_set(struct slice bitmap, size_t column)
{
    size_t bit = column + BITMAP_OFFSET;
    return (unsigned char)bitmap.data[bit / BITS] >> bit % BITS & 1;
}

static void split_binary(const struct shape *shape, struct reader *r, struct cell *cells)
{
    r->bad = read_u8(r) != 0 || r->bad;
    struct slice bitmap = read_bytes(r, bitmap_size(shape->count));
    for (size_t i = 0; i < shape->count && !r->bad; i++) {
        const uint8_t *from = r->next;
        cells[i].bytes = bit_is_set(bitmap, i) ? slice_of(NULL, 0)
                                               : binary_value(r, shape->columns[i].type);
        cells[i].wire = slice_of(from, (size_t)(r->next - from));
    }
}

static void split_text(const struct shape *shape, struct reader *r, struct cell *cells)
{
    for (size_t i = 0; i < shape->count && !r->bad; i++) {
        const uint8_t *from = r->next;
        cells[i].bytes = read_cell(r);
        cells[i].wire = slice_of(from, (size_t)(r->next - from));
    }
}

bool row_split(const struct shape *shape, struct row *row)
{
    struct reader r = reader_of(row->payload.data, row->payload.len);
    if (shape->binary)
        split_binary(shape, &r, row->cells);
    else
        split_text(shape, &r, row->cells);
    return !r.bad && reader_left(&r) == 0;
}

/* ---- keeping ---- */

void kept_row_fini(struct kept_row *k)
{
    buf_fini(&k->bytes);
    mem_free(k->row.cells);
}

void kept_row_set(struct kept_row *k, const struct shape *shape, const struct row *row)
{
    buf_clear(&k->bytes);
    buf_append_slice(&k->bytes, row->payload);
    k->row.payload = buf_slice(&k->bytes);
    if (!k->row.cells)
        k->row.cells = mem_array(shape->count, sizeof *k->row.cells);
    k->is_set = row_split(shape, &k->row);
}

/* ---- making ---- */

void row_begin(struct buf *out, bool binary, size_t count)
{
    size_t size = binary ? 1 + bitmap_size(count) : 0;
    buf_clear(out);
    if (size)
        memset(buf_reserve(out, size), 0, size);
    buf_commit(out, size);
}

void row_wire(struct buf *out, struct slice wire)
{
    buf_append_slice(out, wire);
}

void row_null(struct buf *out, bool binary, size_t column)
{
    size_t bit = column + BITMAP_OFFSET;
    if (binary)
        buf_begin(out)[1 + bit / BITS] |= (uint8_t)(1u << bit % BITS);
    else
        write_u8(out, ROW_NULL);
}

void row_bytes(struct buf *out, struct slice bytes)
{
    write_lenenc_slice(out, bytes);
}
