#include "tests/unit/wire/wire_test.h"

#include "wire/stmt.h"

#define HEAD "17 05000000 00 01000000 "

static void prepare_ok_comes_back(void **state)
{
    (void)state;
    struct buf b = { 0 }, want = { 0 };
    const struct prepare_ok in = { .statement_id = 9, .columns = 3, .params = 258, .warnings = 1 };
    struct prepare_ok out;
    prepare_ok_write(&b, &in);
    assert_slice(buf_slice(&b), hex_append(&want, "00 09000000 0300 0201 00 0100"), "bytes");
    assert_true(prepare_ok_parse(buf_slice(&b), &out));
    assert_int_equal(out.statement_id, in.statement_id);
    assert_int_equal(out.columns, in.columns);
    assert_int_equal(out.params, in.params);
    assert_int_equal(out.warnings, in.warnings);
    for (size_t len = 0; len < buf_len(&b); len++)
        assert_false(prepare_ok_parse(slice_of(buf_begin(&b), len), &out));
    buf_begin(&b)[0] = 0xfe;
    assert_false(prepare_ok_parse(buf_slice(&b), &out));
    buf_fini(&b);
    buf_fini(&want);
}

/* One parameter of each type, as it comes and what is seen of it. */
static void values_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint8_t type;
        const char *value, *content; /* content NULL: the same as value */
        enum err_code want;
    } cases[] = {
        { "TINY", TYPE_TINY, "7f", NULL, MQ_OK },
        { "SHORT", TYPE_SHORT, "3412", NULL, MQ_OK },
        { "YEAR", TYPE_YEAR, "e907", NULL, MQ_OK },
        { "LONG", TYPE_LONG, "78563412", NULL, MQ_OK },
        { "INT24", TYPE_INT24, "78563400", NULL, MQ_OK },
        { "FLOAT", TYPE_FLOAT, "0000803f", NULL, MQ_OK },
        { "LONGLONG", TYPE_LONGLONG, "ffffffffffffffff", NULL, MQ_OK },
        { "DOUBLE", TYPE_DOUBLE, "000000000000f03f", NULL, MQ_OK },
        { "VAR_STRING", TYPE_VAR_STRING, "03 616263", "616263", MQ_OK },
        { "an empty string", TYPE_STRING, "00", "", MQ_OK },
        { "BLOB with a longer prefix", TYPE_BLOB, "fc 0300 616263", "616263", MQ_OK },
        { "JSON", TYPE_JSON, "02 7b7d", "7b7d", MQ_OK },
        { "NEWDECIMAL", TYPE_NEWDECIMAL, "03 312e35", "312e35", MQ_OK },
        { "BIT", TYPE_BIT, "01 01", "01", MQ_OK },
        { "DATE", TYPE_DATE, "04 e9070102", NULL, MQ_OK },
        { "the zero date", TYPE_DATE, "00", NULL, MQ_OK },
        { "DATETIME", TYPE_DATETIME, "07 e9070102030405", NULL, MQ_OK },
        { "TIMESTAMP with microseconds", TYPE_TIMESTAMP, "0b e907010203040501000000", NULL, MQ_OK },
        { "DATETIME with a time zone", TYPE_DATETIME, "0d e9070102030405010000003c00", NULL,
          MQ_OK },
        { "TIME", TYPE_TIME, "08 0001000000020304", NULL, MQ_OK },
        { "TIME with microseconds", TYPE_TIME, "0c 000100000002030405000000", NULL, MQ_OK },
        { "a DATE of 5 bytes", TYPE_DATE, "05 0102030405", NULL, MQ_PARAMETER_VALUES },
        { "a TIME of 4 bytes", TYPE_TIME, "04 01020304", NULL, MQ_PARAMETER_VALUES },
        { "an unknown type", 14, "00", NULL, MQ_PARAMETER_VALUES },
        { "a type between the known ones", 200, "00", NULL, MQ_PARAMETER_VALUES },
        { "a LONG of 3 bytes", TYPE_LONG, "010203", NULL, MQ_PROTOCOL },
        { "a LONG of 5 bytes", TYPE_LONG, "0102030405", NULL, MQ_PROTOCOL },
        { "a string longer than the packet", TYPE_STRING, "04 616263", NULL, MQ_PROTOCOL },
        { "a string of 2^64-1 bytes", TYPE_STRING, "fe ffffffffffffffff 61", NULL, MQ_PROTOCOL },
        { "a NULL length", TYPE_STRING, "fb", NULL, MQ_PROTOCOL },
        { "a DATETIME cut short", TYPE_DATETIME, "0b e90701", NULL, MQ_PROTOCOL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 }, value = { 0 }, content = { 0 };
        struct arena arena = { 0 };
        hex_append(&b, HEAD "00 01");
        buf_append_byte(&b, cases[i].type);
        buf_append_byte(&b, 0x80);
        hex_append(&b, cases[i].value);
        struct param_type types[1];
        bool has_types = false;
        struct execute e;
        enum err_code got =
            execute_parse(buf_slice(&b), 1, false, types, &has_types, NULL, &arena, &e, NULL);
        if (got != cases[i].want)
            fail_msg("%s: %d, want %d", cases[i].why, got, cases[i].want);
        if (got == MQ_OK) {
            struct slice want = hex_append(&value, cases[i].value);
            assert_slice(e.params[0].value, want, cases[i].why);
            assert_slice(e.params[0].content,
                         cases[i].content ? hex_append(&content, cases[i].content) : want,
                         cases[i].why);
            assert_true(e.types_bound && has_types);
            assert_int_equal(types[0].type, cases[i].type);
            assert_int_equal(types[0].flags, 0x80);
        }
        arena_fini(&arena);
        buf_fini(&b);
        buf_fini(&value);
        buf_fini(&content);
    }
}

