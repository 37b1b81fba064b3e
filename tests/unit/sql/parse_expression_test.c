/* How expressions group, in the order of MySQL's operator precedence, and which node each
 * form makes. */
#include "tests/unit/sql/parsed.h"

struct grouping_case {
    const char *why;
    const char *expression;
    const char *want; /* see grouped() */
    uint32_t modes;
};

static const struct grouping_case groupings[] = {
    { "OR is weaker than AND", "a OR b AND c", "[a OR [b AND c]]", 0 },
    { "AND first", "a AND b OR c", "[[a AND b] OR c]", 0 },
    { "XOR between them", "a OR b XOR c AND d", "[a OR [b XOR [c AND d]]]", 0 },
    { "signs for words", "a || b && c", "[a || [b && c]]", 0 },
    { "|| is OR", "a || b = c", "[a || [b = c]]", 0 },
    { "|| is concatenation", "a || b = c", "[[a || b] = c]", MODE_PIPES_AS_CONCAT },
    { "|| over ^", "a ^ b || c", "[a ^ [b || c]]", MODE_PIPES_AS_CONCAT },
    { "|| under unary minus", "- a || b", "[[- a] || b]", MODE_PIPES_AS_CONCAT },
    { "a chain is balanced", "a AND b AND c AND d", "[[a AND b] AND [c AND d]]", 0 },
    { "words and signs in one chain", "a OR b || c", "[[a OR b] || c]", 0 },

    { "NOT takes a comparison", "NOT a = b", "[NOT [a = b]]", 0 },
    { "NOT ends at AND", "NOT a AND b", "[[NOT a] AND b]", 0 },
    { "NOT takes BETWEEN", "NOT a BETWEEN b AND c", "[NOT [a BETWEEN b AND c]]", 0 },
    { "NOT NOT", "NOT NOT a IN (1)", "[NOT [NOT [a IN (1)]]]", 0 },
    { "high NOT is an operand", "1 + NOT a", "[1 + [NOT a]]", MODE_HIGH_NOT_PRECEDENCE },
    { "high NOT", "NOT a BETWEEN b AND c", "[[NOT a] BETWEEN b AND c]",
      MODE_HIGH_NOT_PRECEDENCE },
    { "! is high", "! a = b", "[[! a] = b]", 0 },
    { "! under COLLATE", "! a COLLATE utf8mb4_bin", "[! [a COLLATE utf8mb4_bin]]", 0 },

    { "comparisons go left", "a = b = c", "[[a = b] = c]", 0 },
    { "all comparisons are one level", "a < b <> c <=> d", "[[[a < b] <> c] <=> d]", 0 },
    { "IS chains", "a IS NULL IS NOT NULL", "[[a IS NULL] IS NOT NULL]", 0 },
    { "IS beside =", "a = b IS TRUE", "[[a = b] IS TRUE]", 0 },
    { "IN binds more than =", "a = b IN (c)", "[a = [b IN (c)]]", 0 },
    { "the result of IN compared", "a IN (b) = c", "[[a IN (b)] = c]", 0 },
    { "LIKE binds more than =", "a = b LIKE c", "[a = [b LIKE c]]", 0 },
    { "BETWEEN keeps its AND", "a BETWEEN b AND c AND d", "[[a BETWEEN b AND c] AND d]", 0 },
    { "BETWEEN and =", "a BETWEEN b AND c = d", "[[a BETWEEN b AND c] = d]", 0 },
    { "BETWEEN's last part is a predicate", "a BETWEEN b AND c IN (d)",
      "[a BETWEEN b AND [c IN (d)]]", 0 },
    { "BETWEEN within BETWEEN", "a BETWEEN b AND c BETWEEN d AND e",
      "[a BETWEEN b AND [c BETWEEN d AND e]]", 0 },
    { "BETWEEN's bounds", "a NOT BETWEEN b + 1 AND c | 1",
      "[a NOT BETWEEN [b + 1] AND [c | 1]]", 0 },
    { "predicates under NOT", "NOT a NOT LIKE b", "[NOT [a NOT LIKE b]]", 0 },
    { "a sum with an interval is complete", "a + INTERVAL 1 DAY * b", "[[a + [INTERVAL 1 DAY]] * b]",
      0 },
    { "a sign in front of an interval", "- INTERVAL 1 DAY + a", "[- [[INTERVAL 1 DAY] + a]]", 0 },
    { "behind an interval stands an expression", "INTERVAL 1 DAY + a = b AND c",
      "[[[INTERVAL 1 DAY] + [a = b]] AND c]", 0 },
    { "ESCAPE", "a LIKE b ESCAPE '!' AND c", "[[a LIKE b ESCAPE '!'] AND c]", 0 },
    { "REGEXP", "a NOT REGEXP b OR a RLIKE c", "[[a NOT REGEXP b] OR [a RLIKE c]]", 0 },
    { "SOUNDS LIKE", "a SOUNDS LIKE b AND c", "[[a SOUNDS LIKE b] AND c]", 0 },
    { "MEMBER OF", "1 MEMBER OF(a) AND b", "[[1 MEMBER OF(a)] AND b]", 0 },

    { "bit operators", "a | b & c << d", "[a | [b & [c << d]]]", 0 },
    { "shift under plus", "a << b + c", "[a << [b + c]]", 0 },
    { "arithmetic goes left", "a - b - c * d / e", "[[a - b] - [[c * d] / e]]", 0 },
    { "word operators", "a DIV b MOD c % d", "[[[a DIV b] MOD c] % d]", 0 },
    { "^ over *", "a * b ^ c", "[a * [b ^ c]]", 0 },
    { "minus binds more than ^", "- 2 ^ 2", "[[- 2] ^ 2]", 0 },
    { "unary chain", "- + ~ a", "[- [+ [~ a]]]", 0 },
    { "BINARY is unary", "BINARY a = b", "[[BINARY a] = b]", 0 },
    { "COLLATE binds most", "a = - b COLLATE utf8mb4_bin",
      "[a = [- [b COLLATE utf8mb4_bin]]]", 0 },
    { "COLLATE takes a string", "a COLLATE 'utf8mb4_bin' = b",
      "[[a COLLATE 'utf8mb4_bin'] = b]", 0 },
    { "JSON path", "a->'$.x' = 1", "[[a->'$.x'] = 1]", 0 },
    { "JSON path unquoted", "- t.a->>'$.x' + 1", "[[- [t.a->>'$.x']] + 1]", 0 },

    { "INTERVAL right", "a + INTERVAL 1 DAY > b", "[[a + [INTERVAL 1 DAY]] > b]", 0 },
    { "INTERVAL left", "INTERVAL 1 DAY + a", "[[INTERVAL 1 DAY] + a]", 0 },
    { "INTERVAL of an expression", "a - INTERVAL b * 2 HOUR_MINUTE",
      "[a - [INTERVAL [b * 2] HOUR_MINUTE]]", 0 },
    { "INTERVAL in parentheses", "a - INTERVAL (b) + 1 DAY", "[a - [INTERVAL [[(b)] + 1] DAY]]", 0 },
    { "INTERVAL the function", "INTERVAL(a, 1, 2) + 1", "[[INTERVAL(a, 1, 2)] + 1]", 0 },
    { "assignment takes all", "@a := 1 OR b", "[@a := [1 OR b]]", 0 },
    { "assignment inside", "1 + @a := b + 2", "[1 + [@a := [b + 2]]]", 0 },
    { "parentheses stay", "(a OR b) AND ((c))", "[[([a OR b])] AND [([(c)])]]", 0 },
    { "rows", "(a, b) = ROW(1, 2)", "[[(a, b)] = [ROW(1, 2)]]", 0 },
    { "rows in IN", "(a, b) IN ((1, 2), (3, 4))", "[[(a, b)] IN ([(1, 2)], [(3, 4)])]", 0 },
    { "IN of one in parentheses", "a IN ((1))", "[a IN ([(1)])]", 0 },
    { "CASE", "CASE a WHEN 1 THEN b ELSE c + 1 END", "[CASE a WHEN 1 THEN b ELSE [c + 1] END]", 0 },
    { "CASE without operand", "CASE WHEN a = 1 THEN b END", "[CASE WHEN [a = 1] THEN b END]", 0 },
};

