/* Answers of parts out of short texts, and the client's answer as such a text again.
 *
 *   columns  "id:int name:text"    int uint tiny dec2 text double
 *   a part   "1,a/2,~/"            rows, each with a slash behind it; ~ is NULL
 *            "1,a/!boom"           an error behind the first row
 *            "=3 Rows matched: 3"  an OK with affected rows and info
 *            "+2"                  behind all rows: warnings */
#ifndef MQ_TESTS_MERGE_CASE_H
#define MQ_TESTS_MERGE_CASE_H

#include "tests/unit/merge/merge_test.h"

#include "base/memory.h"
#include "merge/merge.h"
#include "wire/answer.h"
#include "wire/packet.h"
#include "wire/stmt.h"

enum { COLUMNS_MAX = 8, PARTS_MAX = 8, CELL_MAX = 256 };

struct columns {
    size_t count;
    struct column_def defs[COLUMNS_MAX];
};

/* How answers are written and fed. */
struct way {
    bool binary, parts_eof, client_eof;
    size_t piece; /* bytes that a part is fed with at a time */
    size_t bound; /* of merge_run */
};

static inline struct slice take_until(struct slice *s, char end)
{
    size_t n = 0;
    while (n < s->len && s->data[n] != end)
        n++;
    struct slice taken = slice_of(s->data, n);
    n += n < s->len;
    *s = slice_of(s->data + n, s->len - n);
    return taken;
}

static inline struct column_def column_of(struct slice name, struct slice type)
{
    struct column_def c = { .name = name, .charset = 63, .length = 20 };
    if (slice_eq(type, SLICE_LIT("int")))
        c.type = TYPE_LONGLONG;
    else if (slice_eq(type, SLICE_LIT("uint")))
        c.type = TYPE_LONGLONG, c.flags = COLUMN_UNSIGNED;
    else if (slice_eq(type, SLICE_LIT("tiny")))
        c.type = TYPE_TINY;
    else if (slice_eq(type, SLICE_LIT("double")))
        c.type = TYPE_DOUBLE, c.decimals = 31;
    else if (type.len == 4 && memcmp(type.data, "dec", 3) == 0)
        c.type = TYPE_NEWDECIMAL, c.decimals = (uint8_t)(type.data[3] - '0');
    else if (slice_eq(type, SLICE_LIT("blob")))
        c.type = TYPE_BLOB, c.charset = 45, c.decimals = 39;
    else
        c.type = TYPE_VAR_STRING, c.charset = 45;
    return c;
}

static inline struct columns columns_of(const char *text)
{
    struct columns c = { 0 };
    struct slice rest = slice_cstr(text);
    while (rest.len) {
        struct slice type = take_until(&rest, ' ');
        struct slice name = take_until(&type, ':');
        c.defs[c.count++] = column_of(name, type);
    }
    return c;
}

/* ---- writing a part's answer ---- */

static inline size_t integer_size(uint8_t type)
{
    return type == TYPE_TINY ? 1 : type == TYPE_LONGLONG ? 8 : 0;
}

static inline void write_binary_cell(struct buf *b, const struct column_def *c, struct slice cell)
{
    char text[CELL_MAX];
    memcpy(text, cell.data, cell.len);
    text[cell.len] = 0;
    double number = strtod(text, NULL);
    uint64_t bits = c->flags & COLUMN_UNSIGNED ? strtoull(text, NULL, 10)
                                               : (uint64_t)strtoll(text, NULL, 10);
    if (c->type == TYPE_DOUBLE)
        memcpy(&bits, &number, sizeof bits);
    size_t size = c->type == TYPE_DOUBLE ? 8 : integer_size(c->type);
    for (size_t i = 0; i < size; i++)
        write_u8(b, (uint8_t)(bits >> (8 * i)));
    if (!size)
        write_lenenc_slice(b, cell);
}

static inline void write_row(struct buf *b, const struct columns *c, struct slice row, bool binary)
{
    uint8_t bitmap[4] = { 0 };
    struct buf values;
    buf_init(&values);
    for (size_t i = 0; i < c->count; i++) {
        struct slice cell = take_until(&row, ',');
        if (!slice_eq(cell, SLICE_LIT("~"))) {
            if (binary)
                write_binary_cell(&values, &c->defs[i], cell);
            else
                write_lenenc_slice(&values, cell);
        } else if (binary) {
            bitmap[(i + 2) / 8] |= (uint8_t)(1u << (i + 2) % 8);
        } else {
            write_u8(&values, 0xfb);
        }
    }
    if (binary) {
        write_u8(b, 0);
        buf_append(b, bitmap, (c->count + 9) / 8);
    }
    buf_append_slice(b, buf_slice(&values));
    buf_fini(&values);
}

