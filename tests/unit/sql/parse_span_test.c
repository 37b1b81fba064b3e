/* The bytes that nodes cover: edits are anchored to them, so they must be exact. */
#include "tests/unit/sql/parsed.h"

struct span_case {
    const char *sql;
    enum node_kind kind; /* the first node of this kind */
    const char *want;
};

static const struct span_case spans[] = {
    { "SELECT a , b AS c FROM t", N_SELECT_LIST, "a , b AS c" },
    { "SELECT a , b AS c FROM t", N_ALIAS, "AS c" },
    { "SELECT a 'x' FROM t", N_SELECT_ITEM, "a 'x'" },
    { "SELECT db . t . * FROM t", N_STAR, "db . t . *" },
    { "SELECT DISTINCT a FROM t LIMIT 1;", N_BLOCK, "SELECT DISTINCT a FROM t" },
    { "SELECT DISTINCT a FROM t LIMIT 1;", N_QUERY, "SELECT DISTINCT a FROM t LIMIT 1" },
    { " SELECT 1 FROM a, b c WHERE d ", N_FROM, "FROM a, b c" },
    { " SELECT 1 FROM a, b c WHERE d ", N_WHERE, "WHERE d" },
    { "SELECT 1 FROM db . t /* x */ AS u USE INDEX (a)", N_TABLE,
      "db . t /* x */ AS u USE INDEX (a)" },
    { "SELECT 1 FROM db . t /* x */ AS u USE INDEX (a)", N_NAME, "db . t" },
    { "SELECT 1 FROM db . t /* x */ AS u USE INDEX (a)", N_INDEX_HINT, "USE INDEX (a)" },
    { "SELECT 1 FROM t PARTITION (p) u", N_PARTITION, "PARTITION (p)" },
    { "SELECT 1 FROM a JOIN b ON x = y, c", N_JOIN, "a JOIN b ON x = y" },
    { "SELECT 1 FROM a JOIN b ON x = y, c", N_ON, "ON x = y" },
    { "SELECT 1 FROM a JOIN b USING (x), c", N_USING, "USING (x)" },
    { "SELECT 1 FROM a JOIN b LEFT JOIN c ON x", N_JOIN, "a JOIN b LEFT JOIN c ON x" },
    { "SELECT 1 FROM (a, b)", N_TABLES_PAREN, "(a, b)" },
    { "SELECT 1 FROM LATERAL (SELECT 1) AS d (x)", N_DERIVED, "LATERAL (SELECT 1) AS d (x)" },
    { "SELECT 1 FROM ((SELECT 1) LIMIT 1) d", N_SUBQUERY, "((SELECT 1) LIMIT 1)" },
    { "SELECT 1 FROM ((SELECT 1) LIMIT 1) d", N_QUERY_PAREN, "(SELECT 1)" },
    { "SELECT 1 FROM t GROUP BY a, b WITH ROLLUP HAVING c", N_GROUP_BY,
      "GROUP BY a, b WITH ROLLUP" },
    { "SELECT 1 FROM t GROUP BY a, b WITH ROLLUP HAVING c", N_HAVING, "HAVING c" },
    { "SELECT 1 ORDER BY a DESC, b LIMIT 1", N_ORDER_BY, "ORDER BY a DESC, b" },
    { "SELECT 1 ORDER BY a DESC, b LIMIT 1", N_ORDER_ITEM, "a DESC" },
    { "SELECT 1 LIMIT 1 OFFSET 2 FOR UPDATE", N_LIMIT, "LIMIT 1 OFFSET 2" },
    { "SELECT 1 FROM t FOR UPDATE OF t NOWAIT INTO @a", N_LOCKING, "FOR UPDATE OF t NOWAIT" },
    { "SELECT 1 FROM t FOR UPDATE OF t NOWAIT INTO @a", N_INTO, "INTO @a" },
    { "WITH a AS (SELECT 1) SELECT 2", N_WITH, "WITH a AS (SELECT 1)" },
    { "WITH a AS (SELECT 1) SELECT 2", N_CTE, "a AS (SELECT 1)" },
    { "WITH a AS (SELECT 1) UPDATE t SET b = 1", N_UPDATE,
      "WITH a AS (SELECT 1) UPDATE t SET b = 1" },
    { "SELECT 1 WINDOW w AS (ORDER BY a) ORDER BY b", N_WINDOWS, "WINDOW w AS (ORDER BY a)" },
    { "SELECT SUM(a) OVER (ORDER BY b) c", N_FUNCTION, "SUM(a) OVER (ORDER BY b)" },
    { "SELECT SUM(a) OVER (ORDER BY b) c", N_OVER, "OVER (ORDER BY b)" },
    { "INSERT INTO t (a, b) VALUES (1, 2) , (3, 4)", N_COLUMNS, "(a, b)" },
    { "INSERT INTO t (a, b) VALUES (1, 2) , (3, 4)", N_ROWS, "VALUES (1, 2) , (3, 4)" },
    { "INSERT INTO t (a, b) VALUES (1, 2) , (3, 4)", N_ROW, "(1, 2)" },
    { "INSERT INTO t VALUES ROW (1)", N_ROW, "ROW (1)" },
    { "INSERT INTO t SET a = 1, b = 2 AS n", N_ASSIGNMENTS, "SET a = 1, b = 2" },
    { "INSERT INTO t SET a = 1, b = 2 AS n", N_ROW_ALIAS, "AS n" },
    { "INSERT t SELECT 1 ON DUPLICATE KEY UPDATE a = b", N_QUERY, "SELECT 1" },
    { "INSERT t SELECT 1 ON DUPLICATE KEY UPDATE a = b", N_ON_DUPLICATE,
      "ON DUPLICATE KEY UPDATE a = b" },
    { "UPDATE t a, u SET a.x = 1 + 2 WHERE b", N_FROM, "t a, u" },
    { "UPDATE t a, u SET a.x = 1 + 2 WHERE b", N_ASSIGNMENT, "a.x = 1 + 2" },
    { "DELETE a.*, b FROM a, b", N_TARGETS, "a.*, b" },
    { "DELETE a.*, b FROM a, b", N_FROM, "FROM a, b" },
    { "DELETE FROM a USING a, b", N_FROM, "USING a, b" },
    { "DELETE FROM a . * USING a, b", N_TARGETS, "a . *" },
    { "DO _utf8mb4 'a' 'b' + 1", N_LITERAL, "_utf8mb4 'a' 'b'" },
    { "DO a IN (1, (2))", N_IN, "a IN (1, (2))" },
    { "DO a IN (SELECT 1)", N_SUBQUERY, "(SELECT 1)" },
    { "DO CAST(a AS CHAR(3)) + 1", N_CAST, "CAST(a AS CHAR(3))" },
    { "DO a + INTERVAL 1 DAY + 2", N_INTERVAL, "INTERVAL 1 DAY" },
    { "DO a COLLATE utf8mb4_bin = 1", N_COLLATE, "a COLLATE utf8mb4_bin" },
    { "DO (a) = ROW (1, 2)", N_ROW_EXPR, "ROW (1, 2)" },
    { "DO @@session . a + 1", N_SYSTEM_VARIABLE, "@@session . a" },
    { "DO a AND b OR c", N_AND, "a AND b" },
    { "DO NOT (a) AND b", N_NOT, "NOT (a)" },
    { "DO CASE a WHEN 1 THEN 2 END + 1", N_CASE, "CASE a WHEN 1 THEN 2 END" },
    { "DO MATCH (a) AGAINST ('x') + 1", N_MATCH, "MATCH (a) AGAINST ('x')" },
    { "/*!50000 SELECT 1 */ + 2", N_BINARY, "1 */ + 2" },
    { "SET GLOBAL a = 1, @b = 2", N_SET_VARIABLE, "GLOBAL a = 1" },
    { "SET NAMES a COLLATE b, @c = 1", N_SET_NAMES, "NAMES a COLLATE b" },
    { "SET NAMES a COLLATE b, @c = 1", N_COLLATION, "COLLATE b" },
    { "SHOW TABLES FROM a LIKE 'b'", N_SHOW_FROM, "FROM a" },
    { "SHOW TABLES FROM a LIKE 'b'", N_LIKE_PATTERN, "LIKE 'b'" },
    { "CREATE TABLE t (a INT (3) UNSIGNED NOT NULL, KEY (a)) ENGINE = x", N_COLUMN_DEF,
      "a INT (3) UNSIGNED NOT NULL" },
    { "CREATE TABLE t (a INT (3) UNSIGNED NOT NULL, KEY (a)) ENGINE = x", N_TYPE,
      "INT (3) UNSIGNED" },
    { "CREATE TABLE t (a INT (3) UNSIGNED NOT NULL, KEY (a)) ENGINE = x", N_KEY_DEF, "KEY (a)" },
    { "CREATE TABLE t (a INT (3) UNSIGNED NOT NULL, KEY (a)) ENGINE = x", N_TABLE_OPTIONS,
      "ENGINE = x" },
    { "CREATE TABLE t (KEY k (a (3) DESC, b) COMMENT 'x')", N_KEY_PART, "a (3) DESC" },
    { "CREATE TABLE t (KEY k (a (3) DESC, b) COMMENT 'x')", N_KEY_DEF,
      "KEY k (a (3) DESC, b) COMMENT 'x'" },
    { "KILL QUERY 5;", N_KILL, "KILL QUERY 5" },
    { "FLUSH TABLES;", N_OTHER, "FLUSH TABLES" },
};

