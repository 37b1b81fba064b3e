/* Definitions of queue tables' columns: what a server with the legacy schema would tell. */
#include "proxy/legacy_column.h"
#include "tests/unit/proxy/proxy_test.h"

enum {
    SHARDS_KEY = COLUMN_BINARY, /* what servers say of CONCAT(tenant, '|', partition_key) */
    WIDTH = 511 * 4,
    MYSQL_DECIMALS = 31,
    OWN = COLUMN_NOT_NULL | COLUMN_BINARY | COLUMN_NO_DEFAULT,
};

static const struct catalog_column columns[] = {
    { .name = "topic", .legacy_type = "VARCHAR(255)", .options = "NOT NULL" },
    { .name = "k", .legacy_type = "VARCHAR(255)", .options = "NOT NULL" },
    { .name = "n", .legacy_type = "BIGINT", .options = "NULL" },
};

static struct catalog_table table_of(const struct catalog_key *keys, size_t count)
{
    return (struct catalog_table){ .name = "t", .columns = columns, .column_count = COUNT(columns),
                                   .legacy_keys = keys, .legacy_key_count = count,
                                   .partition_key = "k" };
}

static void flags_are_those_of_the_legacy_keys(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct catalog_key key;
        unsigned flags;
    } cases[] = {
        { "primary", { NULL, true, "topic, k" }, COLUMN_PART_KEY | COLUMN_PRIMARY_KEY },
        { "first of several", { "a", true, "k, topic" }, COLUMN_PART_KEY | COLUMN_MULTIPLE_KEY },
        { "unique by itself", { "a", true, "k" }, COLUMN_PART_KEY | COLUMN_UNIQUE_KEY },
        { "not the first", { "a", false, "topic, k" }, COLUMN_PART_KEY },
        { "of no key", { "a", false, "topic, n" }, 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct catalog_table t = table_of(&cases[i].key, 1);
        struct result_key key = { .name = SLICE_LIT("alias"), .table = &t };
        struct column_def c = { .charset = 45, .length = WIDTH, .type = TYPE_VAR_STRING,
                                .flags = SHARDS_KEY, .decimals = MYSQL_DECIMALS };
        assert_true(legacy_key_define(&key, SLICE_LIT("mq"), FLAVOUR_MYSQL, &c));
        if (c.flags != (OWN | cases[i].flags))
            fail_msg("%s: %x", cases[i].why, c.flags);
        assert_int_equal(c.length, 255 * 4);
        assert_slice(c.table, SLICE_LIT("alias"), cases[i].why);
        assert_slice(c.org_name, SLICE_LIT("k"), cases[i].why);
    }
}

static void what_is_not_understood_stays(void **state)
{
    (void)state;
    static const struct column_def cases[] = {
        { .type = TYPE_BLOB, .length = WIDTH },
        { .type = TYPE_VAR_STRING, .length = WIDTH + 1 },
    };
    struct catalog_table t = table_of(NULL, 0);
    struct result_key key = { .name = SLICE_LIT("t"), .table = &t };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct column_def c = cases[i];
        assert_false(legacy_key_define(&key, SLICE_LIT("mq"), FLAVOUR_MYSQL, &c));
        assert_memory_equal(&c, &cases[i], sizeof c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_those_of_the_legacy_keys),
        cmocka_unit_test(what_is_not_understood_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
