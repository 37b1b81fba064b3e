#include "wire/stmt.h"

#include "wire/command.h"
#include "wire/packet.h"

enum {
    HEADER_OK = 0x00,
    COUNT_AVAILABLE = 0x08, /* of an EXECUTE's flags: PARAMETER_COUNT_AVAILABLE */
    PARAMS_MAX = 0xffff,
};

bool prepare_ok_parse(struct slice payload, struct prepare_ok *ret)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint8_t header = read_u8(&r);
    ret->statement_id = read_u32(&r);
    ret->columns = read_u16(&r);
    ret->params = read_u16(&r);
    read_u8(&r);
    ret->warnings = read_u16(&r);
    return !r.bad && header == HEADER_OK;
}

void prepare_ok_write(struct buf *b, const struct prepare_ok *p)
{
    write_u8(b, HEADER_OK);
    write_u32(b, p->statement_id);
    write_u16(b, p->columns);
    write_u16(b, p->params);
    write_u8(b, 0);
    write_u16(b, p->warnings);
}

/* How the value of a type is laid out (page_protocol_binary_resultset). Up to LAYOUT_FIXED
 * the layout is the number of bytes. */
enum layout {
    LAYOUT_NONE = 0, /* NULL */
    LAYOUT_FIXED = 8,
    LAYOUT_DATETIME, /* a length byte of 0, 4, 7, 11 or (with a time zone) 13, then as many bytes */
    LAYOUT_TIME,     /* the same with 0, 8 or 12 */
    LAYOUT_STRING,   /* length-encoded */
    LAYOUT_UNKNOWN,
};

static enum layout layout_of(uint8_t type)
{
    switch (type) {
    case TYPE_NULL:
        return LAYOUT_NONE;
    case TYPE_TINY:
        return 1;
    case TYPE_SHORT:
    case TYPE_YEAR:
        return 2;
    case TYPE_LONG:
    case TYPE_INT24:
    case TYPE_FLOAT:
        return 4;
    case TYPE_LONGLONG:
    case TYPE_DOUBLE:
        return 8;
    case TYPE_DATE:
    case TYPE_DATETIME:
    case TYPE_TIMESTAMP:
        return LAYOUT_DATETIME;
    case TYPE_TIME:
        return LAYOUT_TIME;
    case TYPE_DECIMAL:
    case TYPE_VARCHAR:
    case TYPE_BIT:
        return LAYOUT_STRING;
    default:
        return type >= TYPE_JSON ? LAYOUT_STRING : LAYOUT_UNKNOWN;
    }
}

static bool read_temporal(struct reader *r, enum layout layout)
{
    uint8_t n = read_u8(r);
    read_bytes(r, n);
    if (layout == LAYOUT_TIME)
        return n == 0 || n == 8 || n == 12;
    return n == 0 || n == 4 || n == 7 || n == 11 || n == 13;
}

/* Takes the value of p's type off r; false when the type or its length is not one that the
 * protocol has. A packet that is too short shows in r. */
static bool read_value(struct reader *r, struct execute_param *p)
{
    const uint8_t *start = r->next;
    struct slice content = slice_of(NULL, 0);
    enum layout layout = layout_of(p->type.type);
    bool good = layout != LAYOUT_UNKNOWN;
    if (layout <= LAYOUT_FIXED)
        read_bytes(r, layout);
    else if (layout == LAYOUT_STRING)
        content = read_lenenc_slice(r);
    else
        good = good && read_temporal(r, layout);
    p->value = slice_of(start, (size_t)(r->next - start));
    p->content = content.data ? content : p->value;
    return good;
}

static bool bit_of(struct slice bitmap, size_t i)
{
    return bitmap.len > i / 8 && ((unsigned char)bitmap.data[i / 8] >> (i % 8) & 1);
}

static void read_types(struct reader *r, struct execute_param *params, size_t count, bool named)
{
    for (size_t i = 0; i < count && !r->bad; i++) {
        params[i].type.type = read_u8(r);
        params[i].type.flags = read_u8(r);
        if (named)
            (void)read_lenenc_slice(r);
    }
}