static inline void write_end_packet(struct buf *b, uint8_t *seq, uint16_t warnings, bool eof)
{
    struct ok_packet ok = { .status = 2, .warnings = warnings };
    size_t mark = packet_open(b);
    if (eof)
        eof_write(b, warnings, 2);
    else
        ok_write(b, &ok, 0xfe, CAP_DEPRECATE_EOF);
    packet_close(b, mark, seq);
}

static inline void write_error_packet(struct buf *b, uint8_t *seq, struct slice message)
{
    struct err_packet e = { .code = 1317, .sqlstate = "70100", .message = message };
    size_t mark = packet_open(b);
    err_write(b, &e, CAP_PROTOCOL_41);
    packet_close(b, mark, seq);
}

static inline void write_counts(struct buf *b, uint8_t *seq, struct slice text)
{
    struct slice number = take_until(&text, ' ');
    unsigned long long affected = 0;
    (void)slice_to_u64(number, &affected);
    struct ok_packet ok = { .affected_rows = affected, .status = 2, .warnings = 1, .info = text };
    size_t mark = packet_open(b);
    ok_write(b, &ok, 0x00, 0);
    packet_close(b, mark, seq);
}

static inline void write_head(struct buf *b, uint8_t *seq, const struct columns *c, bool eof)
{
    size_t mark = packet_open(b);
    write_lenenc(b, c->count);
    packet_close(b, mark, seq);
    for (size_t i = 0; i < c->count; i++) {
        mark = packet_open(b);
        column_def_write(b, &c->defs[i], 0);
        packet_close(b, mark, seq);
    }
    if (eof)
        write_end_packet(b, seq, 0, true);
}

static inline void write_part(struct buf *b, const struct columns *c, const char *text,
                              const struct way *way)
{
    uint8_t seq = 1;
    struct slice rest = slice_cstr(text);
    unsigned long long warnings = 0;
    if (*text == '=') {
        write_counts(b, &seq, slice_cstr(text + 1));
        return;
    }
    if (c->count && *text != '!')
        write_head(b, &seq, c, way->parts_eof);
    while (rest.len) {
        struct slice row = take_until(&rest, '/');
        if (row.len && row.data[0] == '!') {
            write_error_packet(b, &seq, slice_of(row.data + 1, row.len - 1));
            return;
        }
        if (row.len && row.data[0] == '+') {
            (void)slice_to_u64(slice_of(row.data + 1, row.len - 1), &warnings);
            continue;
        }
        size_t mark = packet_open(b);
        write_row(b, c, row, way->binary);
        packet_close(b, mark, &seq);
    }
    write_end_packet(b, &seq, (uint16_t)warnings, way->parts_eof);
}

/* ---- reading the client's ---- */

static inline void print_binary_cell(struct buf *out, const struct column_def *c, struct reader *r)
{
    uint64_t bits = 0;
    double number;
    size_t size = c->type == TYPE_DOUBLE ? 8 : integer_size(c->type);
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)read_u8(r) << (8 * i);
    memcpy(&number, &bits, sizeof number);
    if (c->type == TYPE_DOUBLE)
        buf_printf(out, "%g", number);
    else if (c->type == TYPE_TINY)
        buf_printf(out, "%d", (int8_t)bits);
    else if (size && c->flags & COLUMN_UNSIGNED)
        buf_printf(out, "%llu", (unsigned long long)bits);
    else if (size)
        buf_printf(out, "%lld", (long long)bits);
    else
        buf_append_slice(out, read_lenenc_slice(r));
}

static inline void print_row(struct buf *out, const struct columns *c, struct slice row,
                             bool binary)
{
    struct reader r = reader_of(row.data, row.len);
    const uint8_t *bitmap = r.next + 1;
    if (binary)
        (void)read_bytes(&r, 1 + (c->count + 9) / 8);
    for (size_t i = 0; i < c->count; i++) {
        bool null = binary && bitmap[(i + 2) / 8] >> (i + 2) % 8 & 1;
        if (i)
            buf_append_byte(out, ',');
        struct slice cell = binary ? slice_of(NULL, 0) : read_cell(&r);
        if (binary && !null)
            print_binary_cell(out, &c->defs[i], &r);
        else if (cell.data)
            buf_append_slice(out, cell);
        else
            buf_append_byte(out, '~');
    }
    assert_false(r.bad);
    assert_int_equal(reader_left(&r), 0);
    buf_append_byte(out, '/');
}