static void packets_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        size_t params;
        bool had_types;
        enum err_code want;
    } cases[] = {
        { "no parameters", HEAD, 0, false, MQ_OK },
        { "no parameters, but more bytes, which servers do not read", HEAD "00 01", 0, false,
          MQ_OK },
        { "bound before", HEAD "00 00 02 6162", 1, true, MQ_OK },
        { "never bound", HEAD "00 00 02 6162", 1, false, MQ_PARAMETER_VALUES },
        { "bound again", HEAD "00 01 0100 05", 1, true, MQ_OK },
        { "NULL", HEAD "01 01 fd00", 1, false, MQ_OK },
        { "the type NULL without its bit", HEAD "00 01 0600", 1, false, MQ_OK },
        { "nine parameters have two bytes of bits", HEAD "ff01 00", 9, true, MQ_OK },
        { "another command", "16 05000000 00 01000000", 0, false, MQ_PROTOCOL },
        { "cut in the head", "17 05000000 00 010000", 0, false, MQ_PROTOCOL },
        { "no bitmap", HEAD, 1, true, MQ_PROTOCOL },
        { "a bitmap cut short", HEAD "ff", 9, true, MQ_PROTOCOL },
        { "no flag", HEAD "00", 1, true, MQ_PROTOCOL },
        { "types cut short", HEAD "00 01 fd", 1, true, MQ_PROTOCOL },
        { "bytes behind the values", HEAD "01 01 fd00 00", 1, true, MQ_PROTOCOL },
        { "nothing", "", 0, false, MQ_PROTOCOL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct arena arena = { 0 };
        struct param_type types[9] = { { TYPE_VAR_STRING, 0 } };
        bool has_types = cases[i].had_types;
        struct execute e;
        struct err err;
        enum err_code got = execute_parse(hex_append(&b, cases[i].input), cases[i].params, false,
                                          types, &has_types, NULL, &arena, &e, &err);
        if (got != cases[i].want)
            fail_msg("%s: %d, want %d", cases[i].why, got, cases[i].want);
        arena_fini(&arena);
        buf_fini(&b);
    }
}

