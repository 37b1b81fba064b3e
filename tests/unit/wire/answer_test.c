#include "tests/unit/wire/wire_test.h"

#include "base/memory.h"
#include "wire/answer.h"
#include "wire/packet.h"

/* Payloads as servers send them, in hex; "|" ends a packet. */
#define COUNT_1 "01|"
#define COUNT_2 "02|"
#define DEF "03 646566 00 00 00 01 61 00 0c 3f00 01000000 08 8100 00 0000|"
#define EOF_ "fe 0000 0200|"
#define EOF_MORE "fe 0000 0a00|"
#define EOF_CURSOR "fe 0000 4200|"
#define EOF_CURSOR_MORE "fe 0000 4a00|"
#define OK_FE "fe 00 00 0200 0000|"
#define OK_FE_MORE "fe 00 00 0a00 0000|"
#define OK_FE_CURSOR "fe 00 00 4200 0000|"
#define OK_00 "00 01 07 0300 0200|"
#define OK_MORE "00 00 00 0a00 0000|"
#define ERR "ff 2804 23 3432303030 6e6f|"
#define ROW "01 31|"
#define ROW_NULL "fb|"
#define ROW_BINARY "00 00 01000000|"

/* What each packet is taken for, one letter each. */
static const char letters[] = {
    [ANSWER_NEED_MORE] = '.',    [ANSWER_BAD] = '!',          [ANSWER_OK] = 'o',
    [ANSWER_ERR] = 'e',          [ANSWER_COLUMN_COUNT] = 'n', [ANSWER_COLUMN_DEF] = 'c',
    [ANSWER_COLUMNS_EOF] = '/',  [ANSWER_ROW] = 'r',          [ANSWER_ROWS_END] = 'z',
    [ANSWER_LOCAL_INFILE] = 'l', [ANSWER_PREPARE_OK] = 'P',   [ANSWER_PARAM_DEF] = 'p',
    [ANSWER_PARAMS_EOF] = ':',   [ANSWER_TEXT] = 't',
};

#define OLD CAP_PROTOCOL_41
#define NEW (CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF)

struct answer_case {
    const char *why;
    enum answer_kind kind;
    uint64_t capabilities;
    const char *packets, *want;
    bool ended;
};

