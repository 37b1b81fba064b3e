#include "tests/unit/wire/wire_test.h"

#include "wire/packet.h"
#include "wire/response.h"

static void ok_reads(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        uint64_t capabilities;
        bool good;
        struct ok_packet want;
    } cases[] = {
        { "plain", "00 00 00 0200 0000", 0, true, { .status = 2 } },
        { "counts", "00 fcfb00 05 0300 0100", 0, true, { 251, 5, 3, 1, { "", 0 }, { "", 0 } } },
        { "info with its length",
          "00 01 00 0200 0000 02 6869",
          0,
          true,
          { 1, 0, 2, 0, { "hi", 2 }, { "", 0 } } },
        { "info as the rest",
          "00 01 00 0200 0000 6869",
          0,
          true,
          { 1, 0, 2, 0, { "hi", 2 }, { "", 0 } } },
        { "end of rows", "fe 00 00 2200 0000", CAP_DEPRECATE_EOF, true, { .status = 0x22 } },
        { "session state",
          "00 00 00 0240 0000 00 04 00020161",
          CAP_SESSION_TRACK,
          true,
          { 0, 0, 0x4002, 0, { "", 0 }, { "\0\2\1a", 4 } } },
        { "session state without the status bit is none",
          "00 00 00 0200 0000 01 61 04 00020161",
          CAP_SESSION_TRACK,
          true,
          { 0, 0, 2, 0, { "a", 1 }, { "", 0 } } },
        { "session state longer than the packet",
          "00 00 00 0240 0000 00 05 00020161",
          CAP_SESSION_TRACK,
          false,
          { 0 } },
        { "info longer than the packet",
          "00 00 00 0200 0000 05 61",
          CAP_SESSION_TRACK,
          false,
          { 0 } },
        { "cut in the warnings", "00 00 00 0200 00", 0, false, { 0 } },
        { "cut in a number", "00 fc00", 0, false, { 0 } },
        { "an illegal number", "00 fb 00 0200 0000", 0, false, { 0 } },
        { "another header", "01 00 00 0200 0000", 0, false, { 0 } },
        { "nothing", "", 0, false, { 0 } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct ok_packet got;
        bool good = ok_parse(hex_append(&b, cases[i].input), cases[i].capabilities, &got);
        if (good != cases[i].good)
            fail_msg("%s: %s", cases[i].why, good ? "taken" : "refused");
        if (good) {
            assert_true(got.affected_rows == cases[i].want.affected_rows);
            assert_true(got.last_insert_id == cases[i].want.last_insert_id);
            assert_int_equal(got.status, cases[i].want.status);
            assert_int_equal(got.warnings, cases[i].want.warnings);
            assert_slice(got.info, cases[i].want.info, cases[i].why);
            assert_slice(got.session_state, cases[i].want.session_state, cases[i].why);
        }
        buf_fini(&b);
    }
}

static void ok_comes_back(void **state)
{
    (void)state;
    static const uint64_t capabilities[] = { CAP_PROTOCOL_41, CAP_PROTOCOL_41 | CAP_SESSION_TRACK };
    struct ok_packet in = { .affected_rows = UINT64_MAX,
                            .last_insert_id = 1 << 20,
                            .status = STATUS_AUTOCOMMIT | STATUS_STATE_CHANGED,
                            .warnings = 3,
                            .info = SLICE_LIT("Records: 2  Duplicates: 0  Warnings: 0"),
                            .session_state = SLICE_LIT("\1\2\1d") };
    for (size_t i = 0; i < COUNT(capabilities); i++) {
        struct buf b = { 0 };
        struct ok_packet out;
        ok_write(&b, &in, 0x00, capabilities[i]);
        assert_true(ok_parse(buf_slice(&b), capabilities[i], &out));
        assert_true(out.affected_rows == in.affected_rows);
        assert_true(out.last_insert_id == in.last_insert_id);
        assert_slice(out.info, in.info, "info");
        assert_slice(out.session_state, i ? in.session_state : SLICE_LIT(""), "session state");
        buf_fini(&b);
    }
}

static void err_reads(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        bool good;
        uint16_t code;
        const char *sqlstate, *message;
    } cases[] = {
        { "usual", "ff 2804 23 3432303030 6e6f", true, 1064, "42000", "no" },
        { "no message", "ff 2804 23 3432303030", true, 1064, "42000", "" },
        { "before the greeting: no state", "ff 1004 546f6f206d616e79", true, 1040, "HY000",
          "Too many" },
        { "a message that only begins like a state", "ff 1004 23 3432", true, 1040, "HY000",
          "#42" },
        { "bare", "ff 1004", true, 1040, "HY000", "" },
        { "cut in the code", "ff 10", false, 0, NULL, NULL },
        { "another header", "fe 1004", false, 0, NULL, NULL },
        { "nothing", "", false, 0, NULL, NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct err_packet got;
        bool good = err_parse(hex_append(&b, cases[i].input), &got);
        if (good != cases[i].good)
            fail_msg("%s: %s", cases[i].why, good ? "taken" : "refused");
        if (good) {
            assert_int_equal(got.code, cases[i].code);
            assert_string_equal(got.sqlstate, cases[i].sqlstate);
            assert_slice(got.message, slice_cstr(cases[i].message), cases[i].why);
        }
        buf_fini(&b);
    }
}