/* With CLIENT_QUERY_ATTRIBUTES values are counted, have names, and go on behind the statement's. */
static void attributes_of_an_execute(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        size_t params;
        bool had_types;
        enum err_code want;
    } cases[] = {
        { "one parameter, no attribute", HEAD "01 00 01 fd00 00 02 6162", 1, false, MQ_OK },
        { "one of each", HEAD "02 00 01 fd00 00 0800 01 61 02 6162 0100000000000000", 1, false,
          MQ_OK },
        { "the attribute is NULL", HEAD "02 02 01 fd00 00 0800 01 61 02 6162", 1, false, MQ_OK },
        { "no parameter, and nothing said of attributes", HEAD, 0, false, MQ_OK },
        { "no parameter, one attribute", "17 05000000 08 01000000 01 00 01 fd00 01 61 02 6162", 0,
          false, MQ_OK },
        { "no parameter, no attribute", "17 05000000 08 01000000 00", 0, false, MQ_OK },
        { "types from before", HEAD "01 00 00 02 6162", 1, true, MQ_OK },
        { "an attribute without a type", HEAD "02 00 00 02 6162 02 6162", 1, true,
          MQ_PARAMETER_VALUES },
        { "fewer values than parameters", HEAD "01 00 01 fd00 00 02 6162", 2, false, MQ_PROTOCOL },
        { "more values than there can be", HEAD "fd000001 00", 1, false, MQ_PROTOCOL },
        { "a name cut short", HEAD "02 00 01 fd00 00 0800 09 61", 1, false, MQ_PROTOCOL },
        { "a value missing", HEAD "02 00 01 fd00 00 0800 01 61 02 6162", 1, false, MQ_PROTOCOL },
        { "bytes behind the values", HEAD "01 00 01 fd00 00 02 6162 00", 1, false, MQ_PROTOCOL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct arena arena = { 0 };
        struct param_type types[2] = { { TYPE_VAR_STRING, 0 }, { TYPE_VAR_STRING, 0 } };
        bool has_types = cases[i].had_types;
        struct execute e;
        struct err err;
        enum err_code got = execute_parse(hex_append(&b, cases[i].input), cases[i].params, true,
                                          types, &has_types, NULL, &arena, &e, &err);
        if (got != cases[i].want)
            fail_msg("%s: %d, want %d", cases[i].why, got, cases[i].want);
        if (!got && cases[i].params)
            assert_true(slice_eq(e.params[0].content, SLICE_LIT("ab")));
        arena_fini(&arena);
        buf_fini(&b);
    }
}

static void attributes_of_a_query(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input, *text; /* NULL: malformed */
    } cases[] = {
        { "none", "00 01 4142", "AB" },
        { "one", "01 01 00 01 fd00 01 61 02 6162 4142", "AB" },
        { "one that is NULL", "01 01 01 01 fd00 01 61 4142", "AB" },
        { "nine",
          "09 01 ff01 01 0600 00 0600 00 0600 00 0600 00 0600 00 0600 00 0600 00 0600 00 "
          "0600 00 4142",
          "AB" },
        { "no text", "00 01", "" },
        { "nothing", "", NULL },
        { "two sets", "01 02 00 01 fd00 01 61 02 6162 4142", NULL },
        { "no types", "01 01 00 00 02 6162 4142", NULL },
        { "a value as long as it likes", "01 01 00 01 fd00 01 61 fe ffffffffffffffff 4142", NULL },
        { "a type that there is not", "01 01 00 01 c800 01 61 02 6162 4142", NULL },
        { "very many", "fdffffff 01 00 01", NULL },
        { "a count without its bytes", "fc01", NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct arena arena = { 0 };
        struct err err;
        struct slice body = hex_append(&b, cases[i].input);
        bool good = query_skip_attributes(&body, &arena, &err) == MQ_OK;
        if (good != (cases[i].text != NULL) || (good && !slice_eq(body, slice_cstr(cases[i].text))))
            fail_msg("%s: '%.*s'", cases[i].why, (int)body.len, body.data);
        arena_fini(&arena);
        buf_fini(&b);
    }
}

/* a string, NULL, long data, an unsigned LONGLONG */
static const char several[] = HEAD "02 01 fd00 fd00 fc00 0880 02 6162 0100000000000000";

static void parameters_come_back(void **state)
{
    (void)state;
    struct buf b = { 0 }, again = { 0 };
    struct arena arena = { 0 };
    const bool long_data[] = { false, false, true, false };
    struct param_type types[4];
    bool has_types = false;
    struct execute e;
    struct slice in = hex_append(&b, several);
    assert_int_equal(execute_parse(in, 4, false, types, &has_types, long_data, &arena, &e, NULL),
                     MQ_OK);
    assert_int_equal(e.statement_id, 5);
    assert_int_equal(e.iterations, 1);
    assert_slice(e.params[0].content, SLICE_LIT("ab"), "string");
    assert_true(e.params[1].null);
    assert_true(e.params[2].long_data && !e.params[2].null && e.params[2].value.len == 0);
    assert_int_equal(e.params[3].type.flags, 0x80);
    execute_write(&again, 5, 0, e.params, 4);
    assert_slice(buf_slice(&again), in, "the same bytes");
    arena_fini(&arena);
    buf_fini(&b);
    buf_fini(&again);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct slice in = hex_append(&b, several);
    const bool long_data[] = { false, false, true, false };
    for (size_t len = 0; len < in.len; len++) {
        struct arena arena = { 0 };
        struct param_type types[4];
        bool has_types = false;
        struct execute e;
        uint8_t *data = exact_copy(in, len);
        assert_int_equal(execute_parse(slice_of(data, len), 4, false, types, &has_types, long_data,
                                       &arena, &e, NULL),
                         MQ_PROTOCOL);
        free(data);
        arena_fini(&arena);
    }
    buf_fini(&b);
}

