/* Column definitions of the catalogue, as a client could be told of them, and those that could
 * not be told exactly. */
#include "vschema/definition.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static enum err_code define(const char *type, const char *options, struct arena *arena,
                            const struct table_definition **ret)
{
    const struct catalog_column column = { "c", type, options, type, CHECK_NONE, false };
    const struct catalog_table table = { .name = "t", .columns = &column, .column_count = 1 };
    return define_table(&table, false, arena, ret, NULL);
}

static void test_read(void **state)
{
    static const struct {
        const char *why, *type, *options;
        const char *name, *charset, *collation, *text, *comment;
        uint64_t first;
        enum column_default kind;
        bool nullable;
    } cases[] = {
        { "a number", "BIGINT UNSIGNED", "NOT NULL AUTO_INCREMENT", "bigint", "", "", "", "", 0,
          DEFAULT_NONE, false },
        { "letter case and spaces", "int( 5 )", " null  default  -7 ", "int", "", "", "-7", "", 5,
          DEFAULT_NUMBER, true },
        { "a boolean", "BOOL", "NOT NULL DEFAULT TRUE", "tinyint", "", "", "1", "", 0,
          DEFAULT_NUMBER, false },
        { "the table's character set", "VARCHAR(255)", "NOT NULL", "varchar", "utf8mb4",
          "utf8mb4_bin", "", "", 255, DEFAULT_NONE, false },
        { "its own", "CHAR(3) CHARACTER SET ascii COLLATE ascii_bin", "DEFAULT NULL", "char",
          "ascii", "ascii_bin", "", "", 3, DEFAULT_NULL, true },
        { "quotes", "VARCHAR(9)", "DEFAULT 'it''s' COMMENT ''''", "varchar", "utf8mb4",
          "utf8mb4_bin", "it's", "'", 9, DEFAULT_STRING, true },
        { "an empty string", "VARCHAR(9)", "DEFAULT ''", "varchar", "utf8mb4", "utf8mb4_bin", "",
          "", 9, DEFAULT_STRING, true },
        { "a time", "DATETIME(3)", "DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)",
          "datetime", "", "", "", "", 3, DEFAULT_NOW, true },
        { "a decimal", "DECIMAL", "", "decimal", "", "", "", "", 10, DEFAULT_NONE, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        const struct table_definition *t;
        arena_init(&arena);
        if (define(cases[i].type, cases[i].options, &arena, &t))
            fail_msg("%s: refused", cases[i].why);
        const struct column_definition *c = &t->columns[0];
        if (strcmp(c->type->name, cases[i].name) != 0 || c->first != cases[i].first ||
            !slice_eq(c->charset, slice_cstr(cases[i].charset)) ||
            !slice_eq(c->collation, slice_cstr(cases[i].collation)) ||
            !slice_eq(c->default_text, slice_cstr(cases[i].text)) ||
            !slice_eq(c->comment, slice_cstr(cases[i].comment)) ||
            c->default_kind != cases[i].kind || c->nullable != cases[i].nullable)
            fail_msg("%s: read otherwise", cases[i].why);
        arena_fini(&arena);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *why, *type, *options;
    } cases[] = {
        { "a type that is not listed", "GEOMETRY", "" },
        { "no type", "", "" },
        { "a default of its own", "VARCHAR(9) CHARACTER SET ascii", "" },
        { "a collation of another set", "VARCHAR(9) CHARACTER SET ascii COLLATE utf8mb4_bin", "" },
        { "a set's default collation", "VARCHAR(9) COLLATE utf8mb4_0900_ai_ci", "" },
        { "characters of a number", "INT COLLATE utf8mb4_bin", "" },
        { "no length", "VARCHAR", "" },
        { "a length that does not end", "CHAR(3", "" },
        { "a length that is none", "CHAR(x)", "" },
        { "two lengths", "CHAR(3,4)", "" },
        { "a default to be rounded", "DECIMAL(8,2)", "DEFAULT 1.5" },
        { "a default with zeros", "INT", "DEFAULT 007" },
        { "an expression", "INT", "DEFAULT (1 + 1)" },
        { "a default of another kind", "INT", "DEFAULT 'x'" },
        { "a time of another precision", "DATETIME(3)", "DEFAULT CURRENT_TIMESTAMP" },
        { "NULL against NOT NULL", "INT", "NOT NULL DEFAULT NULL" },
        { "a backslash", "VARCHAR(9)", "DEFAULT 'a\\'b'" },
        { "a string that does not end", "VARCHAR(9)", "DEFAULT 'a" },
        { "a string that ends in quotes", "VARCHAR(9)", "DEFAULT 'a''" },
        { "an option that is not listed", "INT", "INVISIBLE" },
        { "a generated column", "INT", "GENERATED ALWAYS AS (1)" },
        { "ON UPDATE of nothing", "DATETIME", "ON UPDATE" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        const struct table_definition *t;
        arena_init(&arena);
        if (define(cases[i].type, cases[i].options, &arena, &t) != MQ_NOT_UNDERSTOOD)
            fail_msg("%s: described", cases[i].why);
        arena_fini(&arena);
    }
}

/* Every built-in table, on both sides; keys in the order of the servers. */
static void test_builtin(void **state)
{
    struct arena arena;
    struct catalog *catalog = catalog_create(NULL);
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < catalog->table_count; i++) {
        for (int tenant = 0; tenant < 2; tenant++) {
            const struct table_definition *t;
            assert_int_equal(define_table(catalog->tables[i], tenant, &arena, &t, NULL), MQ_OK);
            assert_int_equal(t->column_count, catalog->tables[i]->column_count + (size_t)tenant);
            assert_true(t->keys[0].primary);
            for (size_t k = 1; k < t->key_count; k++)
                assert_true(t->keys[k - 1].unique || !t->keys[k].unique);
        }
    }
    catalog_destroy(catalog);
    arena_fini(&arena);
}

/* A column of the primary key is NOT NULL, whether that was said or not. */
static void test_primary_key(void **state)
{
    const struct catalog_column columns[] = {
        { "a", "INT", "", "INT", CHECK_NONE, false },
        { "b", "INT", "", "INT", CHECK_NONE, false },
    };
    const struct catalog_key keys[] = { { "k", true, "b" }, { NULL, true, "A" } };
    const struct catalog_table table = { .name = "t", .columns = columns, .column_count = 2,
                                         .legacy_keys = keys, .legacy_key_count = 2 };
    const struct table_definition *t;
    struct arena arena;
    (void)state;
    arena_init(&arena);
    assert_int_equal(define_table(&table, false, &arena, &t, NULL), MQ_OK);
    assert_false(t->columns[0].nullable);
    assert_true(t->columns[1].nullable);
    assert_string_equal(t->keys[0].name, "PRIMARY");
    assert_ptr_equal(t->keys[0].columns[0], &t->columns[0]);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_primary_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