static const struct answer_case cases[] = {
    { "OK", ANSWER_QUERY, OLD, OK_00, "o", true },
    { "ERR", ANSWER_QUERY, OLD, ERR, "e", true },
    { "rows, EOF packets", ANSWER_QUERY, OLD, COUNT_2 DEF DEF EOF_ ROW ROW_NULL EOF_, "ncc/rrz",
      true },
    { "rows, no EOF packets", ANSWER_QUERY, NEW, COUNT_2 DEF DEF ROW ROW_NULL OK_FE, "nccrrz",
      true },
    { "no rows", ANSWER_QUERY, OLD, COUNT_1 DEF EOF_ EOF_, "nc/z", true },
    { "no rows, no EOF packets", ANSWER_QUERY, NEW, COUNT_1 DEF OK_FE, "ncz", true },
    { "binary rows begin like OK", ANSWER_QUERY, NEW, COUNT_1 DEF ROW_BINARY OK_FE, "ncrz", true },
    { "an empty value begins like OK", ANSWER_QUERY, OLD, COUNT_1 DEF EOF_ "00|" EOF_, "nc/rz",
      true },
    { "NULL first begins like LOCAL INFILE", ANSWER_QUERY, NEW, COUNT_1 DEF "fb 0131|" OK_FE,
      "ncrz", true },
    { "0xFE with 9 bytes is a row in the old protocol", ANSWER_QUERY, OLD,
      COUNT_1 DEF EOF_ "fe 0000000000000000|" EOF_, "nc/rz", true },
    { "0xFE with more ends the rows in the new one", ANSWER_QUERY, NEW,
      COUNT_1 DEF "fe 00 00 0200 0000 03 616263|", "ncz", true },
    { "ERR amid rows", ANSWER_QUERY, OLD, COUNT_1 DEF EOF_ ROW ERR, "nc/re", true },
    { "ERR instead of a definition", ANSWER_QUERY, NEW, COUNT_2 DEF ERR, "nce", true },
    { "several results", ANSWER_QUERY, OLD, OK_MORE COUNT_1 DEF EOF_MORE ROW EOF_MORE OK_00,
      "onc/rzo", true },
    { "several results, the second fails", ANSWER_QUERY, NEW, COUNT_1 DEF ROW OK_FE_MORE ERR,
      "ncrze", true },
    { "more was promised", ANSWER_QUERY, NEW, OK_MORE, "o", false },
    { "an open cursor sends no rows", ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_CURSOR, "nc/", true },
    { "the same without EOF packets", ANSWER_CURSOR, NEW, COUNT_1 DEF OK_FE_CURSOR, "ncz", true },
    { "none was opened", ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_ ROW EOF_, "nc/rz", true },
    { "none was asked for: it is a stored program's", ANSWER_QUERY, OLD,
      COUNT_1 DEF EOF_CURSOR ROW EOF_CURSOR, "nc/rz", true },
    { "the same within a CALL with a cursor", ANSWER_CURSOR, OLD,
      COUNT_1 DEF EOF_CURSOR_MORE EOF_CURSOR_MORE OK_00, "nc/zo", true },
    { "LOCAL INFILE", ANSWER_QUERY, OLD, "fb 2f6574632f|" ERR, "le", true },
    { "LOCAL INFILE, taken", ANSWER_QUERY, OLD, "fb 61|" OK_00, "lo", true },
    { "LOCAL INFILE is no way to rows", ANSWER_QUERY, OLD, "fb 61|" COUNT_1, "l!", false },
    { "prepare: nothing to describe", ANSWER_PREPARE, OLD, "00 01000000 0000 0000 00 0000|", "P",
      true },
    { "prepare: parameters", ANSWER_PREPARE, OLD, "00 01000000 0000 0200 00 0000|" DEF DEF EOF_,
      "Ppp:", true },
    { "prepare: columns", ANSWER_PREPARE, OLD, "00 01000000 0100 0000 00 0000|" DEF EOF_, "Pc/",
      true },
    { "prepare: both", ANSWER_PREPARE, OLD, "00 01000000 0100 0100 00 0000|" DEF EOF_ DEF EOF_,
      "Pp:c/", true },
    { "prepare: both, no EOF packets", ANSWER_PREPARE, NEW,
      "00 01000000 0100 0100 00 0000|" DEF DEF, "Ppc", true },
    { "prepare: columns only, no EOF packets", ANSWER_PREPARE, NEW,
      "00 01000000 0100 0000 00 0000|" DEF, "Pc", true },
    { "prepare: refused", ANSWER_PREPARE, NEW, ERR, "e", true },
    { "prepare: an OK that is too short", ANSWER_PREPARE, NEW, OK_00, "!", false },
    { "statistics", ANSWER_STRING, NEW, "55 70|", "t", true },
    { "statistics, empty", ANSWER_STRING, NEW, "|", "t", true },
    { "statistics, refused", ANSWER_STRING, NEW, ERR, "e", true },
    { "rows without a head", ANSWER_ROWS, OLD, ROW ROW EOF_, "rrz", true },
    { "rows without a head, no EOF packets", ANSWER_ROWS, NEW, ROW OK_FE, "rz", true },
    { "definitions", ANSWER_ROWS, OLD, DEF DEF EOF_, "rrz", true },
    { "nothing but the end", ANSWER_ROWS, OLD, EOF_, "z", true },
    { "refused instead", ANSWER_ROWS, NEW, ERR, "e", true },
    { "an empty packet", ANSWER_QUERY, OLD, "|", "!", false },
    { "an empty row", ANSWER_QUERY, NEW, COUNT_1 DEF "|", "nc!", false },
    { "an EOF before anything", ANSWER_QUERY, OLD, EOF_, "!", false },
    { "no columns", ANSWER_QUERY, OLD, "fc 0000|", "!", false },
    { "more columns than there can be", ANSWER_QUERY, OLD, "fd 000001|", "!", false },
    { "something behind the number of columns", ANSWER_QUERY, OLD, "01 01|", "!", false },
    { "an OK cut short", ANSWER_QUERY, OLD, "00 00 00 0200|", "!", false },
    { "an ERR cut short", ANSWER_QUERY, OLD, "ff 10|", "!", false },
    { "a progress report that nobody asked for", ANSWER_QUERY, OLD, "ff ffff 01 01 000000 00|", "!",
      false },
    { "an EOF where definitions are due", ANSWER_QUERY, OLD, COUNT_2 DEF EOF_, "nc!", false },
    { "a row where the EOF is due", ANSWER_QUERY, OLD, COUNT_1 DEF ROW, "nc!", false },
    { "an end of rows of the other protocol", ANSWER_QUERY, NEW, COUNT_1 DEF EOF_, "nc!", false },
    { "an end of rows of six bytes", ANSWER_QUERY, OLD, COUNT_1 DEF EOF_ "fe 0000 0200 00|", "nc/!",
      false },
};