static void err_writes(void **state)
{
    (void)state;
    struct buf b = { 0 }, want = { 0 };
    struct err_packet e = { 1040, "08004", SLICE_LIT("no") };
    err_write(&b, &e, CAP_PROTOCOL_41);
    assert_slice(buf_slice(&b), hex_append(&want, "ff 1004 23 3038303034 6e6f"), "with a state");
    buf_clear(&b);
    buf_clear(&want);
    err_write(&b, &e, 0);
    assert_slice(buf_slice(&b), hex_append(&want, "ff 1004 6e6f"), "before the reply");
    buf_fini(&b);
    buf_fini(&want);
}

static void catalogue_error(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct err e;
    struct err_packet got;
    err_set(&e, MQ_ACCESS_DENIED, "Access denied for user '%s'", "u");
    err_write_catalogue(&b, &e, CAP_PROTOCOL_41);
    assert_true(err_parse(buf_slice(&b), &got));
    assert_int_equal(got.code, 1045);
    assert_string_equal(got.sqlstate, "28000");
    assert_slice(got.message, SLICE_LIT("MQ4001: Access denied for user 'u'"), "message");
    buf_fini(&b);
}

static void eof_reads(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        bool good;
    } cases[] = {
        { "usual", "fe 0100 2200", true },         { "cut", "fe 0100 22", false },
        { "longer", "fe 0100 2200 00", false },    { "another header", "00 0100 2200", false },
        { "the old switch request", "fe", false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        uint16_t warnings, status;
        if (eof_parse(hex_append(&b, cases[i].input), &warnings, &status) != cases[i].good)
            fail_msg("%s", cases[i].why);
        if (cases[i].good)
            assert_true(warnings == 1 && status == 0x22);
        buf_fini(&b);
    }
}

static const struct column_def column = { .schema = SLICE_LIT("queue"),
                                          .table = SLICE_LIT("m"),
                                          .org_table = SLICE_LIT("queue_messages"),
                                          .name = SLICE_LIT("id"),
                                          .org_name = SLICE_LIT("id"),
                                          .charset = 255,
                                          .length = 1020,
                                          .type = TYPE_VAR_STRING,
                                          .flags = 0x1001,
                                          .decimals = 31 };

static void warnings_are_set_in_place(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t capabilities;
        const char *input, *want;
    } cases[] = {
        { "OK", CAP_PROTOCOL_41, "00 00 00 0200 0000", "00 00 00 0200 0102" },
        { "OK with large numbers", CAP_PROTOCOL_41, "00 fc2c01 fd701101 0200 0500 6869",
          "00 fc2c01 fd701101 0200 0102 6869" },
        { "EOF", CAP_PROTOCOL_41, "fe 0000 0200", "fe 0102 0200" },
        { "OK in place of EOF", CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF, "fe 00 00 0200 0000",
          "fe 00 00 0200 0102" },
        { "cut short", CAP_PROTOCOL_41, "00 00 00 0200 00", "00 00 00 0200 00" },
        { "nothing", CAP_PROTOCOL_41, "", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 }, want = { 0 };
        hex_append(&b, cases[i].input);
        warnings_set(buf_begin(&b), buf_len(&b), 0x0201, cases[i].capabilities);
        assert_slice(buf_slice(&b), hex_append(&want, cases[i].want), cases[i].why);
        buf_fini(&b);
        buf_fini(&want);
    }
}

static void column_def_comes_back(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct column_def got;
    column_def_write(&b, &column, 0);
    assert_true(column_def_parse(buf_slice(&b), 0, &got));
    assert_slice(got.schema, column.schema, "schema");
    assert_slice(got.table, column.table, "table");
    assert_slice(got.org_table, column.org_table, "org_table");
    assert_slice(got.name, column.name, "name");
    assert_slice(got.org_name, column.org_name, "org_name");
    assert_int_equal(got.charset, column.charset);
    assert_int_equal(got.length, column.length);
    assert_int_equal(got.type, column.type);
    assert_int_equal(got.flags, column.flags);
    assert_int_equal(got.decimals, column.decimals);
    for (size_t len = 0; len < buf_len(&b); len++) {
        uint8_t *data = exact_copy(buf_slice(&b), len);
        assert_false(column_def_parse(slice_of(data, len), 0, &got));
        free(data);
    }
    buf_fini(&b);
}

