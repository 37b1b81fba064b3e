/* Vindexes against the vectors of Vitess' own tests (go/vt/vtgate/vindexes). */
#include "vschema/vindex_int.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct vector {
    const char *type, *value, *want; /* NULL: no shard */
};

static const struct vector vectors[] = {
    /* xxhash_test.go */
    { "xxhash", "test1", "d01ab7e4d6978f0b" },
    { "xxhash", "test2", "87eb11714c0a0e89" },
    { "xxhash", "testaverylongvaluetomakesurethisworks", "81d8c38e0d850e6a" },
    { "xxhash", "1", "d46405367612b4b7" },
    { "xxhash", "-1", "d8e2a6a7c8c7623d" },
    { "xxhash", "18446744073709551615", "477cfa8d6d8f1f8d" },
    { "xxhash", "9223372036854775807", "b37eb01f7bffafd8" },
    { "xxhash", "-9223372036854775808", "102c27ddb26a609e" },
    { "xxhash", "", "99e9d85137db46ef" },
    /* computed independently */
    { "xxhash", "acme", "0cec6f84fb9b18bb" },
    { "xxhash", "acme ", "413b2af54a4e4ff0" },
    { "xxhash", "tenant-1", "5686aa8f0404afe5" },
    { "xxhash", "tenant_42", "4c41187dca59fa06" },
    { "xxhash", "ACME Corp", "5c7abca974eb735f" },
    { "xxhash", "globex.example.com", "1496de55c2fb7a82" },
    { "xxhash", "0", "ecaf441208573463" },
    { "xxhash", "a", "5b6e8ca9f1c44ed2" },
    { "xxhash", "vitess-tenant-0", "ad568b7814b30577" },
    { "xxhash", "vitess-tenant-1", "c0d100c585f6d14d" },
    { "xxhash", "vitess-tenant-2", "91d047defac39d7c" },
    { "xxhash", "vitess-tenant-3", "db537102ebe164d1" },
    { "xxhash", "test3", "e4062ae69195bb65" },
    { "xxhash", "test4", "588f93702d2f0c80" },
    { "xxhash", "test5", "9517f68071f8be8a" },
    { "xxhash", "test6", "e8a405697e864650" },
    /* binarymd5_test.go */
    { "binary_md5", "test1", "5a105e8b9d40e1329780d62ea2265d8a" },
    { "binary_md5", "TEST", "033bd94b1168d7e4f0d644c3c95e35bf" },
    { "binary_md5", "Test", "0cbc6611f5540bd0809a388dc95a615b" },
    { "binary_md5", "", "d41d8cd98f00b204e9800998ecf8427e" },
    { "binary_md5", "acme", "53bce4f1dfa0fe8e7ca126f91b35d3a6" },
    { "binary_md5", "tenant-1", "e000342e22c2b5255299b35c4d538065" },
    { "binary_md5", "a", "0cc175b9c0f1b6a831c399e269772661" },
    /* binary_test.go */
    { "binary", "test1", "7465737431" },
    { "binary", "test2", "7465737432" },
    { "binary", "\x8a\x1e", "8a1e" },
    { "binary", "1", "31" },
    { "binary", "", "" },
    { "binary", "acme", "61636d65" },
    { "binary", "tenant-1", "74656e616e742d31" },
    /* unicodeloosemd5_test.go */
    { "unicode_loose_md5", "Test", "0b5edbb401fd7524393690491d64f1f5" },
    { "unicode_loose_md5", "TEST", "0b5edbb401fd7524393690491d64f1f5" },
    { "unicode_loose_md5", "Test ", "0b5edbb401fd7524393690491d64f1f5" },
    { "unicode_loose_md5", " Test", "a2e3515c7e8df1ffd2ccfc11c6b19dd1" },
    { "unicode_loose_md5", "Test\t", "82456dd87a9c7a02b1c2056b5abaa272" },
    { "unicode_loose_md5", "TestLooong", "9683e12b80430cd453f5dfdfba81c9a5" },
    { "unicode_loose_md5", "T", "ac0f9179f51db87fe8ecc0cf40cab97a" },
    { "unicode_loose_md5", "", "d41d8cd98f00b204e9800998ecf8427e" },
    { "unicode_loose_md5", "T\xc3\xa9st", NULL },
    { "unicode_loose_md5", "\xff", NULL },
    /* computed independently */
    { "unicode_loose_md5", "acme", "3bdb57d60bbddb56aa3be8c850c03ec0" },
    { "unicode_loose_md5", "tenant-1", "823ca10b29c7786124887f19c7b9eacc" },
    { "unicode_loose_md5", "tenant_42", "479e5f6ada84702b9d2754be6f9040d2" },
    /* unicodeloosexxhash_test.go */
    { "unicode_loose_xxhash", "Test", "42d21361087a4c07" },
    { "unicode_loose_xxhash", "TEst", "42d21361087a4c07" },
    { "unicode_loose_xxhash", "Test ", "42d21361087a4c07" },
    { "unicode_loose_xxhash", " Test", "4fcb8be34ec05775" },
    { "unicode_loose_xxhash", "Test\t", "20af87fc36e3fd51" },
    { "unicode_loose_xxhash", "TestLooong", "d3ea873942b484a7" },
    { "unicode_loose_xxhash", "T", "f81c3be2d501fe18" },
    { "unicode_loose_xxhash", "", "99e9d85137db46ef" },
    { "unicode_loose_xxhash", "B\xc3\xa9st", NULL },
    /* computed independently */
    { "unicode_loose_xxhash", "acme", "fc97484837d58c62" },
    { "unicode_loose_xxhash", "tenant-1", "6a19f4ec56958409" },
    { "unicode_loose_xxhash", "tenant_42", "42dd6d789d9bf0b0" },
    /* hash_test.go */
    { "hash", "0", "8ca64de9c1b123a7" },
    { "hash", "1", "166b40b44aba4bd6" },
    { "hash", "2", "06e7ea22ce92708f" },
    { "hash", "3", "4eb190c9a2fa169c" },
    { "hash", "4", "d2fd8867d50d2dfe" },
    { "hash", "5", "70bb023c810ca87a" },
    { "hash", "6", "f098480ac4c4be71" },
    { "hash", "01", "166b40b44aba4bd6" },
    /* Of a text column, which `tenant` is, Vitess takes no sign. */
    { "hash", "-1", NULL },
    { "hash", "+1", NULL },
    { "hash", "18446744073709551615", "355550b2150e2451" },
    { "hash", "9223372036854775807", "f77d48aadda1f1bb" },
    { "hash", "-9223372036854775808", NULL },
    { "hash", "18446744073709551616", NULL },
    { "hash", "aa", NULL },
    { "hash", "", NULL },
    { "hash", "-", NULL },
    /* numeric_test.go */
    { "numeric", "1", "0000000000000001" },
    { "numeric", "8", "0000000000000008" },
    { "numeric", "007", "0000000000000007" },
    { "numeric", "18446744073709551615", "ffffffffffffffff" },
    { "numeric", "-1", NULL },
    { "numeric", "18446744073709551616", NULL },
    { "numeric", "1.1", NULL },
    { "numeric", "", NULL },
    { "numeric", "-", NULL },
    { "numeric", "acme", NULL },
    /* reverse_bits_test.go */
    { "reverse_bits", "1", "8000000000000000" },
    { "reverse_bits", "2", "4000000000000000" },
    { "reverse_bits", "3", "c000000000000000" },
    { "reverse_bits", "4", "2000000000000000" },
    { "reverse_bits", "5", "a000000000000000" },
    { "reverse_bits", "6", "6000000000000000" },
    { "reverse_bits", "", NULL },
    /* null_test.go */
    { "null", "anything", "00" },
    { "null", "", "00" },
};