static struct answer begun(const struct answer_case *c)
{
    struct answer a;
    answer_begin(&a, c->kind, c->capabilities);
    return a;
}

/* The next packet of a case into b; false at their end. */
static bool next_packet(const char **packets, struct buf *b)
{
    char hex[256];
    size_t len = strcspn(*packets, "|");
    if (!(*packets)[len])
        return false;
    assert_true(len < sizeof hex);
    memcpy(hex, *packets, len);
    hex[len] = '\0';
    *packets += len + 1;
    buf_clear(b);
    hex_append(b, hex);
    return true;
}

static enum answer_packet feed(struct answer *a, const struct buf *b)
{
    return answer_packet(a, buf_begin(b), buf_len(b), buf_len(b));
}

static void answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct answer_case *c = &cases[i];
        const char *packets = c->packets, *want = c->want;
        struct answer a = begun(c);
        struct buf b = { 0 };
        for (; next_packet(&packets, &b); want++) {
            if (a.ended)
                fail_msg("%s: ended before '%s'", c->why, want);
            char got = letters[feed(&a, &b)];
            if (got != *want)
                fail_msg("%s: '%c' instead of '%s'", c->why, got, want);
        }
        if (a.ended != c->ended || *want)
            fail_msg("%s: %s", c->why, a.ended ? "ended" : "not ended");
        buf_fini(&b);
    }
}

static void check_part(const struct answer *before, const struct buf *b, size_t have, char want,
                       const char *why)
{
    struct answer a;
    memcpy(&a, before, sizeof a); /* the padding too, for the comparison */
    uint8_t *data = exact_copy(buf_slice(b), have);
    char got = letters[answer_packet(&a, data, have, buf_len(b))];
    if (got == letters[ANSWER_NEED_MORE])
        assert_memory_equal(&a, before, sizeof a);
    else if (got != want)
        fail_msg("%s: '%c' instead of '%c' with %zu bytes", why, got, want, have);
    if (have && strchr("rcp", want))
        assert_int_equal(got, want); /* one byte is enough for these */
    free(data);
}

/* With part of a packet at hand the outcome is that of the whole, or it has to wait and
 * nothing has changed. */
static void every_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *packets = cases[i].packets, *want = cases[i].want;
        struct answer a = begun(&cases[i]);
        struct buf b = { 0 };
        for (; next_packet(&packets, &b); want++) {
            for (size_t have = 0; have < buf_len(&b); have++)
                check_part(&a, &b, have, *want, cases[i].why);
            feed(&a, &b);
        }
        buf_fini(&b);
    }
}

static void nothing_follows_the_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (!cases[i].ended)
            continue;
        const char *packets = cases[i].packets;
        struct answer a = begun(&cases[i]);
        struct buf b = { 0 };
        while (next_packet(&packets, &b))
            feed(&a, &b);
        assert_int_equal(answer_packet(&a, (const uint8_t *)"\1", 1, 1), ANSWER_BAD);
        buf_fini(&b);
    }
}