/* The server looks at long data before the bitmap. */
static void long_data_wins_over_null(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct arena arena = { 0 };
    struct param_type types[1];
    bool has_types = false;
    struct execute e;
    assert_int_equal(execute_parse(hex_append(&b, HEAD "01 01 fc00"), 1, false, types, &has_types,
                                   (const bool[]){ true }, &arena, &e, NULL),
                     MQ_OK);
    assert_true(e.params[0].long_data && !e.params[0].null);
    arena_fini(&arena);
    buf_fini(&b);
}

/* A hidden parameter in front: bits, types and values all move by one. */
static void a_string_is_inserted(void **state)
{
    (void)state;
    struct buf b = { 0 }, out = { 0 }, want = { 0 };
    struct arena arena = { 0 };
    struct param_type types[8];
    bool has_types = false;
    struct execute e;
    hex_append(&b, HEAD "80 01 0100 0100 0100 0100 0100 0100 0100 0100 01 02 03 04 05 06 07");
    assert_int_equal(
        execute_parse(buf_slice(&b), 8, false, types, &has_types, NULL, &arena, &e, NULL), MQ_OK);
    struct execute_param params[9] = { execute_string(&arena, SLICE_LIT("t1")) };
    memcpy(params + 1, e.params, 8 * sizeof params[0]);
    execute_write(&out, 77, 0, params, 9);
    hex_append(&want,
               "17 4d000000 00 01000000 0001 01 fd00 0100 0100 0100 0100 0100 0100 0100 0100 "
               "02 7431 01 02 03 04 05 06 07");
    assert_slice(buf_slice(&out), buf_slice(&want), "bytes");
    arena_fini(&arena);
    buf_fini(&b);
    buf_fini(&out);
    buf_fini(&want);
}

static void strings_of_every_length(void **state)
{
    (void)state;
    static const size_t lengths[] = { 0, 1, 250, 251, 65535, 65536 };
    static const char bytes[65536];
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct arena arena = { 0 };
        struct slice in = slice_of(bytes, lengths[i]);
        struct execute_param p = execute_string(&arena, in), back;
        struct buf b = { 0 };
        execute_write(&b, 1, 0, &p, 1);
        struct param_type types[1];
        bool has_types = false;
        struct execute e;
        assert_int_equal(
            execute_parse(buf_slice(&b), 1, false, types, &has_types, NULL, &arena, &e, NULL),
            MQ_OK);
        back = e.params[0];
        assert_true(slice_eq(back.content, in) && slice_eq(back.value, p.value));
        buf_fini(&b);
        arena_fini(&arena);
    }
}

/* Types stay bound when a later value is refused, as on a server. */
static void types_outlive_a_refused_value(void **state)
{
    (void)state;
    struct buf b = { 0 };
    struct arena arena = { 0 };
    struct param_type types[1] = { { 0, 0 } };
    bool has_types = false;
    struct execute e;
    hex_append(&b, HEAD "00 01 0a00 05 0102030405");
    assert_int_equal(
        execute_parse(buf_slice(&b), 1, false, types, &has_types, NULL, &arena, &e, NULL),
        MQ_PARAMETER_VALUES);
    assert_true(has_types);
    assert_int_equal(types[0].type, TYPE_DATE);
    arena_fini(&arena);
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prepare_ok_comes_back),
        cmocka_unit_test(values_of_every_type),
        cmocka_unit_test(packets_as_a_whole),
        cmocka_unit_test(attributes_of_an_execute),
        cmocka_unit_test(attributes_of_a_query),
        cmocka_unit_test(parameters_come_back),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(long_data_wins_over_null),
        cmocka_unit_test(a_string_is_inserted),
        cmocka_unit_test(strings_of_every_length),
        cmocka_unit_test(types_outlive_a_refused_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
