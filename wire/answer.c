#include "wire/answer.h"

#include "wire/packet.h"
#include "wire/stmt.h"

enum {
    HEADER_OK = 0x00,
    HEADER_LOCAL_INFILE = 0xfb, /* also the least byte that cannot open a column definition */
    HEADER_EOF = 0xfe,
    HEADER_ERR = 0xff,
    EOF_LIMIT = 9, /* without DEPRECATE_EOF a longer packet with 0xFE is a row */
    COLUMNS_MAX = 0xffff,
    ERR_PROGRESS = 0xffff, /* MariaDB's progress report, which nobody here asks for */
};

/* What the next packet is about. */
enum at {
    AT_HEAD,
    AT_PARAMS,
    AT_PARAMS_EOF,
    AT_COLUMNS,
    AT_COLUMNS_EOF,
    AT_ROWS,
    AT_OUTCOME, /* OK or ERR behind a LOCAL INFILE request */
    AT_END,
};

void answer_begin(struct answer *a, enum answer_kind kind, uint64_t capabilities)
{
    uint8_t state = kind == ANSWER_ROWS ? AT_ROWS : AT_HEAD;
    *a = (struct answer){ .state = state, .kind = (uint8_t)kind, .capabilities = capabilities };
}

static bool has_eof(const struct answer *a)
{
    return !(a->capabilities & CAP_DEPRECATE_EOF);
}

static void end(struct answer *a)
{
    a->state = AT_END;
    a->ended = true;
}

/* Nothing that follows can be trusted: every further packet is bad as well. */
static enum answer_packet bad(struct answer *a)
{
    a->state = AT_END;
    return ANSWER_BAD;
}

/* The end of one result; another one follows when its status says so. */
static enum answer_packet result_end(struct answer *a, enum answer_packet packet)
{
    a->results++;
    if (a->ok.status & STATUS_MORE_RESULTS)
        a->state = AT_HEAD;
    else
        end(a);
    return packet;
}

static enum answer_packet at_ok(struct answer *a, struct slice payload)
{
    if (!ok_parse(payload, a->capabilities, &a->ok))
        return bad(a);
    return result_end(a, ANSWER_OK);
}

static enum answer_packet at_err(struct answer *a, struct slice payload)
{
    if (!err_parse(payload, &a->err) || a->err.code == ERR_PROGRESS)
        return bad(a);
    end(a);
    return ANSWER_ERR;
}

static bool take_eof(struct answer *a, struct slice payload)
{
    a->ok = (struct ok_packet){ .info = slice_of("", 0), .session_state = slice_of("", 0) };
    return eof_parse(payload, &a->ok.warnings, &a->ok.status);
}

/* From the end of one list of definitions to the next thing. */
static void definitions_end(struct answer *a)
{
    bool params = a->state == AT_PARAMS || a->state == AT_PARAMS_EOF;
    if (params && a->prepared_columns) {
        a->state = AT_COLUMNS;
        a->definitions_left = a->prepared_columns;
    } else if (a->kind == ANSWER_PREPARE) {
        end(a);
    } else {
        a->state = AT_ROWS;
    }
}

static enum answer_packet at_definition(struct answer *a)
{
    enum answer_packet packet = a->state == AT_PARAMS ? ANSWER_PARAM_DEF : ANSWER_COLUMN_DEF;
    if (--a->definitions_left)
        return packet;
    if (has_eof(a))
        a->state = a->state == AT_PARAMS ? AT_PARAMS_EOF : AT_COLUMNS_EOF;
    else
        definitions_end(a);
    return packet;
}

bool answer_skip_head(struct answer *a, uint64_t columns)
{
    if (a->state != AT_HEAD || a->kind != ANSWER_QUERY || a->fragment_follows)
        return false;
    a->columns = columns;
    a->definitions_left = 0;
    a->state = AT_COLUMNS_EOF;
    if (!has_eof(a))
        definitions_end(a);
    return true;
}

/* Asked here, at the end of definitions. The bit alone says nothing: MariaDB also sets it in the
 * results of a stored program that has a cursor of its own. */
static bool opens_cursor(const struct answer *a)
{
    return a->kind == ANSWER_CURSOR &&
           (a->ok.status & (STATUS_CURSOR_EXISTS | STATUS_MORE_RESULTS)) == STATUS_CURSOR_EXISTS;
}

static enum answer_packet at_definitions_eof(struct answer *a, struct slice payload)
{
    enum answer_packet packet = a->state == AT_PARAMS_EOF ? ANSWER_PARAMS_EOF : ANSWER_COLUMNS_EOF;
    if (!take_eof(a, payload))
        return bad(a);
    a->cursor_opened = opens_cursor(a);
    if (a->cursor_opened)
        return result_end(a, packet);
    definitions_end(a);
    return packet;
}