static void test_spans(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        const struct span_case *c = &spans[i];
        struct parsed p;
        parsed_good(&p, c->sql, &dialect);
        const struct node *n = find_anywhere(p.root, c->kind);
        if (!n)
            fail_msg("%s has no %s", c->sql, node_kind_name(c->kind));
        struct slice got = node_text(&p.lexed, n);
        if (!slice_eq(got, slice_cstr(c->want)))
            fail_msg("%s: %s\n  want %s\n  got  %.*s", c->sql, node_kind_name(c->kind), c->want,
                     (int)got.len, got.data);
        parsed_fini(&p);
    }
}

/* ---- reading a tree ---- */

static void test_reading(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    struct parsed p;
    parsed_good(&p, "SELECT a, b FROM t WHERE c", &dialect);
    const struct node *block = node_find(p.root, N_BLOCK);
    assert_non_null(block);
    assert_int_equal(node_children(block), 3);
    assert_int_equal(node_nth(block, 1)->kind, N_FROM);
    assert_null(node_nth(block, 3));
    assert_null(node_find(block, N_LIMIT));
    assert_string_equal(node_kind_name(N_SET_OP), "SET_OP");
    assert_string_equal(node_kind_name(N_COUNT), "?");
    parsed_fini(&p);
}

/* ---- names that are words, in each flavour ---- */