/* The client's packets, of which the last one may be missing. */
static inline void print_answer(struct buf *out, struct slice bytes, const struct way *way)
{
    struct answer a;
    struct columns c = { 0 };
    struct reader r = reader_of(bytes.data, bytes.len);
    uint8_t seq = 1;
    answer_begin(&a, ANSWER_QUERY, way->client_eof ? 0 : CAP_DEPRECATE_EOF);
    while (reader_left(&r)) {
        struct slice header = read_bytes(&r, PACKET_HEADER);
        assert_int_equal((uint8_t)header.data[3], seq++);
        struct slice payload = read_bytes(&r, packet_length((const uint8_t *)header.data));
        switch (answer_packet(&a, (const uint8_t *)payload.data, payload.len, payload.len)) {
        case ANSWER_COLUMN_DEF:
            assert_true(column_def_parse(payload, 0, &c.defs[c.count++]));
            break;
        case ANSWER_ROW:
            print_row(out, &c, payload, way->binary);
            break;
        case ANSWER_ROWS_END:
            buf_printf(out, "+%u", a.ok.warnings);
            break;
        case ANSWER_OK:
            buf_printf(out, "=%llu %.*s +%u", (unsigned long long)a.ok.affected_rows,
                       (int)a.ok.info.len, a.ok.info.data, a.ok.warnings);
            break;
        case ANSWER_COLUMN_COUNT:
        case ANSWER_COLUMNS_EOF:
            break;
        default:
            fail_msg("what is that?");
        }
    }
    assert_false(r.bad);
}

/* ---- running ---- */

/* Feeds what is wanted; false when nothing is. */
static inline bool feed_all(struct merge *m, struct buf *parts, size_t count, size_t piece)
{
    bool fed = false;
    for (size_t i = 0; i < count; i++) {
        size_t n = buf_len(&parts[i]) < piece ? buf_len(&parts[i]) : piece;
        if (!n || !merge_wants(m, i))
            continue;
        uint8_t *copy = malloc(n); /* a sanitizer sees a read past it */
        memcpy(copy, buf_begin(&parts[i]), n);
        merge_feed(m, i, copy, n);
        free(copy);
        buf_consume(&parts[i], n);
        fed = true;
    }
    return fed;
}

static inline void finish(struct merge *m, enum merge_outcome outcome, const struct err *e,
                          struct buf *ret)
{
    size_t part;
    if (outcome == MERGE_FAILED)
        buf_printf(ret, "!%s", err_info(e->code)->name);
    if (outcome == MERGE_REFUSED) {
        const struct err_packet *why = merge_refusal(m, &part);
        buf_printf(ret, "!%.*s of %zu", (int)why->message.len, why->message.data, part);
    }
    if (outcome == MERGE_WAITING)
        buf_append_cstr(ret, "waits");
}

/* What the client gets, as text, appended to ret. */
static inline void run_merge(const struct merge_recipe *recipe, const struct merge_inputs *inputs,
                             struct buf *parts, size_t count, const struct way *way,
                             struct buf *ret)
{
    struct merge_setting setting = {
        .capabilities = way->client_eof ? 0 : CAP_DEPRECATE_EOF,
        .part_capabilities = way->parts_eof ? 0 : CAP_DEPRECATE_EOF,
        .binary = way->binary,
        .status = 2,
        .average_digits = 4,
    };
    struct merge *m = merge_create(recipe, inputs, count, &setting);
    struct buf all, out;
    struct err e;
    uint8_t seq = 1;
    enum merge_outcome outcome;
    buf_init(&all);
    buf_init(&out);
    do {
        outcome = merge_run(m, &out, way->bound, &seq, &e);
        buf_append_slice(&all, buf_slice(&out));
        buf_clear(&out);
    } while (outcome == MERGE_FULL ||
             (outcome == MERGE_WAITING && feed_all(m, parts, count, way->piece)));
    print_answer(ret, buf_slice(&all), way);
    finish(m, outcome, &e, ret);
    for (size_t i = 0; i < count && outcome == MERGE_ENDED; i++)
        assert_true(merge_part_ended(m, i));
    merge_destroy(m);
    buf_fini(&all);
    buf_fini(&out);
}

#endif