/* MariaDB takes predicates of predicates, and any operators in a pattern. */
static const struct grouping_case mariadb_groupings[] = {
    { "a negated predicate goes to the pattern before it", "a LIKE b NOT IN (c)",
      "[a LIKE [b NOT IN (c)]]", 0 },
    { "a predicate of a predicate", "a IN (b) LIKE c", "[[a IN (b)] LIKE c]", 0 },
    { "operators in a pattern", "a LIKE b + c", "[a LIKE [b + c]]", 0 },
};

static void check_groupings(const struct grouping_case *cases, size_t count, const char *version)
{
    for (const struct grouping_case *c = cases; c < cases + count; c++) {
        struct dialect dialect = dialect_named(version, c->modes);
        struct parsed p;
        struct buf sql, got;
        buf_init(&sql);
        buf_init(&got);
        buf_printf(&sql, "DO %s", c->expression);
        parsed_good(&p, buf_cstr(&sql), &dialect);
        grouped(&p.lexed, p.root->child, &got);
        if (strcmp(buf_cstr(&got), c->want) != 0)
            fail_msg("%s: %s\n  want %s\n  got  %s", c->why, c->expression, c->want,
                     buf_cstr(&got));
        parsed_fini(&p);
        buf_fini(&got);
        buf_fini(&sql);
    }
}