static enum answer_packet at_rows_end(struct answer *a, struct slice payload)
{
    bool good = has_eof(a) ? take_eof(a, payload) : ok_parse(payload, a->capabilities, &a->ok);
    if (!good)
        return bad(a);
    a->cursor_opened = !has_eof(a) && !a->rows && opens_cursor(a);
    return result_end(a, ANSWER_ROWS_END);
}

static enum answer_packet at_column_count(struct answer *a, struct slice payload)
{
    struct reader r = reader_of(payload.data, payload.len);
    uint64_t columns = read_lenenc(&r);
    if (r.bad || reader_left(&r) || columns == 0 || columns > COLUMNS_MAX)
        return bad(a);
    a->columns = a->definitions_left = columns;
    a->rows = 0;
    a->state = AT_COLUMNS;
    return ANSWER_COLUMN_COUNT;
}

static enum answer_packet at_prepare_ok(struct answer *a, struct slice payload)
{
    struct prepare_ok p;
    if (!prepare_ok_parse(payload, &p))
        return bad(a);
    a->prepared_columns = p.columns;
    a->prepared_params = p.params;
    a->definitions_left = p.params;
    a->state = AT_PARAMS;
    if (p.params == 0)
        definitions_end(a);
    return ANSWER_PREPARE_OK;
}

static enum answer_packet at_head(struct answer *a, struct slice payload)
{
    uint8_t header = (uint8_t)payload.data[0];
    if (a->kind == ANSWER_STRING) {
        end(a);
        return ANSWER_TEXT;
    }
    if (a->kind == ANSWER_PREPARE)
        return at_prepare_ok(a, payload);
    if (header == HEADER_OK)
        return at_ok(a, payload);
    if (header == HEADER_LOCAL_INFILE) {
        a->state = AT_OUTCOME;
        return ANSWER_LOCAL_INFILE;
    }
    return at_column_count(a, payload);
}

/* Packets that are looked at whole. */
static enum answer_packet at_whole(struct answer *a, struct slice payload)
{
    uint8_t header = (uint8_t)payload.data[0];
    if (header == HEADER_ERR)
        return at_err(a, payload);
    switch (a->state) {
    case AT_HEAD:
        return at_head(a, payload);
    case AT_PARAMS_EOF:
    case AT_COLUMNS_EOF:
        return at_definitions_eof(a, payload);
    case AT_ROWS:
        return at_rows_end(a, payload);
    case AT_OUTCOME:
        return header == HEADER_OK ? at_ok(a, payload) : bad(a);
    default:
        return bad(a);
    }
}

/* A text row whose first value has 16 MiB or more opens with 0xFE as well, and is told from
 * the packet that ends the rows by its length. */
static bool is_row(const struct answer *a, uint8_t first, size_t len)
{
    if (first < HEADER_EOF)
        return true;
    return first == HEADER_EOF && (has_eof(a) ? len >= EOF_LIMIT : len == PACKET_MAX);
}

enum answer_packet answer_packet(struct answer *a, const uint8_t *payload, size_t have, size_t len)
{
    if (a->fragment_follows) {
        a->fragment_follows = len == PACKET_MAX;
        return ANSWER_ROW;
    }
    if (a->state == AT_END)
        return bad(a);
    if (len == 0)
        return a->state == AT_HEAD && a->kind == ANSWER_STRING ? at_head(a, SLICE_LIT("")) : bad(a);
    if (have == 0)
        return ANSWER_NEED_MORE;
    if (a->state == AT_ROWS && is_row(a, payload[0], len)) {
        a->fragment_follows = len == PACKET_MAX;
        a->rows++;
        return ANSWER_ROW;
    }
    if (len == PACKET_MAX)
        return bad(a);
    if ((a->state == AT_COLUMNS || a->state == AT_PARAMS) && payload[0] < HEADER_LOCAL_INFILE)
        return at_definition(a);
    if (have < len)
        return ANSWER_NEED_MORE;
    return at_whole(a, slice_of(payload, len));
}

size_t answer_skip_rows(struct answer *a, const uint8_t *data, size_t have)
{
    if (a->state != AT_ROWS || a->fragment_follows)
        return 0;
    const uint8_t *p = data;
    size_t left = have;
    uint64_t rows = 0;
    while (left > PACKET_HEADER) {
        size_t len = packet_length(p);
        /* Empty packets and fragments (one comparison for both) are answer_packet's, and so
         * is whatever may end the rows. */
        if (len - 1 >= PACKET_MAX - 1 || len > left - PACKET_HEADER ||
            p[PACKET_HEADER] >= HEADER_EOF)
            break;
        p += PACKET_HEADER + len;
        left -= PACKET_HEADER + len;
        rows++;
    }
    a->rows += rows;
    return have - left;
}
