/* Key ranges: names, membership, covers, and Vitess' way to cut them. */
#include "vschema/keyrange.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct key_range range(const char *name)
{
    struct key_range r;
    struct err err;
    if (key_range_parse(slice_cstr(name), &r, &err) != MQ_OK)
        fail_msg("%s: %s", name, err.text);
    return r;
}

static struct keyspace_id id(const char *hex)
{
    struct keyspace_id k;
    assert_true(keyspace_id_parse(slice_cstr(hex), &k));
    return k;
}

static void names(void **state)
{
    static const struct {
        const char *name;
        bool ok;
    } cases[] = {
        { "-", true },
        { "0", true },
        { "-80", true },
        { "80-", true },
        { "40-80", true },
        { "C0-", true },
        { "00-80", true },
        { "", false },
        { "80", false },
        { "1", false },
        { "-8", false },
        { "8-80", false },
        { "-8x", false },
        { "80-40", false },
        { "80-80", false },
        { "80-8000", false },
        { "-00", false },
        { "40-80-", false },
        { "--", false },
        { "0123456789012345678901234567890123456789-012345678901234567890123", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_range r;
        struct err err;
        enum err_code code = key_range_parse(slice_cstr(cases[i].name), &r, &err);
        if (code != (cases[i].ok ? MQ_OK : MQ_SHARDS_INCOMPLETE))
            fail_msg("'%s': %d", cases[i].name, (int)code);
    }
}

static void reversed_ranges_are_named(void **state)
{
    struct key_range r;
    struct err err;
    (void)state;
    assert_int_equal(key_range_parse(SLICE_LIT("80-40"), &r, &err), MQ_SHARDS_INCOMPLETE);
    assert_string_equal(err.text, "out of order keys: '80-40'");
}

static void membership(void **state)
{
    static const struct {
        const char *range, *id;
        bool want;
    } cases[] = {
        { "-", "", true },
        { "0", "ffffffff", true },
        { "-80", "", true },
        { "-80", "7fffffffffffffff", true },
        { "-80", "80", false },
        { "80-", "80", true },
        { "80-", "8000000000", true },
        { "80-", "7fff", false },
        { "40-80", "40", true },
        { "40-80", "3fff", false },
        { "40-80", "80", false },
        { "40-80", "7fff", true },
        { "8000-", "80", true },
        { "-8000", "80", false },
        { "00-80", "", true },
        { "80-", "ff", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_range r = range(cases[i].range);
        struct keyspace_id k = id(cases[i].id);
        if (key_range_contains(&r, &k) != cases[i].want)
            fail_msg("%s in %s", cases[i].id, cases[i].range);
    }
}

static void trailing_zeros_do_not_count(void **state)
{
    struct keyspace_id a = id("80"), b = id("800000"), c = id("8001"), none = id("");
    struct keyspace_id zero = id("0000");
    (void)state;
    assert_int_equal(keyspace_id_cmp(&a, &b), 0);
    assert_true(keyspace_id_cmp(&a, &c) < 0);
    assert_true(keyspace_id_cmp(&c, &b) > 0);
    assert_int_equal(keyspace_id_cmp(&none, &zero), 0);
}

static void hex(void **state)
{
    struct keyspace_id k;
    struct buf out;
    char longest[2 * KEYSPACE_ID_MAX + 2];
    (void)state;
    assert_false(keyspace_id_parse(SLICE_LIT("0"), &k));
    assert_false(keyspace_id_parse(SLICE_LIT("0g"), &k));
    assert_false(keyspace_id_parse(SLICE_LIT("g0"), &k));
    memset(longest, 'a', sizeof longest);
    assert_true(keyspace_id_parse(slice_of(longest, 2 * KEYSPACE_ID_MAX), &k));
    assert_int_equal(k.len, KEYSPACE_ID_MAX);
    assert_false(keyspace_id_parse(slice_of(longest, sizeof longest), &k));
    k = id("00aBFf");
    buf_init(&out);
    keyspace_id_print(&k, &out);
    assert_string_equal(buf_cstr(&out), "00abff");
    buf_fini(&out);
}

enum { RANGES_MAX = 6 };

static void covers(void **state)
{
    static const struct {
        const char *why, *names[RANGES_MAX], *want;
    } cases[] = {
        { "one", { "-" }, NULL },
        { "one by its other name", { "0" }, NULL },
        { "halves", { "-80", "80-" }, NULL },
        { "in any order", { "c0-", "40-80", "-40", "80-c0" }, NULL },
        { "differing lengths", { "-8000", "80-" }, NULL },
        { "no start", { "40-80", "80-" }, "the first shard, 40-80, does not start with min key" },
        { "no end", { "-80", "80-c0" }, "the last shard, 80-c0, does not end with max key" },
        { "a gap", { "-40", "80-" }, "no shard holds 40-80, between shards -40 and 80-" },
        { "an overlap", { "-80", "40-" }, "shards -80 and 40- overlap" },
        { "one twice", { "-80", "-80", "80-" }, "shards -80 and -80 overlap" },
        { "one inside", { "-80", "20-40", "80-" }, "shards -80 and 20-40 overlap" },
        { "an open end before the last", { "-80", "80-", "c0-" }, "shards 80- and c0- overlap" },
        { "everything and more", { "-", "-80" }, "shards - and -80 overlap" },
        { "one byte missing",
          { "-80", "8001-" },
          "no shard holds 80-8001, between shards -80 and 8001-" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_range ranges[RANGES_MAX];
        uint32_t order[RANGES_MAX];
        struct err err = { 0 };
        size_t n = 0;
        for (; n < RANGES_MAX && cases[i].names[n]; n++)
            ranges[n] = range(cases[i].names[n]);
        enum err_code code = key_ranges_check(ranges, cases[i].names, n, order, &err);
        if (code != (cases[i].want ? MQ_SHARDS_INCOMPLETE : MQ_OK))
            fail_msg("%s: %d %s", cases[i].why, (int)code, err.text);
        if (cases[i].want)
            assert_string_equal(err.text, cases[i].want);
    }
    assert_int_equal(key_ranges_check(NULL, NULL, 0, NULL, NULL), MQ_SHARDS_INCOMPLETE);
}

static void vitess_cuts(void **state)
{
    static const struct {
        uint32_t n;
        const char *names[8];
    } cases[] = {
        { 1, { "-" } },
        { 2, { "-80", "80-" } },
        { 4, { "-40", "40-80", "80-c0", "c0-" } },
        { 7, { "-24", "24-49", "49-6d", "6d-92", "92-b6", "b6-db", "db-" } },
        { 512, { "-0080", "0080-0100" } },
        { 65536, { "-0001", "0001-0002" } },
    };
    char name[16];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (uint32_t k = 0; k < 8 && cases[i].names[k]; k++) {
            assert_true(key_range_name(k, cases[i].n, name));
            assert_string_equal(name, cases[i].names[k]);
        }
    }
    assert_true(key_range_name(65535, 65536, name));
    assert_string_equal(name, "ffff-");
    assert_false(key_range_name(0, 0, name));
    assert_false(key_range_name(2, 2, name));
    assert_false(key_range_name(0, 65537, name));
}

/* Every cut covers everything, and the range found is the one that contains the id. */
static void cuts_cover_and_are_found(void **state)
{
    enum { SHARDS = 256 };
    static struct key_range ranges[SHARDS];
    static char texts[SHARDS][16];
    const char *shard_names[SHARDS];
    uint32_t order[SHARDS];
    (void)state;
    for (uint32_t n = 1; n <= SHARDS; n += n < 9 ? 1 : 37) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = n - 1 - i; /* not in order */
            assert_true(key_range_name(k, n, texts[i]));
            ranges[i] = range(texts[i]);
            shard_names[i] = texts[i];
        }
        assert_int_equal(key_ranges_check(ranges, shard_names, n, order, NULL), MQ_OK);
        for (unsigned byte = 0; byte < 256; byte += 3) {
            struct keyspace_id k = { { (uint8_t)byte, 0x7f }, 2 };
            uint32_t found = key_ranges_find(ranges, order, n, &k);
            assert_true(key_range_contains(&ranges[found], &k));
        }
        struct keyspace_id none = { { 0 }, 0 };
        assert_true(key_range_contains(&ranges[key_ranges_find(ranges, order, n, &none)], &none));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),       cmocka_unit_test(reversed_ranges_are_named),
        cmocka_unit_test(membership),  cmocka_unit_test(trailing_zeros_do_not_count),
        cmocka_unit_test(hex),         cmocka_unit_test(covers),
        cmocka_unit_test(vitess_cuts), cmocka_unit_test(cuts_cover_and_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