static void test_grouping(void **state)
{
    (void)state;
    check_groupings(groupings, sizeof groupings / sizeof *groupings, NULL);
    check_groupings(mariadb_groupings, sizeof mariadb_groupings / sizeof *mariadb_groupings,
                    "10.11.6-MariaDB");
}

/* ---- forms ---- */

struct form_case {
    const char *why;
    const char *expression;
    const char *want; /* node_print of it */
};

static const struct form_case forms[] = {
    { "adjacent strings are one literal", "'a' \"b\" 'c'", "LITERAL 'a' \"b\" 'c'\n" },
    { "introducer", "_utf8mb4'a' 'b'", "LITERAL _utf8mb4'a' 'b'\n" },
    { "introducer of bytes", "_binary x'61'", "LITERAL _binary x'61'\n" },
    { "national", "N'a' 'b'", "LITERAL N'a' 'b'\n" },
    { "bytes", "0x4d", "LITERAL 0x4d\n" },
    { "words", "NULL", "LITERAL [NULL] NULL\n" },
    { "words in any case", "true", "LITERAL [TRUE] true\n" },
    { "date literal", "DATE '2024-01-31'", "LITERAL DATE '2024-01-31'\n" },
    { "date column", "date", "COLUMN date\n" },
    { "date function", "date(a)", "FUNCTION date\n  COLUMN a\n" },
    { "column of three parts", "db.t.select", "COLUMN db.t.select\n" },
    { "quoted", "`a``b`.`c`", "COLUMN `a``b`.`c`\n" },
    { "user variable", "@a", "USER_VARIABLE @a\n" },
    { "system variable", "@@session.sql_mode", "SYSTEM_VARIABLE +session @@session.sql_mode\n" },
    { "without scope", "@@version_comment", "SYSTEM_VARIABLE @@version_comment\n" },
    { "structured", "@@hot.key_buffer_size", "SYSTEM_VARIABLE @@hot.key_buffer_size\n" },

    { "COUNT(*)", "COUNT(*)", "FUNCTION +star COUNT(*)\n" },
    { "COUNT(ALL a)", "COUNT(ALL a)", "FUNCTION COUNT\n  COLUMN a\n" },
    { "DISTINCTROW", "COUNT(DISTINCTROW a)", "FUNCTION +distinct COUNT\n  COLUMN a\n" },
    { "COUNT(DISTINCT)", "COUNT(DISTINCT a, b)",
      "FUNCTION +distinct COUNT\n  COLUMN a\n  COLUMN b\n" },
    { "no arguments", "NOW()", "FUNCTION NOW()\n" },
    { "no parentheses", "CURRENT_TIMESTAMP", "FUNCTION CURRENT_TIMESTAMP\n" },
    { "with precision", "CURRENT_TIMESTAMP(6)", "FUNCTION CURRENT_TIMESTAMP\n  LITERAL 6\n" },
    { "reserved name", "IF(a, LEFT(b, 1), 2)",
      "FUNCTION IF\n  COLUMN a\n  FUNCTION LEFT\n    COLUMN b\n    LITERAL 1\n  LITERAL 2\n" },
    { "INSERT and REPLACE", "REPLACE(INSERT(a, 1, 2, b), c, d)",
      "FUNCTION REPLACE\n  FUNCTION INSERT\n    COLUMN a\n    LITERAL 1\n    LITERAL 2\n"
      "    COLUMN b\n  COLUMN c\n  COLUMN d\n" },
    { "MOD both ways", "MOD(a, 2) MOD 3",
      "BINARY [MOD]\n  FUNCTION MOD\n    COLUMN a\n    LITERAL 2\n  LITERAL 3\n" },
    { "stored function", "db.f(1)", "FUNCTION db.f\n  LITERAL 1\n" },
    { "quoted function", "`f`(1)", "FUNCTION `f`\n  LITERAL 1\n" },
    { "function name as a column", "count + max", "BINARY [+]\n  COLUMN count\n  COLUMN max\n" },
    { "GROUP_CONCAT", "GROUP_CONCAT(DISTINCT a ORDER BY b DESC SEPARATOR ',')",
      "FUNCTION +distinct GROUP_CONCAT\n  COLUMN a\n  ORDER_BY\n    ORDER_ITEM [DESC]\n"
      "      COLUMN b\n  LITERAL ','\n" },
    { "EXTRACT", "EXTRACT(YEAR_MONTH FROM a)", "FUNCTION EXTRACT\n  COLUMN a\n" },
    { "TRIM", "TRIM(LEADING 'x' FROM a)", "FUNCTION TRIM\n  LITERAL 'x'\n  COLUMN a\n" },
    { "TRIM of a side", "TRIM(BOTH FROM a)", "FUNCTION TRIM\n  COLUMN a\n" },
    { "TRIM plain", "TRIM(a)", "FUNCTION TRIM\n  COLUMN a\n" },
    { "SUBSTRING FROM", "SUBSTRING(a FROM 2 FOR 3)",
      "FUNCTION SUBSTRING\n  COLUMN a\n  LITERAL 2\n  LITERAL 3\n" },
    { "SUBSTRING", "SUBSTR(a, 2)", "FUNCTION SUBSTR\n  COLUMN a\n  LITERAL 2\n" },
    { "POSITION", "POSITION('x' IN a)", "FUNCTION POSITION\n  LITERAL 'x'\n  COLUMN a\n" },
    { "CHAR USING", "CHAR(65, 66 USING utf8mb4)", "FUNCTION CHAR\n  LITERAL 65\n  LITERAL 66\n" },
    { "TIMESTAMPADD", "TIMESTAMPADD(DAY, 1, a)",
      "FUNCTION TIMESTAMPADD\n  LITERAL 1\n  COLUMN a\n" },
    { "TIMESTAMPDIFF", "TIMESTAMPDIFF(SQL_TSI_HOUR, a, b)",
      "FUNCTION TIMESTAMPDIFF\n  COLUMN a\n  COLUMN b\n" },
    { "GET_FORMAT", "GET_FORMAT(DATE, 'USA')", "FUNCTION GET_FORMAT\n  LITERAL 'USA'\n" },
    { "WEIGHT_STRING", "WEIGHT_STRING(a AS CHAR(3))", "FUNCTION WEIGHT_STRING\n  COLUMN a\n" },
    { "JSON_VALUE", "JSON_VALUE(a, '$.x' RETURNING CHAR(5) DEFAULT 'y' ON EMPTY)",
      "FUNCTION JSON_VALUE\n  COLUMN a\n  LITERAL '$.x'\n" },
    { "DATE_ADD", "DATE_ADD(a, INTERVAL ? SECOND)",
      "FUNCTION DATE_ADD\n  COLUMN a\n  INTERVAL\n    PARAM ?\n" },
    { "CAST", "CAST(a AS DECIMAL(10, 2))", "CAST\n  COLUMN a\n" },
    { "CAST with charset", "CAST(a AS CHAR(10) CHARACTER SET utf8mb4)", "CAST\n  COLUMN a\n" },
    { "CONVERT", "CONVERT(a, UNSIGNED INTEGER)", "CAST\n  COLUMN a\n" },
    { "CONVERT USING", "CONVERT(a USING latin1)", "CAST\n  COLUMN a\n" },
    { "VALUES", "VALUES(t.a)", "VALUES_FUNCTION\n  COLUMN t.a\n" },
    { "VALUE is MariaDB's VALUES", "VALUE(a)", "VALUES_FUNCTION\n  COLUMN a\n" },
    { "value as a column", "value", "COLUMN value\n" },
    { "DEFAULT", "DEFAULT(a)", "DEFAULT\n  COLUMN a\n" },
    { "MATCH", "MATCH (a, t.b) AGAINST (? IN BOOLEAN MODE)",
      "MATCH\n  COLUMN a\n  COLUMN t.b\n  PARAM ?\n" },
    { "MATCH expanded", "MATCH a AGAINST ('x' WITH QUERY EXPANSION)",
      "MATCH\n  COLUMN a\n  LITERAL 'x'\n" },
    { "IS", "a IS NOT UNKNOWN", "IS +not [UNKNOWN]\n  COLUMN a\n" },
    { "MEMBER OF", "1 MEMBER OF ('[1]')", "MEMBER_OF\n  LITERAL 1\n  LITERAL '[1]'\n" },
    { "RLIKE is REGEXP", "a RLIKE 'x'", "LIKE [REGEXP]\n  COLUMN a\n  LITERAL 'x'\n" },
    { "window", "ROW_NUMBER() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND "
                "CURRENT ROW)",
      "FUNCTION +window ROW_NUMBER\n  OVER\n    COLUMN a\n    ORDER_BY\n      ORDER_ITEM\n"
      "        COLUMN b\n    LITERAL 1\n" },
    { "named window", "SUM(a) OVER w", "FUNCTION +window SUM\n  COLUMN a\n  OVER OVER w\n" },
    { "window of nulls", "NTH_VALUE(a, 2) FROM FIRST RESPECT NULLS OVER (w)",
      "FUNCTION +window NTH_VALUE\n  COLUMN a\n  LITERAL 2\n  OVER OVER (w)\n" },
    { "arguments with names", "f(a AS x, 2 y, 3 'z')",
      "FUNCTION f\n  COLUMN a\n  LITERAL 2\n  LITERAL 3\n" },
    { "cache of keys", "@@default.key_buffer_size",
      "SYSTEM_VARIABLE @@default.key_buffer_size\n" },
    { "quantifier", "a > ALL (SELECT 1)",
      "COMPARE +all [>]\n  COLUMN a\n  SUBQUERY\n    QUERY\n      BLOCK\n        SELECT_LIST\n"
      "          SELECT_ITEM\n            LITERAL 1\n" },
    { "EXISTS", "NOT EXISTS ((TABLE t))",
      "NOT\n  EXISTS\n    SUBQUERY\n      QUERY\n        QUERY_PAREN\n          QUERY\n"
      "            TABLE_STMT\n              TABLE\n                NAME t\n" },
};

