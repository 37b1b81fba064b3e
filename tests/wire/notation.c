#include "tests/wire/notation.h"

#include <ctype.h>
#include <stdlib.h>

#include "wire/command.h"
#include "wire/handshake.h"
#include "wire/response.h"

enum { MOST_ARGUMENTS = 12 };

/* One argument of NAME(…): a number, or text. */
struct argument {
    struct slice name; /* of NAME=…, else empty */
    bool is_text;
    unsigned long long number;
    struct buf text;
};

struct call {
    struct argument arguments[MOST_ARGUMENTS];
    size_t count;
};

struct notation {
    const char *next, *end;
    const char *why; /* NULL: understood so far */
    struct surroundings *around;
    struct pattern *out;
};

void pattern_init(struct pattern *p)
{
    buf_init(&p->bytes);
    buf_init(&p->matches);
    p->open = false;
    p->times = 1;
}

void pattern_fini(struct pattern *p)
{
    buf_fini(&p->bytes);
    buf_fini(&p->matches);
}

/* ---- flags and commands by name ---- */

static const struct {
    const char *name;
    unsigned long long bits;
} flags[] = {
#define CAPABILITY_ROW(bit, name, manual, offered, note) { #name, UINT64_C(1) << (bit) },
#define STATUS_ROW(bits, name, note) { #name, bits },
#include "wire/capabilities.def"
#include "wire/status.def"
#undef CAPABILITY_ROW
#undef STATUS_ROW
};

bool notation_flag(struct slice name, unsigned long long *ret)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        *ret = flags[i].bits;
        if (slice_ieq_cstr(name, flags[i].name))
            return true;
    }
    return false;
}

static bool command_byte(struct slice name, uint8_t *ret)
{
    for (int byte = 0; byte <= UINT8_MAX; byte++) {
        const struct command_info *info = command_info((uint8_t)byte);
        *ret = (uint8_t)byte;
        if (info && slice_eq(name, slice_cstr(info->name)))
            return true;
    }
    return false;
}

/* ---- reading ---- */

static void fail(struct notation *n, const char *why)
{
    if (!n->why)
        n->why = why;
    n->next = n->end;
}

static void skip_space(struct notation *n)
{
    while (n->next < n->end && isspace((unsigned char)*n->next))
        n->next++;
}

static bool take(struct notation *n, char c)
{
    skip_space(n);
    bool there = n->next < n->end && *n->next == c;
    n->next += there;
    return there;
}

static struct slice read_word(struct notation *n)
{
    const char *start = n->next;
    while (n->next < n->end && (isalnum((unsigned char)*n->next) || *n->next == '_'))
        n->next++;
    return slice_of(start, (size_t)(n->next - start));
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10
                                        : -1;
}

/* The quote is taken already. Knows \n, \0, \\, \" and \xHH. */
static void read_string(struct notation *n, struct buf *out)
{
    while (n->next < n->end && *n->next != '"') {
        char c = *n->next++;
        if (c == '\\' && n->next < n->end) {
            c = *n->next++;
            if (c == 'x' && n->end - n->next >= 2) {
                c = (char)(hex_digit(n->next[0]) << 4 | hex_digit(n->next[1]));
                n->next += 2;
            } else {
                c = c == 'n' ? '\n' : c == '0' ? '\0' : c;
            }
        }
        buf_append_byte(out, (uint8_t)c);
    }
    if (!take(n, '"'))
        fail(n, "a string without an end");
}

static unsigned long long number_of(struct notation *n, struct slice word)
{
    unsigned long long value = 0;
    char *end = NULL;
    if (word.len && isdigit((unsigned char)*word.data)) {
        value = strtoull(word.data, &end, 0);
        if (end == word.data + word.len)
            return value;
    } else if (notation_flag(word, &value)) {
        return value;
    }
    fail(n, "neither a number nor the name of a flag");
    return 0;
}