static void cursors_are_opened(void **state)
{
    static const struct {
        enum answer_kind kind;
        uint64_t capabilities;
        const char *packets;
        bool opened;
    } rows[] = {
        { ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_CURSOR, true },
        { ANSWER_CURSOR, NEW, COUNT_1 DEF OK_FE_CURSOR, true },
        { ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_ EOF_, false },
        { ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_ EOF_CURSOR, false },
        { ANSWER_CURSOR, NEW, COUNT_1 DEF ROW OK_FE_CURSOR, false },
        { ANSWER_CURSOR, NEW, COUNT_1 DEF OK_FE, false },
        { ANSWER_CURSOR, OLD, COUNT_1 DEF EOF_CURSOR_MORE EOF_CURSOR_MORE OK_00, false },
        { ANSWER_QUERY, NEW, COUNT_1 DEF OK_FE_CURSOR, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *packets = rows[i].packets;
        struct buf b = { 0 };
        struct answer a;
        answer_begin(&a, rows[i].kind, rows[i].capabilities);
        while (next_packet(&packets, &b))
            feed(&a, &b);
        assert_true(a.ended);
        if (a.cursor_opened != rows[i].opened)
            fail_msg("row %zu", i);
        buf_fini(&b);
    }
}

static void outcome_is_kept(void **state)
{
    (void)state;
    const char *packets = OK_00 ERR;
    struct buf b = { 0 };
    struct answer a;
    answer_begin(&a, ANSWER_QUERY, OLD);
    assert_true(next_packet(&packets, &b));
    feed(&a, &b);
    assert_true(a.ok.affected_rows == 1 && a.ok.last_insert_id == 7);
    assert_true(a.ok.status == 3 && a.ok.warnings == 2);
    answer_begin(&a, ANSWER_QUERY, OLD);
    assert_true(next_packet(&packets, &b));
    feed(&a, &b);
    assert_int_equal(a.err.code, 1064);
    assert_string_equal(a.err.sqlstate, "42000");
    assert_slice(a.err.message, SLICE_LIT("no"), "message");
    buf_fini(&b);
}

static void to_rows(struct answer *a, uint64_t capabilities)
{
    const char *packets = capabilities & CAP_DEPRECATE_EOF ? COUNT_1 DEF : COUNT_1 DEF EOF_;
    struct buf b = { 0 };
    answer_begin(a, ANSWER_QUERY, capabilities);
    while (next_packet(&packets, &b))
        feed(a, &b);
    buf_fini(&b);
}

/* The second and later fragments may begin with any byte, those that mean something else
 * included; only their lengths count. */
static void rows_in_fragments(void **state)
{
    (void)state;
    static const uint64_t capabilities[] = { OLD, NEW };
    static const uint8_t firsts[] = { 0x00, 0x01, 0xfb, 0xfe, 0xff };
    for (size_t i = 0; i < COUNT(capabilities) * COUNT(firsts); i++) {
        uint8_t first = firsts[i / 2];
        struct answer a;
        to_rows(&a, capabilities[i % 2]);
        assert_int_equal(answer_packet(&a, (const uint8_t *)"\xfe", 1, PACKET_MAX), ANSWER_ROW);
        assert_int_equal(answer_packet(&a, &first, 1, PACKET_MAX), ANSWER_ROW);
        assert_int_equal(answer_packet(&a, &first, 1, 5), ANSWER_ROW);
        assert_int_equal(answer_packet(&a, (const uint8_t *)"\1x", 2, 2), ANSWER_ROW);
        assert_int_equal(answer_packet(&a, (const uint8_t *)"\xfd", 1, PACKET_MAX), ANSWER_ROW);
        assert_int_equal(answer_packet(&a, NULL, 0, 0), ANSWER_ROW); /* an exact multiple */
        assert_int_equal(answer_packet(&a, NULL, 0, 0), ANSWER_BAD);
    }
}

/* Nothing but a row fills a whole fragment, so nobody waits for 16 MiB of an OK. */
static void full_fragments_elsewhere_are_bad(void **state)
{
    (void)state;
    static const uint8_t firsts[] = { 0x00, 0x01, 0xfb, 0xff };
    for (size_t i = 0; i < COUNT(firsts); i++) {
        struct answer a;
        answer_begin(&a, ANSWER_QUERY, OLD);
        assert_int_equal(answer_packet(&a, &firsts[i], 1, PACKET_MAX), ANSWER_BAD);
        answer_begin(&a, ANSWER_PREPARE, OLD);
        assert_int_equal(answer_packet(&a, &firsts[i], 1, PACKET_MAX), ANSWER_BAD);
    }
    struct answer a;
    answer_begin(&a, ANSWER_QUERY, OLD);
    answer_packet(&a, (const uint8_t *)"\1", 1, 1);
    assert_int_equal(answer_packet(&a, (const uint8_t *)"\3", 1, PACKET_MAX), ANSWER_BAD);
    to_rows(&a, NEW);
    assert_int_equal(answer_packet(&a, (const uint8_t *)"\xff", 1, PACKET_MAX), ANSWER_BAD);
}

static void rows_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        uint64_t capabilities;
        size_t want;
    } skips[] = {
        { "nothing", "", OLD, 0 },
        { "a header", "02000005", OLD, 0 },
        { "a row", "02000005 0131", OLD, 6 },
        { "two rows and part of a third", "02000005 0131 01000006 fb 02000007 01", OLD, 11 },
        { "up to the EOF", "02000005 0131 05000006 fe00000200", OLD, 6 },
        { "up to the OK", "02000005 0131 07000006 fe000002000000", NEW, 6 },
        { "up to an ERR", "02000005 0131 03000006 ff1004", NEW, 6 },
        { "up to a row that looks like an end", "02000005 0131 09000006 fe0000000000000000", OLD,
          6 },
        { "up to an empty packet", "02000005 0131 00000006 02000007 0131", OLD, 6 },
        { "a fragment is left to the caller", "ffffff05 0131", OLD, 0 },
        { "binary rows", "02000005 0000 02000006 0001", NEW, 12 },
    };
    for (size_t i = 0; i < COUNT(skips); i++) {
        struct buf b = { 0 };
        struct slice s = hex_append(&b, skips[i].input);
        uint8_t *data = exact_copy(s, s.len);
        struct answer a;
        to_rows(&a, skips[i].capabilities);
        size_t got = answer_skip_rows(&a, data, s.len);
        if (got != skips[i].want)
            fail_msg("%s: %zu, want %zu", skips[i].why, got, skips[i].want);
        free(data);
        buf_fini(&b);
    }
}

