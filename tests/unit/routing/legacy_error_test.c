#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "routing/legacy_error.h"

static const struct catalog_key legacy_keys[] = {
    { NULL, true, "consumer_group, topic, partition_key" },
    { "by_id", true, "topic, id" },
};
static const struct catalog_key tenant_keys[] = {
    { NULL, true, "tenant, topic, partition_key, consumer_group" },
    { "by_id", true, "tenant, topic, id" },
};
static const struct catalog_table table = {
    .name = "t",
    .legacy_keys = legacy_keys,
    .legacy_key_count = 2,
    .tenant_keys = tenant_keys,
    .tenant_key_count = 2,
};

static void messages(void **state)
{
    static const struct {
        const char *why, *message, *want; /* want NULL: left alone */
    } rows[] = {
        { "the legacy key's order", "Duplicate entry 'acme-t-p-g' for key 't.PRIMARY'",
          "Duplicate entry 'g-t-p' for key 't.PRIMARY'" },
        { "MariaDB names no table", "Duplicate entry 'acme-t-p-g' for key 'PRIMARY'",
          "Duplicate entry 'g-t-p' for key 'PRIMARY'" },
        { "the same order", "Duplicate entry 'acme-t-7' for key 't.by_id'",
          "Duplicate entry 't-7' for key 't.by_id'" },
        { "a value with the separator", "Duplicate entry 'acme-t-a-b-g' for key 't.PRIMARY'",
          "Duplicate entry 't-a-b-g' for key 't.PRIMARY'" },
        { "empty values", "Duplicate entry 'acme---' for key 't.PRIMARY'",
          "Duplicate entry '--' for key 't.PRIMARY'" },
        { "a value that looks like the end",
          "Duplicate entry 'acme-t-' for key 'x' for key 't.by_id'",
          "Duplicate entry 't-' for key 'x' for key 't.by_id'" },
        { "a key that is not known", "Duplicate entry 'acme-1' for key 't.other'",
          "Duplicate entry '1' for key 't.other'" },
        { "another tenant's prefix", "Duplicate entry 'acm-t-p-g' for key 't.PRIMARY'", NULL },
        { "the tenant alone", "Duplicate entry 'acme' for key 't.PRIMARY'", NULL },
        { "cut short", "Duplicate entry 'acme-t", NULL },
        { "another message", "Deadlock found", NULL },
        { "nothing", "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out;
        buf_init(&out);
        bool changed = legacy_duplicate_entry(&table, slice_cstr(rows[i].message),
                                              SLICE_LIT("acme"), SLICE_LIT("acme|"), &out);
        if (changed != (rows[i].want != NULL) ||
            (changed && strcmp(buf_cstr(&out), rows[i].want) != 0))
            fail_msg("%s: got %s", rows[i].why, buf_cstr(&out));
        buf_fini(&out);
    }
}

static void qualified_keys(void **state)
{
    static const struct {
        const char *message, *prefix, *want;
    } rows[] = {
        { "Duplicate entry 'acme-t-p-g' for key 't.PRIMARY'", "acme|",
          "Duplicate entry 'g-t-acme|p' for key 't.PRIMARY'" },
        { "Duplicate entry 'acme-t-p-g' for key 't.PRIMARY'", "",
          "Duplicate entry 'g-t-p' for key 't.PRIMARY'" },
        { "Duplicate entry 'acme-t-7' for key 't.by_id'", "acme|",
          "Duplicate entry 't-7' for key 't.by_id'" },
    };
    struct catalog_table keyed = table;
    keyed.partition_key = "partition_key";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out;
        buf_init(&out);
        assert_true(legacy_duplicate_entry(&keyed, slice_cstr(rows[i].message), SLICE_LIT("acme"),
                                           slice_cstr(rows[i].prefix), &out));
        assert_string_equal(buf_cstr(&out), rows[i].want);
        buf_fini(&out);
    }
}

static void databases(void **state)
{
    static const struct {
        const char *why, *message, *want; /* want NULL: left alone */
    } rows[] = {
        { "a column", "references column 'mq_0.m.id' which", "references column 'mq.m.id' which" },
        { "quoted", "out of range in '(`mq_0`.`m`.`a` - `mq_0`.`m`.`b`)'",
          "out of range in '(`mq`.`m`.`a` - `mq`.`m`.`b`)'" },
        { "a function", "FUNCTION mq_0.f does not exist", "FUNCTION mq.f does not exist" },
        { "at the start and the end", "mq_0.", "mq." },
        { "the end of another name", "'xmq_0.m'", NULL },
        { "the start of another name", "'mq_01.m'", NULL },
        { "a table of that name", "'mq.mq_0.id'", NULL },
        { "a value", "Data truncated: 'mq_0'", NULL },
        { "nothing", "", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out;
        buf_init(&out);
        bool changed =
            legacy_database(slice_cstr(rows[i].message), SLICE_LIT("mq_0"), SLICE_LIT("mq"), &out);
        if (changed != (rows[i].want != NULL) ||
            (changed && strcmp(buf_cstr(&out), rows[i].want) != 0))
            fail_msg("%s: got %s", rows[i].why, buf_cstr(&out));
        buf_fini(&out);
    }
}

static void one_name(void **state)
{
    struct legacy_words words = { .shard_database = SLICE_LIT("mq"), .database = SLICE_LIT("mq") };
    struct buf out;
    (void)state;
    buf_init(&out);
    assert_false(legacy_message(&words, 1054, SLICE_LIT("column 'mq.m.id'"), &out));
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(messages),
                                        cmocka_unit_test(qualified_keys),
                                        cmocka_unit_test(databases), cmocka_unit_test(one_name) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