/* 12, 0x0c, or flags: autocommit|in_trans */
static unsigned long long read_number(struct notation *n, struct slice first)
{
    unsigned long long value = number_of(n, first);
    while (!n->why && take(n, '|'))
        value |= number_of(n, read_word(n));
    return value;
}

static void read_argument(struct notation *n, struct argument *a)
{
    struct slice word = slice_of("", 0);
    buf_init(&a->text);
    skip_space(n);
    if (n->next < n->end && *n->next != '"') {
        word = read_word(n);
        if (take(n, '=')) {
            a->name = word;
            skip_space(n);
            word = n->next < n->end && *n->next == '"' ? slice_of("", 0) : read_word(n);
        }
    }
    a->is_text = !word.len;
    if (!a->is_text)
        a->number = read_number(n, word);
    else if (take(n, '"'))
        read_string(n, &a->text);
    else
        fail(n, "an argument is missing");
}

static void read_call(struct notation *n, struct call *c)
{
    *c = (struct call){ 0 };
    if (!take(n, '(') || take(n, ')'))
        return;
    do {
        if (c->count == MOST_ARGUMENTS) {
            fail(n, "too many arguments");
            return;
        }
        read_argument(n, &c->arguments[c->count++]);
    } while (!n->why && take(n, ','));
    if (!take(n, ')'))
        fail(n, "`)` is missing");
}

static void call_fini(struct call *c)
{
    for (size_t i = 0; i < c->count; i++)
        buf_fini(&c->arguments[i].text);
}

/* ---- arguments ---- */

static const struct argument *find(const struct call *c, const char *name, size_t position)
{
    size_t at = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct argument *a = &c->arguments[i];
        if (a->name.len ? slice_eq(a->name, slice_cstr(name)) : at++ == position)
            return a;
    }
    return NULL;
}

enum { BY_NAME = MOST_ARGUMENTS }; /* a position that no argument has */

static unsigned long long number(const struct call *c, const char *name, size_t position,
                                 unsigned long long otherwise)
{
    const struct argument *a = find(c, name, position);
    return a ? a->number : otherwise;
}

static struct slice text(const struct call *c, const char *name, size_t position,
                         const char *otherwise)
{
    const struct argument *a = find(c, name, position);
    return a ? buf_slice(&a->text) : slice_cstr(otherwise);
}

/* ---- what the names mean ---- */

static void write_ok(struct buf *b, const struct call *c, uint8_t header)
{
    struct ok_packet ok = {
        .affected_rows = number(c, "affected", BY_NAME, 0),
        .last_insert_id = number(c, "id", BY_NAME, 0),
        .status = (uint16_t)number(c, "status", 0, STATUS_AUTOCOMMIT),
        .warnings = (uint16_t)number(c, "warnings", BY_NAME, 0),
        .info = text(c, "info", BY_NAME, ""),
        .session_state = text(c, "state", BY_NAME, ""),
    };
    ok_write(b, &ok, header, CAP_SESSION_TRACK);
}

static void write_err(struct buf *b, const struct call *c)
{
    struct err_packet e = { .code = (uint16_t)number(c, "code", 0, 0),
                            .message = text(c, "message", 2, "") };
    struct slice state = text(c, "state", 1, "");
    if (state.len == 5)
        memcpy(e.sqlstate, state.data, 5);
    err_write(b, &e, state.len == 5 ? CAP_PROTOCOL_41 : 0);
}

/* Of a table, or computed. */
static void write_column(struct notation *n, const struct call *c, bool of_table)
{
    struct slice name = text(c, "name", 0, "c");
    struct column_def column = {
        .schema = text(c, "schema", BY_NAME, of_table ? n->around->schema : ""),
        .table = text(c, "table", BY_NAME, of_table ? "t" : ""),
        .org_table = text(c, "table", BY_NAME, of_table ? "t" : ""),
        .name = name,
        .org_name = of_table ? name : slice_of("", 0),
        .charset = (uint16_t)number(c, "charset", BY_NAME, 45),
        .length = (uint32_t)number(c, "length", BY_NAME, 10),
        .type = (uint8_t)number(c, "type", BY_NAME, TYPE_VAR_STRING),
        .flags = (uint16_t)number(c, "flags", BY_NAME, 0),
        .decimals = (uint8_t)number(c, "decimals", BY_NAME, 0),
        .extended = text(c, "extended", BY_NAME, ""),
    };
    bool extended = find(c, "extended", BY_NAME);
    column_def_write(&n->out->bytes, &column, extended ? CAP_MARIADB_EXTENDED_METADATA : 0);
}