static enum err_code cut_short(struct slice payload, struct err *reterr)
{
    return err_set(reterr, MQ_PROTOCOL, "COM_STMT_EXECUTE of %zu bytes is cut short", payload.len);
}

/* The server looks at long data first, then at the bitmap, then at the type. */
static enum err_code read_params(struct reader *r, struct slice nulls, size_t own, size_t count,
                                 const bool *long_data, struct execute_param *params,
                                 struct err *reterr)
{
    for (size_t i = 0; i < count; i++) {
        struct execute_param *p = &params[i];
        p->value = p->content = slice_of("", 0);
        p->long_data = long_data && i < own && long_data[i];
        p->null = !p->long_data && (bit_of(nulls, i) || p->type.type == TYPE_NULL);
        if (p->long_data || p->null)
            continue;
        if (!read_value(r, p) && !r->bad)
            return err_set(reterr, MQ_PARAMETER_VALUES,
                           "parameter %zu: type %u is not known or its length is not allowed",
                           i + 1, p->type.type);
    }
    return MQ_OK;
}

/* The statement's own types are remembered; attributes behind them bring theirs each time. */
static enum err_code read_bound(struct reader *r, size_t count, size_t all, bool named,
                                struct param_type *types, bool *has_types, struct execute *e,
                                struct err *reterr)
{
    e->types_bound = read_u8(r) == 1;
    if (e->types_bound)
        read_types(r, e->params, all, named);
    if (r->bad)
        return MQ_OK; /* the caller says so */
    if (!e->types_bound && (!*has_types || all > count))
        return err_set(reterr, MQ_PARAMETER_VALUES, "the parameters' types were never sent");
    *has_types = true;
    for (size_t i = 0; i < count; i++) {
        if (e->types_bound)
            types[i] = e->params[i].type;
        else
            e->params[i].type = types[i];
    }
    return MQ_OK;
}

/* With query attributes the packet counts its values: the statement's, then those. */
static size_t read_count(struct reader *r, size_t param_count, bool named)
{
    uint64_t count = named ? read_lenenc(r) : param_count;
    if (count < param_count || count > PARAMS_MAX)
        r->bad = true;
    return r->bad ? 0 : (size_t)count;
}

enum err_code execute_parse(struct slice payload, size_t param_count, bool attributes,
                            struct param_type *types, bool *has_types, const bool *long_data,
                            struct arena *arena, struct execute *ret, struct err *reterr)
{
    struct reader r = reader_of(payload.data, payload.len);
    *ret = (struct execute){ 0 };
    if (read_u8(&r) != COM_STMT_EXECUTE)
        return err_set(reterr, MQ_PROTOCOL, "not a COM_STMT_EXECUTE");
    ret->statement_id = read_u32(&r);
    ret->flags = read_u8(&r);
    ret->iterations = read_u32(&r);
    bool counts = attributes && (param_count || (ret->flags & COUNT_AVAILABLE));
    size_t count = read_count(&r, param_count, counts);
    if (r.bad || count == 0)
        return r.bad ? cut_short(payload, reterr) : MQ_OK;
    struct slice nulls = read_bytes(&r, (count + 7) / 8);
    ret->params = arena_array(arena, struct execute_param, count);
    enum err_code code =
        read_bound(&r, param_count, count, attributes, types, has_types, ret, reterr);
    if (!code && !r.bad)
        code = read_params(&r, nulls, param_count, count, long_data, ret->params, reterr);
    if (!code && r.bad)
        return cut_short(payload, reterr);
    if (!code && reader_left(&r))
        return err_set(reterr, MQ_PROTOCOL, "COM_STMT_EXECUTE has %zu bytes behind its values",
                       reader_left(&r));
    return code;
}

static enum err_code bad_attributes(struct err *reterr)
{
    return err_set(reterr, MQ_PROTOCOL, "the query attributes of a COM_QUERY are malformed");
}

