/* Versions out of greetings, sql_modes, character sets and collations. */
#include "sql/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void versions(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        enum flavour flavour;
        uint32_t version;
    } cases[] = {
        { "8.0.36-0ubuntu0.22.04.1", true, FLAVOUR_MYSQL, 80036 },
        { "9.7.0", true, FLAVOUR_MYSQL, 90700 },
        { "8.4.10-Vitess", true, FLAVOUR_MYSQL, 80410 },
        { "5.5.5-10.11.6-MariaDB-0+deb12u1", true, FLAVOUR_MARIADB, 101106 },
        { "11.8.2-MariaDB-log", true, FLAVOUR_MARIADB, 110802 },
        { "10.6.22-MariaDB", true, FLAVOUR_MARIADB, 100622 },
        { "5.5.5-MariaDB", false, 0, 0 },
        { "8.0", false, 0, 0 },
        { "8.0.", false, 0, 0 },
        { "8..36", false, 0, 0 },
        { "8.0.100", false, 0, 0 },
        { "MariaDB", false, 0, 0 },
        { "", false, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct dialect d;
        if (dialect_of_version(slice_cstr(cases[i].text), &d) != cases[i].ok)
            fail_msg("%s", cases[i].text);
        if (!cases[i].ok)
            continue;
        assert_int_equal(d.flavour, cases[i].flavour);
        assert_int_equal(d.version_min, cases[i].version);
        assert_int_equal(d.version_max, cases[i].version);
        assert_int_equal(d.modes, 0);
    }
}

static void joining(void **state)
{
    struct dialect a = { FLAVOUR_MYSQL, 80036, 80036, 0 };
    const struct dialect older = { FLAVOUR_MYSQL, 80011, 80011, 0 };
    const struct dialect newer = { FLAVOUR_MYSQL, 90700, 90700, 0 };
    const struct dialect both = { FLAVOUR_MYSQL, 80011, 90700, 0 };
    const struct dialect other = { FLAVOUR_MARIADB, 101106, 101106, 0 };
    (void)state;
    assert_true(dialect_join(&a, &older));
    assert_true(dialect_join(&a, &newer));
    assert_true(dialect_eq(&a, &both));
    assert_false(dialect_join(&a, &other));
    assert_true(dialect_eq(&a, &both));
    assert_false(dialect_eq(&a, &other));
    a.modes = MODE_ANSI_QUOTES;
    assert_false(dialect_eq(&a, &both));
    assert_int_equal(dialect_default().flavour, FLAVOUR_MYSQL);
    assert_int_equal(dialect_default().version_min, 80000);
}