struct word_case {
    const char *version;
    const char *sql;
    enum err_code want;
};

static const struct word_case words[] = {
    { "8.0.36", "SELECT offset, status, type, value, date, count, action FROM data", MQ_OK },
    { "8.0.36", "SELECT a offset FROM t offset", MQ_OK },
    { "8.0.36", "SELECT rank FROM t", MQ_SYNTAX },
    { "8.0.36", "SELECT t.rank, t.select FROM t", MQ_OK },
    { "8.0.36", "SELECT a window FROM t", MQ_SYNTAX },
    { "5.7.44", "SELECT rank, row FROM t", MQ_OK },
    { "10.11.6-MariaDB", "SELECT offset FROM t WHERE offset = 1 ORDER BY offset", MQ_OK },
    { "10.11.6-MariaDB", "INSERT INTO t (offset) VALUES (1) ON DUPLICATE KEY UPDATE offset = 2",
      MQ_OK },
    { "10.11.6-MariaDB", "UPDATE t SET offset = 1", MQ_OK },
    { "10.11.6-MariaDB", "CREATE TABLE t (offset INT, KEY (offset))", MQ_OK },
    { "10.11.6-MariaDB", "SELECT 1 FROM t JOIN u USING (offset)", MQ_OK },
    { "10.11.6-MariaDB", "SELECT a offset FROM t", MQ_SYNTAX },
    { "10.11.6-MariaDB", "SELECT 1 FROM offset", MQ_SYNTAX },
    { "10.11.6-MariaDB", "SELECT 1 FROM t LIMIT 1 OFFSET 2", MQ_OK },
    { "10.11.6-MariaDB", "SELECT rank, row, lateral FROM t", MQ_OK },
    { "10.11.6-MariaDB", "SELECT 1 FROM t WINDOW w AS (ORDER BY a)", MQ_OK },
    { "8.0.36", "SELECT RANK () OVER (ORDER BY a), ROW_NUMBER () OVER w FROM t WINDOW w AS ()",
      MQ_OK },
    { "10.11.6-MariaDB", "SELECT RANK () OVER (ORDER BY a) FROM t", MQ_SYNTAX },
    { "10.11.6-MariaDB", "SELECT CURRENT_ROLE, LAG(a) OVER (ORDER BY b) FROM t", MQ_OK },
};

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct word_case *c = &words[i];
        struct dialect dialect = dialect_named(c->version, 0);
        struct parsed p;
        parsed_init(&p, c->sql, &dialect);
        enum err_code got = p.root ? MQ_OK : p.err.code;
        if (got != c->want)
            fail_msg("%s: %s gives %d", c->version, c->sql, got);
        parsed_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