enum err_code query_skip_attributes(struct slice *body, struct arena *arena, struct err *reterr)
{
    struct reader r = reader_of(body->data, body->len);
    size_t count = read_count(&r, 0, true);
    uint64_t sets = read_lenenc(&r);
    if (r.bad || sets != 1)
        return bad_attributes(reterr);
    if (count) {
        struct slice nulls = read_bytes(&r, (count + 7) / 8);
        struct execute_param *params = arena_array(arena, struct execute_param, count);
        bool bound = read_u8(&r) == 1;
        read_types(&r, params, count, true);
        if (!bound || r.bad || read_params(&r, nulls, 0, count, NULL, params, NULL) || r.bad)
            return bad_attributes(reterr);
    }
    *body = read_rest(&r);
    return MQ_OK;
}

static uint8_t *put_nulls(uint8_t *p, const struct execute_param *params, size_t count)
{
    size_t size = (count + 7) / 8;
    memset(p, 0, size);
    for (size_t i = 0; i < count; i++)
        if (params[i].null)
            p[i / 8] |= (uint8_t)(1u << (i % 8));
    return p + size;
}

static bool is_sent(const struct execute_param *p)
{
    return !p->null && !p->long_data && p->value.len;
}

static size_t params_size(const struct execute_param *params, size_t count)
{
    size_t size = (count + 7) / 8 + 1 + 2 * count;
    for (size_t i = 0; i < count; i++)
        size += is_sent(&params[i]) ? params[i].value.len : 0;
    return size;
}

/* Which are NULL, all types, and the values. */
static void write_params(struct buf *b, const struct execute_param *params, size_t count)
{
    size_t size = params_size(params, count);
    uint8_t *p = put_nulls(buf_reserve(b, size), params, count);
    *p++ = 1; /* types follow */
    for (size_t i = 0; i < count; i++) {
        *p++ = params[i].type.type;
        *p++ = params[i].type.flags;
    }
    for (size_t i = 0; i < count; i++)
        if (is_sent(&params[i]))
            p = (uint8_t *)memcpy(p, params[i].value.data, params[i].value.len) + params[i].value.len;
    buf_commit(b, size);
}

void execute_write(struct buf *b, uint32_t statement_id, uint8_t flags,
                   const struct execute_param *params, size_t param_count)
{
    write_u8(b, COM_STMT_EXECUTE);
    write_u32(b, statement_id);
    write_u8(b, flags);
    write_u32(b, 1); /* iterations: servers know no other number */
    if (param_count)
        write_params(b, params, param_count);
}

void stmt_close_write(struct buf *b, uint32_t statement_id)
{
    uint8_t seq = 0;
    size_t mark = packet_open(b);
    write_u8(b, COM_STMT_CLOSE);
    write_u32(b, statement_id);
    packet_close(b, mark, &seq);
}

struct execute_param execute_unsigned(struct arena *arena, uint64_t value)
{
    enum { SIZE = 8, UNSIGNED_FLAG = 0x80 };
    uint8_t *bytes = arena_alloc(arena, SIZE);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    struct slice wire = slice_of(bytes, SIZE);
    return (struct execute_param){ .type = { TYPE_LONGLONG, UNSIGNED_FLAG }, .value = wire,
                                   .content = wire };
}

struct execute_param execute_string(struct arena *arena, struct slice bytes)
{
    uint8_t prefix[LENENC_MAX];
    size_t prefix_len = lenenc_encode(prefix, bytes.len);
    char *value = arena_alloc(arena, prefix_len + bytes.len);
    memcpy(value, prefix, prefix_len);
    if (bytes.len)
        memcpy(value + prefix_len, bytes.data, bytes.len);
    return (struct execute_param){
        .type = { TYPE_VAR_STRING, 0 },
        .value = slice_of(value, prefix_len + bytes.len),
        .content = slice_of(value + prefix_len, bytes.len),
    };
}
