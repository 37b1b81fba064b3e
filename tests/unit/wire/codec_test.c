#include "tests/unit/wire/wire_test.h"

#include "wire/codec.h"

static void lenenc_reads(void **state)
{
    (void)state;
    static const struct {
        const char *why, *input;
        uint64_t want;
        bool bad;
    } cases[] = {
        { "zero", "00", 0, false },
        { "the largest single byte", "fa", 250, false },
        { "NULL is no number", "fb", 0, true },
        { "two bytes", "fc fb00", 251, false },
        { "two bytes, full", "fc ffff", 0xffff, false },
        { "two bytes, cut short", "fc ff", 0, true },
        { "three bytes", "fd 000001", 0x10000, false },
        { "three bytes, cut short", "fd ffff", 0, true },
        { "eight bytes", "fe ffffffffffffffff", UINT64_MAX, false },
        { "eight bytes, cut short", "fe ffffffffffffff", 0, true },
        { "longer than it needs to be", "fc 0100", 1, false },
        { "an ERR header is no number", "ff", 0, true },
        { "nothing", "", 0, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct slice s = hex_append(&b, cases[i].input);
        struct reader r = reader_of(s.data, s.len);
        uint64_t got = read_lenenc(&r);
        if (got != cases[i].want || r.bad != cases[i].bad || (!r.bad && reader_left(&r)))
            fail_msg("%s: %llu, bad %d", cases[i].why, (unsigned long long)got, r.bad);
        buf_fini(&b);
    }
}

static void lenenc_comes_back(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        size_t size;
    } cases[] = {
        { 0, 1 },       { 250, 1 },      { 251, 3 },       { 0xffff, 3 },
        { 0x10000, 4 }, { 0xffffff, 4 }, { 0x1000000, 9 }, { UINT64_MAX, 9 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        write_lenenc(&b, cases[i].value);
        struct reader r = reader_of(buf_begin(&b), buf_len(&b));
        assert_int_equal(buf_len(&b), cases[i].size);
        assert_true(read_lenenc(&r) == cases[i].value && !r.bad && reader_left(&r) == 0);
        buf_fini(&b);
    }
}

static void integers_come_back(void **state)
{
    (void)state;
    struct buf b = { 0 }, want = { 0 };
    write_u8(&b, 0x12);
    write_u16(&b, 0x3456);
    write_u24(&b, 0x789abc);
    write_u32(&b, 0xdeadbeef);
    write_u64(&b, 0x0123456789abcdef);
    assert_slice(buf_slice(&b), hex_append(&want, "12 5634 bc9a78 efbeadde efcdab8967452301"),
                 "little endian");
    struct reader r = reader_of(buf_begin(&b), buf_len(&b));
    assert_int_equal(read_u8(&r), 0x12);
    assert_int_equal(read_u16(&r), 0x3456);
    assert_int_equal(read_u24(&r), 0x789abc);
    assert_int_equal(read_u32(&r), 0xdeadbeef);
    assert_true(read_u64(&r) == 0x0123456789abcdef);
    assert_false(r.bad);
    buf_fini(&b);
    buf_fini(&want);
}

static void a_failed_reader_stays_failed(void **state)
{
    (void)state;
    struct reader r = reader_of("abc", 3);
    assert_int_equal(read_u32(&r), 0);
    assert_true(r.bad);
    assert_int_equal(read_u8(&r), 0);
    assert_int_equal(read_lenenc(&r), 0);
    assert_int_equal(read_bytes(&r, 1).len, 0);
    assert_int_equal(read_rest(&r).len, 0);
    assert_int_equal(read_cstr(&r).len, 0);
    assert_true(r.bad);
}

static void strings_read(void **state)
{
    (void)state;
    struct reader r = reader_of("ab\0\0\3xyz.rest", 13);
    assert_slice(read_cstr(&r), SLICE_LIT("ab"), "up to the NUL");
    assert_slice(read_cstr(&r), SLICE_LIT(""), "an empty one");
    assert_slice(read_lenenc_slice(&r), SLICE_LIT("xyz"), "with its length");
    assert_slice(read_bytes(&r, 1), SLICE_LIT("."), "one byte");
    assert_slice(read_rest(&r), SLICE_LIT("rest"), "what is left");
    assert_false(r.bad);
    assert_slice(read_rest(&r), SLICE_LIT(""), "nothing left is no error");
    assert_false(r.bad);
    assert_int_equal(read_cstr(&r).len, 0);
    assert_true(r.bad);
}

static void lengths_beyond_the_end_are_bad(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "05 61626364", "fc ffff 61", "fe ffffffffffffffff 61", "fe 0000000000000080 61", "fb", "ff"
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf b = { 0 };
        struct slice s = hex_append(&b, cases[i]);
        struct reader r = reader_of(s.data, s.len);
        assert_int_equal(read_lenenc_slice(&r).len, 0);
        assert_true(r.bad);
        buf_fini(&b);
    }
}

static void no_bytes_at_all(void **state)
{
    (void)state;
    struct reader r = reader_of(NULL, 0);
    assert_int_equal(reader_left(&r), 0);
    assert_int_equal(read_rest(&r).len, 0);
    assert_false(r.bad);
    assert_int_equal(read_cstr(&r).len, 0);
    assert_true(r.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lenenc_reads),       cmocka_unit_test(lenenc_comes_back),
        cmocka_unit_test(integers_come_back), cmocka_unit_test(a_failed_reader_stays_failed),
        cmocka_unit_test(strings_read),       cmocka_unit_test(lengths_beyond_the_end_are_bad),
        cmocka_unit_test(no_bytes_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
