/* The same definition in the words of MySQL with and without display widths, and of MariaDB. */
#include "routing/describe.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct dialect servers[] = {
    { FLAVOUR_MYSQL, 80018, 80018, 0 },
    { FLAVOUR_MYSQL, 90700, 90700, 0 },
    { FLAVOUR_MARIADB, 101106, 101106, 0 },
};
enum { SERVERS = sizeof servers / sizeof *servers };

static const struct column_definition *define(const char *type, const char *options,
                                              struct arena *arena)
{
    struct catalog_column column = { "c", type, options, type, CHECK_NONE, false };
    struct catalog_table table = { .name = "t", .columns = &column, .column_count = 1 };
    const struct table_definition *t;
    assert_int_equal(define_table(&table, false, arena, &t, NULL), MQ_OK);
    return &t->columns[0];
}

static void expect(const char *why, const struct text *got, const char *want)
{
    if (!slice_eq(text_slice(got), slice_cstr(want)))
        fail_msg("%s: %.*s, not %s", why, (int)got->len, got->data, want);
}

static void test_types(void **state)
{
    static const struct {
        const char *definition;
        const char *want[SERVERS];
    } cases[] = {
        { "INT", { "int(11)", "int", "int(11)" } },
        { "INTEGER(5) UNSIGNED", { "int(5) unsigned", "int unsigned", "int(5) unsigned" } },
        { "BIGINT UNSIGNED", { "bigint(20) unsigned", "bigint unsigned", "bigint(20) unsigned" } },
        { "BOOLEAN", { "tinyint(1)", "tinyint(1)", "tinyint(1)" } },
        { "TINYINT(1)", { "tinyint(1)", "tinyint(1)", "tinyint(1)" } },
        { "TINYINT(1) UNSIGNED",
          { "tinyint(1) unsigned", "tinyint unsigned", "tinyint(1) unsigned" } },
        { "SMALLINT ZEROFILL",
          { "smallint(5) unsigned zerofill", "smallint(5) unsigned zerofill",
            "smallint(5) unsigned zerofill" } },
        { "NUMERIC(8)", { "decimal(8,0)", "decimal(8,0)", "decimal(8,0)" } },
        { "CHAR", { "char(1)", "char(1)", "char(1)" } },
        { "JSON", { "json", "json", "longtext" } },
        { "DATETIME(6)", { "datetime(6)", "datetime(6)", "datetime(6)" } },
        { "DATETIME(0)", { "datetime", "datetime", "datetime" } },
        { "YEAR", { "year(4)", "year", "year(4)" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t s = 0; s < SERVERS; s++) {
            struct arena arena;
            arena_init(&arena);
            struct text text = { .arena = &arena };
            describe_type(define(cases[i].definition, "", &arena), &servers[s], &text);
            expect(cases[i].definition, &text, cases[i].want[s]);
            arena_fini(&arena);
        }
    }
}

static void test_defaults(void **state)
{
    static const struct {
        const char *type, *options;
        const char *shown, *mysql, *mariadb; /* NULL: NULL */
    } cases[] = {
        { "INT", "NOT NULL", NULL, NULL, NULL },
        { "INT", "NULL", NULL, NULL, "NULL" },
        { "INT", "NOT NULL DEFAULT 0", "0", "0", "0" },
        { "VARCHAR(3)", "DEFAULT 'x''y'", "x'y", "x'y", "'x''y'" },
        { "VARCHAR(3)", "DEFAULT NULL", NULL, NULL, "NULL" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        arena_init(&arena);
        const struct column_definition *c = define(cases[i].type, cases[i].options, &arena);
        for (size_t s = 1; s < SERVERS; s++) {
            const char *want = s == 1 ? cases[i].mysql : cases[i].mariadb;
            struct text shown = { .arena = &arena }, told = { .arena = &arena };
            assert_int_equal(describe_default(c, &servers[s], &shown), cases[i].shown != NULL);
            expect(cases[i].options, &shown, cases[i].shown ? cases[i].shown : "");
            assert_int_equal(describe_default_expression(c, &servers[s], &told), want != NULL);
            expect(cases[i].options, &told, want ? want : "");
        }
        arena_fini(&arena);
    }
}

static void test_keys(void **state)
{
    static const struct catalog_column columns[] = {
        { "a", "INT", "", "INT", CHECK_NONE, false }, { "b", "INT", "", "INT", CHECK_NONE, false },
        { "c", "INT", "", "INT", CHECK_NONE, false }, { "d", "INT", "", "INT", CHECK_NONE, false },
        { "e", "INT", "", "INT", CHECK_NONE, false },
    };
    static const struct catalog_key keys[] = {
        { NULL, true, "a, b" }, { "one", true, "c" }, { "two", true, "d, c" }, { "three", false, "b" }
    };
    static const char *const want[] = { "PRI", "PRI", "UNI", "MUL", "" };
    const struct catalog_table table = { .name = "t", .columns = columns, .column_count = 5,
                                         .legacy_keys = keys, .legacy_key_count = 4 };
    const struct table_definition *t;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(define_table(&table, false, &arena, &t, NULL), MQ_OK);
    for (size_t i = 0; i < t->column_count; i++)
        assert_string_equal(describe_key(t, &t->columns[i]), want[i]);
    arena_fini(&arena);
}

static void test_create_table(void **state)
{
    static const struct catalog_column columns[] = {
        { "a`b", "INT", "NOT NULL DEFAULT 1", "", CHECK_NONE, false },
        { "j", "JSON", "", "", CHECK_NONE, false },
        { "t", "TEXT", "COMMENT 'it''s'", "", CHECK_NONE, false },
    };
    static const struct catalog_key keys[] = { { NULL, true, "a`b" }, { "k", false, "t" } };
    static const char *const want[SERVERS] = {
        "CREATE TABLE `x` (\n  `a``b` int(11) NOT NULL DEFAULT '1',\n  `j` json DEFAULT NULL,\n"
        "  `t` text COLLATE utf8mb4_bin COMMENT 'it''s',\n  PRIMARY KEY (`a``b`),\n"
        "  KEY `k` (`t`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
        "CREATE TABLE `x` (\n  `a``b` int NOT NULL DEFAULT '1',\n  `j` json DEFAULT NULL,\n"
        "  `t` text COLLATE utf8mb4_bin COMMENT 'it''s',\n  PRIMARY KEY (`a``b`),\n"
        "  KEY `k` (`t`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
        "CREATE TABLE `x` (\n  `a``b` int(11) NOT NULL DEFAULT 1,\n"
        "  `j` longtext DEFAULT NULL CHECK (json_valid(`j`)),\n"
        "  `t` text DEFAULT NULL COMMENT 'it''s',\n  PRIMARY KEY (`a``b`),\n"
        "  KEY `k` (`t`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
    };
    const struct catalog_table table = { .name = "x", .columns = columns, .column_count = 3,
                                         .legacy_keys = keys, .legacy_key_count = 2 };
    const struct table_definition *t;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(define_table(&table, false, &arena, &t, NULL), MQ_OK);
    for (size_t s = 0; s < SERVERS; s++) {
        struct text text = { .arena = &arena };
        describe_table(t, &servers[s], &text);
        expect("SHOW CREATE TABLE", &text, want[s]);
    }
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_create_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