static void only_rows_are_skipped(void **state)
{
    (void)state;
    struct answer a;
    const uint8_t *row = (const uint8_t *)"\2\0\0\1\1x";
    answer_begin(&a, ANSWER_QUERY, OLD);
    assert_int_equal(answer_skip_rows(&a, row, 6), 0);
    answer_packet(&a, (const uint8_t *)"\1", 1, 1);
    assert_int_equal(answer_skip_rows(&a, row, 6), 0);
    to_rows(&a, OLD);
    answer_packet(&a, (const uint8_t *)"\1", 1, PACKET_MAX);
    assert_int_equal(answer_skip_rows(&a, row, 6), 0); /* the rest of a row comes first */
    to_rows(&a, NEW);
    answer_packet(&a, (const uint8_t *)"\xfe\0\0\2\0\0\0", 7, 7);
    assert_true(a.ended);
    assert_int_equal(answer_skip_rows(&a, row, 6), 0);
}

/* A full-size first fragment is a complete packet, yet not a complete row. */
static void a_whole_fragment_is_not_skipped(void **state)
{
    (void)state;
    struct slice payload = slice_of(mem_zalloc(PACKET_MAX + 1), PACKET_MAX + 1);
    struct buf b = { 0 };
    uint8_t seq = 0;
    packet_append(&b, &seq, payload);
    struct answer a;
    to_rows(&a, NEW);
    assert_int_equal(answer_skip_rows(&a, buf_begin(&b), buf_len(&b)), 0);
    mem_free((void *)payload.data);
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(every_split),
        cmocka_unit_test(nothing_follows_the_end),
        cmocka_unit_test(cursors_are_opened),
        cmocka_unit_test(outcome_is_kept),
        cmocka_unit_test(rows_in_fragments),
        cmocka_unit_test(full_fragments_elsewhere_are_bad),
        cmocka_unit_test(rows_skipped),
        cmocka_unit_test(only_rows_are_skipped),
        cmocka_unit_test(a_whole_fragment_is_not_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