static void values_map_as_in_vitess(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct vector *v = &vectors[i];
        const struct vindex_type *type = vindex_find(slice_cstr(v->type));
        struct keyspace_id id;
        struct buf got;
        buf_init(&got);
        bool mapped = type->map(slice_cstr(v->value), &id);
        if (mapped)
            keyspace_id_print(&id, &got);
        if (mapped != (v->want != NULL) || (mapped && strcmp(buf_cstr(&got), v->want) != 0))
            fail_msg("%s '%s': %s", v->type, v->value, mapped ? buf_cstr(&got) : "no shard");
        buf_fini(&got);
    }
}

static void halves(void **state)
{
    static const struct {
        const char *value;
        bool low;
    } cases[] = {
        { "acme", true },   { "tenant-1", true },         { "tenant_42", true },
        { "test3", false }, { "vitess-tenant-0", false }, { "test4", true },
    };
    struct key_range low;
    (void)state;
    assert_int_equal(key_range_parse(SLICE_LIT("-80"), &low, NULL), MQ_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct keyspace_id id;
        assert_true(vindex_xxhash(slice_cstr(cases[i].value), &id));
        assert_int_equal(key_range_contains(&low, &id), cases[i].low);
    }
}

static void the_longest_keyspace_id(void **state)
{
    char value[KEYSPACE_ID_MAX + 1];
    struct keyspace_id id;
    (void)state;
    memset(value, 'x', sizeof value);
    assert_true(vindex_binary(slice_of(value, KEYSPACE_ID_MAX), &id));
    assert_int_equal(id.len, KEYSPACE_ID_MAX);
    assert_false(vindex_binary(slice_of(value, KEYSPACE_ID_MAX + 1), &id));
}

