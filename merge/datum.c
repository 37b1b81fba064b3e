#include "merge/datum.h"

/* ---- reading ---- */

static uint64_t little_endian(struct slice bytes)
{
    uint64_t v = 0;
    for (size_t i = bytes.len; i-- > 0;)
        v = v << 8 | (unsigned char)bytes.data[i];
    return v;
}

static int64_t extend_sign(uint64_t v, size_t width)
{
    unsigned unused = (unsigned)(64 - 8 * width);
    return (int64_t)(v << unused) >> unused;
}

/* An integer of 64 bits: where it lies, and whether below zero. */
struct integer {
    bool negative;
    uint64_t bits;
};

static bool read_text_integer(struct slice text, struct integer *ret)
{
    unsigned long long magnitude;
    bool minus = text.len && text.data[0] == '-';
    struct slice digits = minus ? slice_of(text.data + 1, text.len - 1) : text;
    if (!slice_to_u64(digits, &magnitude) || (minus && magnitude > (uint64_t)INT64_MAX + 1))
        return false;
    *ret = (struct integer){ minus && magnitude, minus ? -(uint64_t)magnitude : magnitude };
    return true;
}

static bool read_integer(const struct column *c, bool binary, struct slice cell,
                         struct integer *ret)
{
    if (!binary)
        return read_text_integer(cell, ret);
    uint64_t v = little_endian(cell);
    if (!c->is_unsigned)
        v = (uint64_t)extend_sign(v, cell.len);
    *ret = (struct integer){ !c->is_unsigned && (int64_t)v < 0, v };
    return true;
}

bool datum_of_cell(const struct column *c, bool binary, struct slice cell, struct datum *ret)
{
    struct integer n;
    *ret = (struct datum){ .kind = DATUM_NULL };
    if (!cell.data)
        return true;
    if (is_text_type(c->type)) {
        *ret = (struct datum){ .kind = DATUM_TEXT, .text = cell };
        return true;
    }
    ret->kind = DATUM_NUMBER;
    if (is_decimal_type(c->type))
        return decimal_parse(cell, &ret->number);
    if (!is_integer_type(c->type) || !read_integer(c, binary, cell, &n))
        return false;
    ret->number = n.negative ? decimal_of_signed((int64_t)n.bits) : decimal_of_unsigned(n.bits);
    return true;
}

bool datum_of_input(const struct merge_value *v, struct datum *ret)
{
    *ret = (struct datum){ .kind = DATUM_NUMBER };
    switch (v->kind) {
    case MERGE_VALUE_INTEGER:
        ret->number = v->negative ? decimal_of_signed((int64_t)v->number)
                                  : decimal_of_unsigned(v->number);
        return true;
    case MERGE_VALUE_DECIMAL:
        return decimal_parse(v->text, &ret->number);
    case MERGE_VALUE_TEXT:
        *ret = (struct datum){ .kind = DATUM_TEXT, .text = v->text };
        return true;
    default:
        ret->kind = DATUM_NULL;
        return true;
    }
}

struct datum datum_of_count(uint64_t count)
{
    return (struct datum){ .kind = DATUM_NUMBER, .number = decimal_of_unsigned(count) };
}

/* ---- comparing ---- */

static int order_of(bool less, bool more)
{
    return more - less;
}

static int compare_integers(struct integer a, struct integer b)
{
    if (a.negative != b.negative)
        return a.negative ? -1 : 1;
    return order_of(a.bits < b.bits, a.bits > b.bits);
}

/* The shorter one as if spaces followed: 'a' = 'a ', and 'a\t' < 'a'. */
static int compare_padded(struct slice a, struct slice b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    struct slice longer = a.len > b.len ? a : b;
    for (size_t i = common; i < longer.len && !order; i++) {
        int tail = (unsigned char)longer.data[i] - ' ';
        order = a.len > b.len ? tail : -tail;
    }
    return order_of(order < 0, order > 0);
}