static void test_forms(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form_case *c = &forms[i];
        struct parsed p;
        struct buf sql, got;
        buf_init(&sql);
        buf_init(&got);
        buf_printf(&sql, "DO %s", c->expression);
        parsed_good(&p, buf_cstr(&sql), &dialect);
        node_print(&p.lexed, p.root->child, &got);
        if (strcmp(buf_cstr(&got), c->want) != 0)
            fail_msg("%s: %s\nwant\n%s\ngot\n%s", c->why, c->expression, c->want, buf_cstr(&got));
        parsed_fini(&p);
        buf_fini(&got);
        buf_fini(&sql);
    }
}

/* ---- what is no expression ---- */

struct refusal_case {
    const char *why;
    const char *expression;
    enum err_code want;
};

static const struct refusal_case refusals[] = {
    { "nothing behind an operator", "a +", MQ_SYNTAX },
    { "reserved word", "a = from", MQ_SYNTAX },
    { "open parenthesis", "(a", MQ_SYNTAX },
    { "empty parenthesis", "()", MQ_SYNTAX },
    { "empty IN", "a IN ()", MQ_SYNTAX },
    { "IN without parenthesis", "a IN b", MQ_SYNTAX },
    { "BETWEEN without AND", "a BETWEEN 1", MQ_SYNTAX },
    { "IS what", "a IS 5", MQ_SYNTAX },
    { "EXISTS of an expression", "EXISTS (1)", MQ_SYNTAX },
    { "EXISTS of rows", "EXISTS (1, 2)", MQ_SYNTAX },
    { "ALL of an expression", "a = ALL (1)", MQ_SYNTAX },
    { "CASE without END", "CASE WHEN a THEN b", MQ_SYNTAX },
    { "CASE without WHEN", "CASE a END", MQ_SYNTAX },
    { "INTERVAL without unit", "a + INTERVAL 1", MQ_SYNTAX },
    { "introducer without string", "_utf8mb4 5", MQ_SYNTAX },
    { "star of a plain function", "SUM(*)", MQ_SYNTAX },
    { "space in front of COUNT's parenthesis", "COUNT (*)", MQ_SYNTAX },
    { "space in front of a name that IGNORE_SPACE covers", "MAX (a)", MQ_SYNTAX },
    { "comment in front of it", "NOW/**/()", MQ_SYNTAX },
    { "ODBC escape without a name", "{'2024-01-31'}", MQ_SYNTAX },
    { "ODBC escape without its end", "{d '2024-01-31'", MQ_SYNTAX },
    { "a query in a type", "CAST(a AS CHAR((SELECT 1)))", MQ_NOT_UNDERSTOOD },
    { "sequence", "NEXT VALUE FOR s", MQ_NOT_UNDERSTOOD },
    { "four parts", "a.b.c.d", MQ_SYNTAX },
    { "a predicate is no operand", "a IN (1) + 2", MQ_SYNTAX },
    { "nor is a test for NULL", "a IS NULL IN (1)", MQ_SYNTAX },
    { "nor is NOT", "1 + NOT a", MQ_SYNTAX },
    { "NOT behind !", "! NOT a", MQ_SYNTAX },
    { "NOT in a pattern", "a LIKE NOT b", MQ_SYNTAX },
    { "NOT as an operand", "NOT a IN (1) - 5", MQ_SYNTAX },
    { "IS behind an interval", "INTERVAL 1 DAY + a IS TRUE", MQ_NOT_UNDERSTOOD },
    { "MySQL: a sum in a pattern", "a LIKE b + 1", MQ_SYNTAX },
    { "MySQL: a predicate of a predicate", "a IN (1) LIKE 2", MQ_SYNTAX },
    { "the path of a value", "'{}' -> '$.a'", MQ_SYNTAX },
    { "a path that is no string", "a -> b", MQ_SYNTAX },
    { "a reserved word apart from its dot", "a. FROM", MQ_SYNTAX },
    { "a national string with an introducer", "_utf8mb4 N'a'", MQ_SYNTAX },
    { "a second star", "a, *", MQ_SYNTAX },
    { "bare ROW", "ROW(1)", MQ_SYNTAX },
};

static void test_refusals(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal_case *c = &refusals[i];
        char sql[256];
        struct parsed p;
        snprintf(sql, sizeof sql, "SELECT %s", c->expression);
        parsed_init(&p, sql, &dialect);
        if (p.root || p.err.code != c->want)
            fail_msg("%s: %s gives %d", c->why, sql, p.root ? MQ_OK : p.err.code);
        parsed_fini(&p);
    }
}

static void test_ignore_space(void **state)
{
    (void)state;
    static const char *const good[] = { "SELECT COUNT (*)", "SELECT MAX (a) FROM t",
                                        "SELECT NOW ()" };
    struct dialect dialect = dialect_named(NULL, MODE_IGNORE_SPACE);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct parsed p;
        parsed_good(&p, good[i], &dialect);
        assert_non_null(find_anywhere(p.root, N_FUNCTION));
        parsed_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grouping),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ignore_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