/* The normalised bytes of unicode_test.go. */
static void weights_of_a_collation(void **state)
{
    static const struct {
        const char *value;
        uint8_t want[40];
        size_t len;
    } cases[] = {
        { "Test", { 0x18, 0x16, 0x16, 0x4c, 0x17, 0xf3, 0x18, 0x16 }, 8 },
        { " Test", { 0x01, 0x09, 0x18, 0x16, 0x16, 0x4c, 0x17, 0xf3, 0x18, 0x16 }, 10 },
        { "Test\t", { 0x18, 0x16, 0x16, 0x4c, 0x17, 0xf3, 0x18, 0x16, 0x01, 0x00 }, 10 },
        { "Test\x01  ", { 0x18, 0x16, 0x16, 0x4c, 0x17, 0xf3, 0x18, 0x16 }, 8 },
        { "   ", { 0 }, 0 },
    };
    char longest[LOOSE_VALUE_MAX + 1];
    struct loose_weights w;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(loose_weights(slice_cstr(cases[i].value), &w));
        assert_int_equal(w.len, cases[i].len);
        assert_memory_equal(w.bytes, cases[i].want, cases[i].len);
    }
    memset(longest, 'x', sizeof longest);
    assert_true(loose_weights(slice_of(longest, LOOSE_VALUE_MAX), &w));
    assert_int_equal(w.len, sizeof w.bytes);
    assert_false(loose_weights(slice_of(longest, sizeof longest), &w));
}

static void types_by_name(void **state)
{
    (void)state;
    assert_true(vindex_find(SLICE_LIT("xxhash"))->unique);
    assert_false(vindex_find(SLICE_LIT("xxhash"))->is_lookup);
    assert_true(vindex_find(SLICE_LIT("lookup_unique"))->is_lookup);
    assert_null(vindex_find(SLICE_LIT("lookup_unique"))->map);
    assert_true(vindex_find(SLICE_LIT("consistent_lookup_unique"))->is_lookup);
    /* Known to Vitess, not served. */
    assert_null(vindex_find(SLICE_LIT("multicol")));
    assert_null(vindex_find(SLICE_LIT("lookup")));
    assert_null(vindex_find(SLICE_LIT("lookup_hash_unique")));
    assert_non_null(vindex_known(SLICE_LIT("multicol")));
    assert_false(vindex_known(SLICE_LIT("lookup"))->unique);
    /* Known to nobody. */
    assert_null(vindex_known(SLICE_LIT("XXHASH")));
    assert_null(vindex_known(SLICE_LIT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_map_as_in_vitess), cmocka_unit_test(halves),
        cmocka_unit_test(the_longest_keyspace_id), cmocka_unit_test(weights_of_a_collation),
        cmocka_unit_test(types_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
