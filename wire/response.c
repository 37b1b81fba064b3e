#include "wire/response.h"

#include "wire/packet.h"

enum {
    HEADER_OK = 0x00,
    HEADER_EOF = 0xfe,
    HEADER_ERR = 0xff,
    EOF_SIZE = 5,
    SQLSTATE_SIZE = 5,
    COLUMN_FIXED_SIZE = 12, /* bytes behind the names of a column definition */
    ROW_NULL = 0xfb,
};

/* Servers write info with its length even where the manual says "rest of the packet", and
 * clients read it so; nothing at all stands for an empty one. */
void ok_write(struct buf *b, const struct ok_packet *ok, uint8_t header, uint64_t capabilities)
{
    bool state = (capabilities & CAP_SESSION_TRACK) && (ok->status & STATUS_STATE_CHANGED);
    write_u8(b, header);
    write_lenenc(b, ok->affected_rows);
    write_lenenc(b, ok->last_insert_id);
    write_u16(b, ok->status);
    write_u16(b, ok->warnings);
    if (ok->info.len || state)
        write_lenenc_slice(b, ok->info);
    if (state)
        write_lenenc_slice(b, ok->session_state);
}

/* Without CAP_SESSION_TRACK a server that keeps to the manual sends info without a length:
 * a first byte that is not exactly the length of the rest belongs to the text. */
static struct slice read_info(struct reader *r, uint64_t capabilities)
{
    if (capabilities & CAP_SESSION_TRACK)
        return read_lenenc_slice(r);
    struct reader prefixed = *r;
    struct slice info = read_lenenc_slice(&prefixed);
    return !prefixed.bad && reader_left(&prefixed) == 0 ? info : read_rest(r);
}

bool ok_parse(struct slice payload, uint64_t capabilities, struct ok_packet *ret)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint8_t header = read_u8(&r);
    *ret = (struct ok_packet){ .info = slice_of("", 0), .session_state = slice_of("", 0) };
    ret->affected_rows = read_lenenc(&r);
    ret->last_insert_id = read_lenenc(&r);
    ret->status = read_u16(&r);
    ret->warnings = read_u16(&r);
    if (reader_left(&r))
        ret->info = read_info(&r, capabilities);
    if ((capabilities & CAP_SESSION_TRACK) && (ret->status & STATUS_STATE_CHANGED) &&
        reader_left(&r))
        ret->session_state = read_lenenc_slice(&r);
    return !r.bad && (header == HEADER_OK || header == HEADER_EOF);
}

static void err_write_parts(struct buf *b, uint16_t code, const char *sqlstate,
                            struct slice message, uint64_t capabilities)
{
    write_u8(b, HEADER_ERR);
    write_u16(b, code);
    if (capabilities & CAP_PROTOCOL_41) {
        write_u8(b, '#');
        buf_append(b, sqlstate, SQLSTATE_SIZE);
    }
    buf_append_slice(b, message);
}

void err_write(struct buf *b, const struct err_packet *e, uint64_t capabilities)
{
    err_write_parts(b, e->code, e->sqlstate, e->message, capabilities);
}

bool err_parse(struct slice payload, struct err_packet *ret)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint8_t header = read_u8(&r);
    *ret = (struct err_packet){ .sqlstate = "HY000" };
    ret->code = read_u16(&r);
    if (reader_left(&r) > SQLSTATE_SIZE && *r.next == '#') {
        read_u8(&r);
        memcpy(ret->sqlstate, read_bytes(&r, SQLSTATE_SIZE).data, SQLSTATE_SIZE);
    }
    ret->message = read_rest(&r);
    return !r.bad && header == HEADER_ERR;
}

void err_write_catalogue(struct buf *b, const struct err *e, uint64_t capabilities)
{
    const struct err_info *info = err_info(e->code);
    char text[ERR_TEXT_MAX + 16];
    size_t len = err_format(e, text, sizeof text);
    err_write_parts(b, info->mysql_errno, info->sqlstate, slice_of(text, len), capabilities);
}

/* An OK has them behind its two numbers and the status, an EOF behind its header. */
void warnings_set(uint8_t *payload, size_t len, uint16_t warnings, uint64_t capabilities)
{
    struct reader r = reader_of(payload, len);
    uint8_t header = read_u8(&r);
    if (header != HEADER_EOF || (capabilities & CAP_DEPRECATE_EOF)) {
        (void)read_lenenc(&r);
        (void)read_lenenc(&r);
        (void)read_u16(&r);
    }
    size_t at = len - reader_left(&r);
    if (r.bad || len - at < 2)
        return;
    payload[at] = (uint8_t)warnings;
    payload[at + 1] = (uint8_t)(warnings >> 8);
}

void eof_write(struct buf *b, uint16_t warnings, uint16_t status)
{
    uint8_t *p = buf_reserve(b, EOF_SIZE);
    p[0] = HEADER_EOF;
    put_u16(p + 1, warnings);
    put_u16(p + 3, status);
    buf_commit(b, EOF_SIZE);
}

bool eof_parse(struct slice payload, uint16_t *ret_warnings, uint16_t *ret_status)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint8_t header = read_u8(&r);
    *ret_warnings = read_u16(&r);
    *ret_status = read_u16(&r);
    return !r.bad && header == HEADER_EOF && payload.len == EOF_SIZE;
}

void column_def_write(struct buf *b, const struct column_def *c, uint64_t capabilities)
{
    write_lenenc_slice(b, SLICE_LIT("def"));
    write_lenenc_slice(b, c->schema);
    write_lenenc_slice(b, c->table);
    write_lenenc_slice(b, c->org_table);
    write_lenenc_slice(b, c->name);
    write_lenenc_slice(b, c->org_name);
    if (capabilities & CAP_MARIADB_EXTENDED_METADATA)
        write_lenenc_slice(b, c->extended);
    write_lenenc(b, COLUMN_FIXED_SIZE);
    write_u16(b, c->charset);
    write_u32(b, c->length);
    write_u8(b, c->type);
    write_u16(b, c->flags);
    write_u8(b, c->decimals);
    write_u16(b, 0);
}