static void modes(void **state)
{
    static const struct {
        const char *why, *value;
        enum mode_status want;
        uint32_t modes;
        const char *name;
    } cases[] = {
        { "none", "", MODES_OK, 0, NULL },
        { "one", "ANSI_QUOTES", MODES_OK, MODE_ANSI_QUOTES, NULL },
        { "any case", "ansi_Quotes,no_backslash_escapes", MODES_OK,
          MODE_ANSI_QUOTES | MODE_NO_BACKSLASH_ESCAPES, NULL },
        { "a combination", "ANSI", MODES_OK,
          MODE_ANSI_QUOTES | MODE_PIPES_AS_CONCAT | MODE_IGNORE_SPACE, NULL },
        { "no reading modes", "STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,TRADITIONAL", MODES_OK, 0,
          NULL },
        { "empty names", ",ANSI_QUOTES,,", MODES_OK, MODE_ANSI_QUOTES, NULL },
        { "spaces at the end", "HIGH_NOT_PRECEDENCE  ", MODES_OK, MODE_HIGH_NOT_PRECEDENCE, NULL },
        { "spaces elsewhere", "ANSI_QUOTES ,ANSI", MODES_UNKNOWN_NAME, 0, "ANSI_QUOTES " },
        { "unknown", "ANSI,ANSI_QUOTE", MODES_UNKNOWN_NAME, 0, "ANSI_QUOTE" },
        { "a number", "4", MODES_UNKNOWN_NAME, 0, "4" },
        { "another grammar", "STRICT_ALL_TABLES,oracle", MODES_REFUSED, 0, "oracle" },
        { "brackets", "MSSQL", MODES_REFUSED, 0, "MSSQL" },
        { "'' as NULL", "EMPTY_STRING_IS_NULL", MODES_REFUSED, 0, "EMPTY_STRING_IS_NULL" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t got = 0;
        struct slice name = SLICE_LIT("");
        if (dialect_modes(slice_cstr(cases[i].value), &got, &name) != cases[i].want ||
            got != cases[i].modes)
            fail_msg("%s", cases[i].why);
        if (cases[i].name)
            assert_true(slice_eq(name, slice_cstr(cases[i].name)));
        dialect_modes(slice_cstr(cases[i].value), &got, NULL);
    }
}

static void strict_modes(void **state)
{
    (void)state;
    assert_true(dialect_is_strict(SLICE_LIT("strict_trans_tables")));
    assert_true(dialect_is_strict(SLICE_LIT("ANSI,STRICT_ALL_TABLES,NO_ZERO_DATE")));
    assert_true(dialect_is_strict(SLICE_LIT(",TRADITIONAL")));
    assert_false(dialect_is_strict(SLICE_LIT("")));
    assert_false(dialect_is_strict(SLICE_LIT("STRICT_TRANS,ANSI")));
}

static void charsets(void **state)
{
    static const struct {
        const char *name, *found;
        bool safe;
    } cases[] = {
        { "utf8mb4", "utf8mb4", true }, { "UTF8MB4", "utf8mb4", true },
        { "utf8", "utf8mb3", true },    { "latin1", "latin1", true },
        { "ascii", "ascii", true },     { "binary", "binary", true },
        { "koi8r", "koi8r", true },     { "ujis", "ujis", true },
        { "gb2312", "gb2312", true },   { "gbk", "gbk", false },
        { "big5", "big5", false },      { "sjis", "sjis", false },
        { "cp932", "cp932", false },    { "gb18030", "gb18030", false },
        { "euckr", "euckr", false },    { "swe7", "swe7", false },
        { "ucs2", "ucs2", false },      { "utf16", "utf16", false },
        { "utf16le", "utf16le", false }, { "utf32", "utf32", false },
        { "utf8mb4_bin", NULL, false }, { "nosuch", NULL, false },
        { "", NULL, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct charset_info *c = charset_find(slice_cstr(cases[i].name));
        if (!cases[i].found) {
            assert_null(c);
            continue;
        }
        assert_non_null(c);
        assert_string_equal(c->name, cases[i].found);
        if (c->safe != cases[i].safe)
            fail_msg("%s", cases[i].name);
        assert_string_equal(collation_name(c->default_collation_id), c->default_collation);
        assert_ptr_equal(charset_of_collation(slice_cstr(c->default_collation)), c);
    }
}

static void collations(void **state)
{
    static const struct {
        uint32_t id;
        const char *name, *charset;
    } cases[] = {
        { 8, "latin1_swedish_ci", "latin1" },    { 28, "gbk_chinese_ci", "gbk" },
        { 33, "utf8mb3_general_ci", "utf8mb3" }, { 45, "utf8mb4_general_ci", "utf8mb4" },
        { 46, "utf8mb4_bin", "utf8mb4" },        { 63, "binary", "binary" },
        { 224, "utf8mb4_unicode_ci", "utf8mb4" }, { 245, "utf8mb4_croatian_ci", "utf8mb4" },
        { 255, "utf8mb4_0900_ai_ci", "utf8mb4" }, { 309, "utf8mb4_0900_bin", "utf8mb4" },
        { 2304, "utf8mb4_uca1400_ai_ci", "utf8mb4" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(collation_name(cases[i].id), cases[i].name);
        assert_string_equal(charset_of_collation_id(cases[i].id)->name, cases[i].charset);
        assert_string_equal(charset_of_collation(slice_cstr(cases[i].name))->name,
                            cases[i].charset);
    }
    assert_null(collation_name(0));
    assert_null(collation_name(65535));
    assert_null(charset_of_collation_id(1u << 31));
    assert_null(charset_of_collation(SLICE_LIT("utf8mb4")));
    assert_null(charset_of_collation(SLICE_LIT("utf8_")));
    assert_string_equal(charset_of_collation(SLICE_LIT("UTF8_General_ci"))->name, "utf8mb3");
    assert_string_equal(charset_of_collation(SLICE_LIT("utf8mb4_croatian_mysql561_ci"))->name,
                        "utf8mb4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions), cmocka_unit_test(joining),    cmocka_unit_test(modes),
        cmocka_unit_test(strict_modes),
        cmocka_unit_test(charsets), cmocka_unit_test(collations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