static void write_param(struct buf *b, const struct call *c)
{
    struct column_def param = { .name = SLICE_LIT("?"), .charset = 63, .type = TYPE_VAR_STRING,
                                .extended = text(c, "extended", BY_NAME, "") };
    bool extended = find(c, "extended", BY_NAME);
    column_def_write(b, &param, extended ? CAP_MARIADB_EXTENDED_METADATA : 0);
}

/* The client's proof of its password for the nonce that it got last. */
static void write_proof(struct notation *n, const struct call *c)
{
    uint8_t proof[32];
    if (buf_len(&n->around->nonce) != NONCE_SIZE) {
        fail(n, "no nonce has been seen");
        return;
    }
    enum auth_plugin plugin = auth_plugin_of(text(c, "plugin", 1, "caching_sha2_password"));
    size_t len =
        auth_prove(plugin, text(c, "password", 0, "secret"), buf_begin(&n->around->nonce), proof);
    buf_append(&n->out->bytes, proof, len);
}

/* Bytes that are not known beforehand. */
static void leave_open(struct notation *n, const struct call *c, enum match match)
{
    size_t count = (size_t)number(c, "count", 0, 1), before = buf_len(&n->out->bytes);
    while (buf_len(&n->out->matches) < before)
        buf_append_byte(&n->out->matches, MATCH_EXACT);
    for (size_t i = 0; i < count; i++) {
        buf_append_byte(&n->out->bytes, 0);
        buf_append_byte(&n->out->matches, (uint8_t)match);
    }
}

static bool is(struct slice word, const char *name)
{
    return slice_eq(word, slice_cstr(name));
}

static bool write_integer(struct buf *b, struct slice word, const struct call *c)
{
    unsigned long long value = number(c, "value", 0, 0);
    if (is(word, "u8"))
        write_u8(b, (uint8_t)value);
    else if (is(word, "u16"))
        write_u16(b, (uint16_t)value);
    else if (is(word, "u24"))
        write_u24(b, (uint32_t)value);
    else if (is(word, "u32"))
        write_u32(b, (uint32_t)value);
    else if (is(word, "u64"))
        write_u64(b, value);
    else if (is(word, "lenenc"))
        write_lenenc(b, value);
    else
        return false;
    return true;
}

static bool write_packet(struct notation *n, struct slice word, const struct call *c)
{
    struct buf *b = &n->out->bytes;
    if (is(word, "ok"))
        write_ok(b, c, 0x00);
    else if (is(word, "end"))
        write_ok(b, c, 0xfe);
    else if (is(word, "eof"))
        eof_write(b, (uint16_t)number(c, "warnings", BY_NAME, 0),
                  (uint16_t)number(c, "status", 0, STATUS_AUTOCOMMIT));
    else if (is(word, "err"))
        write_err(b, c);
    else if (is(word, "column"))
        write_column(n, c, true);
    else if (is(word, "computed"))
        write_column(n, c, false);
    else if (is(word, "param"))
        write_param(b, c);
    else
        return false;
    return true;
}

static void write_cstr(struct buf *b, struct slice s)
{
    buf_append_slice(b, s);
    buf_append_byte(b, 0);
}