static void text_results(void **state)
{
    (void)state;
    const struct slice rows[] = { SLICE_LIT("a"), { NULL, 0 }, SLICE_LIT(""), SLICE_LIT("b") };
    const struct column_def columns[] = { { .name = SLICE_LIT("x"), .type = TYPE_VAR_STRING },
                                          { .name = SLICE_LIT("y"), .type = TYPE_VAR_STRING } };
    const struct text_result result = { columns, 2, rows, 2 };
    static const struct {
        const char *why;
        uint64_t capabilities;
        const char *want; /* behind the column definitions */
    } cases[] = {
        { "with EOF packets", CAP_PROTOCOL_41,
          "05000004 fe00000200 03000005 0161fb 03000006 000162 05000007 fe04000200" },
        { "without", CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF,
          "03000004 0161fb 03000005 000162 07000006 fe000002000400" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 }, tail = { 0 };
        uint8_t seq = 1;
        text_result_write(&b, &seq, &result, cases[i].capabilities, STATUS_AUTOCOMMIT, 4);
        struct slice want = hex_append(&tail, cases[i].want);
        struct slice got = buf_slice(&b);
        assert_slice(slice_of(got.data + got.len - want.len, want.len), want, cases[i].why);
        assert_memory_equal(got.data, "\1\0\0\1\2", 5);
        buf_fini(&b);
        buf_fini(&tail);
    }
}

/* The rows behind one definition for each column. */
static void binary_results(void **state)
{
    (void)state;
    static const uint8_t types[] = { TYPE_VAR_STRING, TYPE_TINY, TYPE_SHORT,   TYPE_LONG,
                                     TYPE_LONGLONG,   TYPE_BLOB, TYPE_LONGLONG };
    enum { COLUMNS = COUNT(types) };
    static const struct {
        const char *why;
        struct slice values[COLUMNS];
        const char *want;
    } cases[] = {
        { "all layouts",
          { SLICE_LIT("ab"), SLICE_LIT("255"), SLICE_LIT("258"), SLICE_LIT("70000"),
            SLICE_LIT("18446744073709551615"), SLICE_LIT(""), SLICE_LIT("1") },
          "00 0000 026162 ff 0201 70110100 ffffffffffffffff 00 0100000000000000" },
        { "negative numbers",
          { SLICE_LIT(""), SLICE_LIT("-1"), SLICE_LIT("-2"), SLICE_LIT("-2147483648"),
            SLICE_LIT("-9223372036854775808"), SLICE_LIT("x"), SLICE_LIT("0") },
          "00 0000 00 ff feff 00000080 0000000000000080 0178 0000000000000000" },
        { "NULLs, into the bitmap's second byte",
          { { NULL, 0 }, { NULL, 0 }, SLICE_LIT("1"), SLICE_LIT("1"), { NULL, 0 }, SLICE_LIT("x"),
            { NULL, 0 } },
          "00 4c01 0100 01000000 0178" },
        { "what is no number",
          { SLICE_LIT("-"), SLICE_LIT(""), SLICE_LIT("-"), SLICE_LIT("1x"), SLICE_LIT("--1"),
            SLICE_LIT("x"), SLICE_LIT("99999999999999999999") },
          "00 0000 012d 00 0000 00000000 0000000000000000 0178 0000000000000000" },
    };
    struct column_def columns[COLUMNS] = { 0 };
    for (size_t i = 0; i < COLUMNS; i++)
        columns[i].type = types[i];
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct text_result result = { columns, COLUMNS, cases[i].values, 1 };
        struct buf b = { 0 }, want = { 0 };
        uint8_t seq = 1;
        binary_result_write(&b, &seq, &result, CAP_PROTOCOL_41 | CAP_DEPRECATE_EOF,
                            STATUS_AUTOCOMMIT, 0);
        enum { HEAD = 5, DEFINITION = 4 + 22, END = 4 + 7 };
        struct slice row = buf_slice(&b);
        row.data += HEAD + COLUMNS * DEFINITION + 4;
        row.len -= HEAD + COLUMNS * DEFINITION + 4 + END;
        assert_slice(row, hex_append(&want, cases[i].want), cases[i].why);
        buf_fini(&b);
        buf_fini(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ok_reads),
        cmocka_unit_test(ok_comes_back),
        cmocka_unit_test(err_reads),
        cmocka_unit_test(err_writes),
        cmocka_unit_test(catalogue_error),
        cmocka_unit_test(eof_reads),
        cmocka_unit_test(warnings_are_set_in_place),
        cmocka_unit_test(column_def_comes_back),
        cmocka_unit_test(text_results),
        cmocka_unit_test(binary_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