static int compare_texts(enum merge_compare how, struct slice a, struct slice b)
{
    int order = how == MERGE_AS_TEXT ? compare_padded(a, b) : slice_cmp(a, b);
    return order_of(order < 0, order > 0);
}

static bool compares_numbers(enum merge_compare how)
{
    return how == MERGE_AS_INTEGER || how == MERGE_AS_DECIMAL;
}

bool datum_compare(enum merge_compare how, const struct datum *a, const struct datum *b, int *ret)
{
    if (a->kind == DATUM_NULL || b->kind == DATUM_NULL) {
        *ret = order_of(a->kind == DATUM_NULL && b->kind != DATUM_NULL, a->kind != DATUM_NULL);
        return true;
    }
    if (a->kind != b->kind || (a->kind == DATUM_NUMBER) != compares_numbers(how))
        return false;
    *ret = a->kind == DATUM_NUMBER ? decimal_compare(&a->number, &b->number)
                                   : compare_texts(how, a->text, b->text);
    return true;
}

static bool compare_exactly(enum merge_compare how, const struct column *c, bool binary,
                            struct slice a, struct slice b, int *ret)
{
    struct datum x, y;
    return datum_of_cell(c, binary, a, &x) && datum_of_cell(c, binary, b, &y) &&
           datum_compare(how, &x, &y, ret);
}

bool cells_compare(enum merge_compare how, const struct column *c, bool binary, struct slice a,
                   struct slice b, int *ret)
{
    struct integer x, y;
    if (!a.data || !b.data) {
        *ret = order_of(!a.data && b.data, a.data != NULL);
        return true;
    }
    if (!compares_numbers(how) && is_text_type(c->type)) {
        *ret = compare_texts(how, a, b);
        return true;
    }
    if (how != MERGE_AS_INTEGER || !is_integer_type(c->type))
        return compare_exactly(how, c, binary, a, b, ret);
    if (!read_integer(c, binary, a, &x) || !read_integer(c, binary, b, &y))
        return false;
    *ret = compare_integers(x, y);
    return true;
}

/* ---- writing ---- */

static bool to_bits(const struct decimal *d, bool is_unsigned, size_t width, uint64_t *ret)
{
    int64_t v;
    if (is_unsigned)
        return decimal_to_unsigned(d, ret) && (width == 8 || *ret >> (8 * width) == 0);
    if (!decimal_to_signed(d, &v) || extend_sign((uint64_t)v, width) != v)
        return false;
    *ret = (uint64_t)v;
    return true;
}

static bool write_decimal(const struct decimal *d, unsigned scale, struct buf *out)
{
    struct buf text;
    buf_init(&text);
    struct decimal rounded = decimal_round(d, scale);
    bool printed = decimal_print(&rounded, scale, &text);
    if (printed)
        row_bytes(out, buf_slice(&text));
    buf_fini(&text);
    return printed;
}

static bool write_integer(const struct decimal *d, const struct column *c, bool binary,
                          struct buf *out)
{
    uint64_t bits;
    size_t width = integer_width(c->type);
    if (!to_bits(d, c->is_unsigned, width, &bits))
        return false;
    if (!binary)
        return write_decimal(d, 0, out);
    for (size_t i = 0; i < width; i++)
        write_u8(out, (uint8_t)(bits >> (8 * i)));
    return true;
}

bool datum_write(const struct datum *d, const struct column *c, bool binary, size_t number,
                 struct buf *out)
{
    switch (d->kind) {
    case DATUM_NULL:
        row_null(out, binary, number);
        return true;
    case DATUM_TEXT:
        row_bytes(out, d->text);
        return is_text_type(c->type);
    default:
        if (is_integer_type(c->type))
            return write_integer(&d->number, c, binary, out);
        return is_decimal_type(c->type) && write_decimal(&d->number, c->decimals, out);
    }
}