static void write_named(struct notation *n, struct slice word, const struct call *c)
{
    uint8_t byte;
    if (command_byte(word, &byte))
        buf_append_byte(&n->out->bytes, byte);
    else if (is(word, "cstr"))
        write_cstr(&n->out->bytes, text(c, "text", 0, ""));
    else if (is(word, "times"))
        n->out->times = (unsigned)number(c, "count", 0, 1);
    else if (is(word, "lstr"))
        write_lenenc_slice(&n->out->bytes, text(c, "text", 0, ""));
    else if (is(word, "schema"))
        buf_append_cstr(&n->out->bytes, n->around->schema);
    else if (is(word, "proof"))
        write_proof(n, c);
    else if (is(word, "any"))
        leave_open(n, c, MATCH_ANY);
    else if (is(word, "nonce"))
        leave_open(n, c, MATCH_NONCE);
    else if (!write_integer(&n->out->bytes, word, c) && !write_packet(n, word, c))
        fail(n, "a word that is not known");
}

/* ---- items ---- */

static bool is_hex(struct slice word)
{
    for (size_t i = 0; i < word.len; i++)
        if (hex_digit(word.data[i]) < 0)
            return false;
    return word.len && word.len % 2 == 0;
}

static void write_hex(struct buf *b, struct slice word)
{
    for (size_t i = 0; i < word.len; i += 2)
        buf_append_byte(b, (uint8_t)(hex_digit(word.data[i]) << 4 | hex_digit(word.data[i + 1])));
}

/* `*N` behind an item: N times in all. */
static void repeat(struct notation *n, size_t before)
{
    struct buf *b = &n->out->bytes;
    size_t len = buf_len(b) - before;
    skip_space(n);
    size_t all = len * (size_t)number_of(n, read_word(n));
    buf_reserve(b, all);
    for (size_t have = len; have < all; have = buf_len(b) - before)
        buf_append(b, buf_begin(b) + before, have < all - have ? have : all - have);
    b->end = b->start + before + all;
}

static void read_item(struct notation *n)
{
    size_t before = buf_len(&n->out->bytes);
    if (take(n, '"')) {
        read_string(n, &n->out->bytes);
    } else {
        struct slice word = read_word(n);
        if (is_hex(word)) {
            write_hex(&n->out->bytes, word);
        } else {
            struct call c;
            read_call(n, &c);
            write_named(n, word, &c);
            call_fini(&c);
        }
    }
    if (take(n, '*'))
        repeat(n, before);
}

static bool take_dots(struct notation *n)
{
    skip_space(n);
    bool dots = n->end - n->next >= 3 && memcmp(n->next, "...", 3) == 0;
    n->next += dots ? 3 : 0;
    return dots;
}

bool notation_read(struct slice *line, struct surroundings *around, struct pattern *ret,
                   const char **ret_why)
{
    struct notation n = {
        .next = line->data, .end = line->data + line->len, .around = around, .out = ret
    };
    for (skip_space(&n); n.next < n.end && !take(&n, ';'); skip_space(&n)) {
        if (take_dots(&n))
            ret->open = true;
        else
            read_item(&n);
    }
    *ret_why = n.why;
    *line = slice_of(n.next, (size_t)(n.end - n.next));
    return !n.why;
}

/* ---- comparing ---- */

static enum match match_at(const struct pattern *p, size_t i)
{
    return i < buf_len(&p->matches) ? (enum match)buf_begin(&p->matches)[i] : MATCH_EXACT;
}

static void keep_nonce(struct surroundings *around, uint8_t byte)
{
    if (buf_len(&around->nonce) >= NONCE_SIZE)
        buf_clear(&around->nonce);
    buf_append_byte(&around->nonce, byte);
}

bool pattern_fits(const struct pattern *p, struct slice payload, struct surroundings *around,
                  size_t *ret_at)
{
    size_t len = buf_len(&p->bytes);
    for (size_t i = 0; i < len; i++) {
        *ret_at = i;
        if (i >= payload.len)
            return false;
        enum match match = match_at(p, i);
        uint8_t byte = (uint8_t)payload.data[i];
        if ((match == MATCH_EXACT && byte != buf_begin(&p->bytes)[i]) ||
            (match == MATCH_NONCE && byte == 0))
            return false;
        if (match == MATCH_NONCE)
            keep_nonce(around, byte);
    }
    *ret_at = len;
    return payload.len == len || p->open;
}
