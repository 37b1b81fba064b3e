/* Statements restored from digests. */
#include "collect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *why, *digest, *want;
} cases[] = {
    { "literals", "SELECT ? , `a` LIMIT ?", "SELECT ? , `a` LIMIT ?" },
    { "values in a row", "SELECT ?, ... , `a` LIMIT ?, ...", "SELECT ?, ? , `a` LIMIT ?, ?" },
    { "lists", "`a` IN (...) AND `b` IN (?)", "`a` IN (?, ?) AND `b` IN (?)" },
    { "rows as wide as the columns", "INSERT INTO `t` ( `a` , `b` , ID ) VALUES (...)",
      "INSERT INTO `t` ( `a` , `b` , ID ) VALUES (?, ?, ?)" },
    { "many rows", "INSERT INTO `t` ( `a` ) VALUES (?) /* , ... */",
      "INSERT INTO `t` ( `a` ) VALUES (?)" },
    { "rows of a known table",
      "INSERT INTO `known` VALUES (...) /* , ... */ ON DUPLICATE KEY UPDATE `a` = ?",
      "INSERT INTO `known` VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE `a` = ?" },
    { "rows of an unknown one", "INSERT INTO `t` VALUES (...)", "INSERT INTO `t` VALUES (?, ?)" },
    { "a row that is part literals",
      "INSERT INTO `t` ( `a` , `b` , `c` , `d` , `e` , `f` ) VALUES ( ?, ... , TRUE , ?, ... )",
      "INSERT INTO `t` ( `a` , `b` , `c` , `d` , `e` , `f` ) VALUES (?, ?, ? , TRUE , ?, ? )" },
    { "functions inside a row",
      "INSERT INTO `t` ( `a` , `b` , `c` , `d` ) VALUES ( ?, ... , IF ( ?, ... ) )",
      "INSERT INTO `t` ( `a` , `b` , `c` , `d` ) VALUES (?, ?, ? , IF ( ?, ? ) )" },
    { "the function VALUES", "ON DUPLICATE KEY UPDATE `a` = VALUES ( `a` ) + ?",
      "ON DUPLICATE KEY UPDATE `a` = VALUES (`a` ) + ?" },
    { "quoted functions", "SELECT `UNIX_TIMESTAMP` ( ) , `f x` (?) , `GREATEST` (...)",
      "SELECT UNIX_TIMESTAMP ( ) , `f x` (?) , GREATEST (?, ?)" },
    { "typed literals", "SELECT DATE ? , DATE ( ? ) , `a` + INTERVAL ? SQL_TSI_DAY",
      "SELECT  ? , DATE ( ? ) , `a` + INTERVAL ? DAY" },
    { "NULL on MariaDB", "SELECT (unknown) , (_charset) ?", "SELECT NULL ,  ?" },
    { "names with spaces and quotes", "SELECT `a b` . `c``d` FROM `x`",
      "SELECT `a b` . `c``d` FROM `x`" },
    { "user variables", "SET @? = ?", "SET @v = ?" },
    { "PREPARE of a name is SQL", "PREPARE `s` FROM ?", "PREPARE `s` FROM ?" },
    { "DEALLOCATE as well", "DEALLOCATE PREPARE `s`", "DEALLOCATE PREPARE `s`" },
    { "a prepared statement's execution", "EXECUTE SELECT `a` FROM `t`", "SELECT `a` FROM `t`" },
};

static void restores_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char file[600], want[400];
        struct buf got;
        int len = snprintf(file, sizeof file, "digest_text\n%s\n", cases[i].digest);
        snprintf(want, sizeof want, "digest 2 |%s|\n", cases[i].want);
        collect(CAPTURE_TSV, file, (size_t)len, SIZE_MAX, 1000, &got);
        if (strcmp(buf_cstr(&got), want) != 0)
            fail_msg("%s: got\n%swant\n%s", cases[i].why, buf_cstr(&got), want);
        buf_fini(&got);
    }
}

/* Only executions count; a statement that was given up is none. */
static void tells_prepare_from_execute(void **state)
{
    (void)state;
    static const char file[] = "DIGEST_TEXT\tCOUNT_STAR\nPREPARE SELECT ?\t3\n"
                               "EXECUTE SELECT ?\t4\nDEALLOCATE SELECT ?\t3\n";
    struct buf got;
    collect(CAPTURE_TSV, file, sizeof file - 1, SIZE_MAX, 1000, &got);
    assert_string_equal(buf_cstr(&got), "digest 2 x0 |SELECT ?|\ndigest 3 x4 |SELECT ?|\n");
    buf_fini(&got);
}

/* 1024 bytes of tokens: two each, a name its length more. */
static void tells_what_may_be_cut(void **state)
{
    (void)state;
    static const int names[] = { 100, 145, 200 };
    static const bool cut[] = { false, true, false };
    for (size_t i = 0; i < COUNT(names); i++) {
        struct buf file, got;
        buf_init(&file);
        buf_append_cstr(&file, "DIGEST_TEXT\nSELECT");
        for (int n = 0; n < names[i]; n++)
            buf_append_cstr(&file, n ? " , `a`" : " `a`");
        buf_append_cstr(&file, "\n");
        struct slice text = buf_slice(&file);
        collect(CAPTURE_TSV, text.data, text.len, SIZE_MAX, 10000, &got);
        assert_int_equal(strstr(buf_cstr(&got), " cut ") != NULL, cut[i]);
        buf_fini(&file);
        buf_fini(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restores_statements),
        cmocka_unit_test(tells_prepare_from_execute),
        cmocka_unit_test(tells_what_may_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