bool column_def_parse(struct slice payload, uint64_t capabilities, struct column_def *ret)
{
    struct reader r = reader_of(payload.data, payload.len);
    read_lenenc_slice(&r); /* the catalogue, always "def" */
    ret->schema = read_lenenc_slice(&r);
    ret->table = read_lenenc_slice(&r);
    ret->org_table = read_lenenc_slice(&r);
    ret->name = read_lenenc_slice(&r);
    ret->org_name = read_lenenc_slice(&r);
    ret->extended = capabilities & CAP_MARIADB_EXTENDED_METADATA ? read_lenenc_slice(&r)
                                                                 : slice_of("", 0);
    struct slice fixed = read_lenenc_slice(&r);
    if (r.bad || fixed.len < COLUMN_FIXED_SIZE)
        return false;
    struct reader f = reader_of(fixed.data, fixed.len);
    ret->charset = read_u16(&f);
    ret->length = read_u32(&f);
    ret->type = read_u8(&f);
    ret->flags = read_u16(&f);
    ret->decimals = read_u8(&f);
    return true;
}

static void write_columns(struct buf *b, uint8_t *seq, const struct text_result *result,
                          uint64_t capabilities)
{
    size_t mark = packet_open(b);
    write_lenenc(b, result->column_count);
    packet_close(b, mark, seq);
    for (size_t i = 0; i < result->column_count; i++) {
        mark = packet_open(b);
        column_def_write(b, &result->columns[i], capabilities);
        packet_close(b, mark, seq);
    }
}

static void write_text_row(struct buf *b, const struct text_result *result,
                           const struct slice *values)
{
    for (size_t i = 0; i < result->column_count; i++) {
        if (values[i].data)
            write_lenenc_slice(b, values[i]);
        else
            write_u8(b, ROW_NULL);
    }
}

void binary_row_open(struct buf *payload, const struct slice *values, size_t count)
{
    uint8_t nulls = 0;
    write_u8(payload, HEADER_OK);
    for (size_t bit = 2; bit < count + 2; bit++) { /* the first two are reserved */
        if (!values[bit - 2].data)
            nulls |= (uint8_t)(1u << bit % 8);
        if (bit % 8 == 7 || bit == count + 1) {
            write_u8(payload, nulls);
            nulls = 0;
        }
    }
}

/* Two's complement; what is no number is 0. */
static uint64_t integer_of(struct slice text)
{
    unsigned long long value = 0;
    bool negative = text.len && text.data[0] == '-';
    (void)slice_to_u64(slice_of(text.data + negative, text.len - negative), &value);
    return negative ? 0 - value : value;
}

void binary_value_write(struct buf *payload, uint8_t type, struct slice text)
{
    switch (type) {
    case TYPE_TINY:
        write_u8(payload, (uint8_t)integer_of(text));
        break;
    case TYPE_SHORT:
        write_u16(payload, (uint16_t)integer_of(text));
        break;
    case TYPE_LONG:
        write_u32(payload, (uint32_t)integer_of(text));
        break;
    case TYPE_LONGLONG:
        write_u64(payload, integer_of(text));
        break;
    default:
        write_lenenc_slice(payload, text);
    }
}

static void write_binary_row(struct buf *b, const struct text_result *result,
                             const struct slice *values)
{
    binary_row_open(b, values, result->column_count);
    for (size_t i = 0; i < result->column_count; i++)
        if (values[i].data)
            binary_value_write(b, result->columns[i].type, values[i]);
}

static void write_eof_packet(struct buf *b, uint8_t *seq, uint16_t warnings, uint16_t status)
{
    size_t mark = packet_open(b);
    eof_write(b, warnings, status);
    packet_close(b, mark, seq);
}

static void write_ok_packet(struct buf *b, uint8_t *seq, const struct ok_packet *ok,
                            uint64_t capabilities)
{
    size_t mark = packet_open(b);
    ok_write(b, ok, HEADER_EOF, capabilities);
    packet_close(b, mark, seq);
}

typedef void row_writer(struct buf *b, const struct text_result *result,
                        const struct slice *values);

static void write_result(struct buf *b, uint8_t *seq, const struct text_result *result,
                         row_writer *write_row, uint64_t capabilities, const struct ok_packet *end)
{
    bool eof = !(capabilities & CAP_DEPRECATE_EOF);
    write_columns(b, seq, result, capabilities);
    if (eof)
        write_eof_packet(b, seq, 0, end->status);
    for (size_t i = 0; i < result->row_count; i++) {
        size_t mark = packet_open(b);
        write_row(b, result, result->rows + i * result->column_count);
        packet_close(b, mark, seq);
    }
    if (eof)
        write_eof_packet(b, seq, end->warnings, end->status);
    else
        write_ok_packet(b, seq, end, capabilities);
}

void text_result_write(struct buf *b, uint8_t *seq, const struct text_result *result,
                       uint64_t capabilities, uint16_t status, uint16_t warnings)
{
    write_result(b, seq, result, write_text_row, capabilities,
                 &(struct ok_packet){ .status = status, .warnings = warnings });
}

void binary_result_write(struct buf *b, uint8_t *seq, const struct text_result *result,
                         uint64_t capabilities, uint16_t status, uint16_t warnings)
{
    write_result(b, seq, result, write_binary_row, capabilities,
                 &(struct ok_packet){ .status = status, .warnings = warnings });
}
