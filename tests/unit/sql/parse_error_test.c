/* What is refused, with which code, and how the message names the place. */
#include "base/memory.h"
#include "tests/unit/sql/parsed.h"

struct error_case {
    const char *why;
    const char *sql;
    enum err_code code;
    const char *text;
};

static const struct error_case errors[] = {
    { "nothing", "", MQ_EMPTY_QUERY, "the query holds no statement" },
    { "space, semicolons", "  ; ;; ", MQ_EMPTY_QUERY, "the query holds no statement" },
    { "space, comments, semicolons", " /* a */ ; ;; -- b", MQ_SYNTAX,
      "expected a statement near '' at position 19" },
    { "a word that begins no statement", "FOO", MQ_SYNTAX,
      "expected a statement near 'FOO' at position 1" },
    { "a keyword that begins no statement", "  WHERE a", MQ_SYNTAX,
      "expected a statement near 'WHERE a' at position 3" },
    { "a literal", "'a'", MQ_SYNTAX, "expected a statement near ''a'' at position 1" },
    { "a second statement", "SELECT 1; DROP TABLE t", MQ_MULTI_STATEMENT,
      "a second statement near 'DROP TABLE t' at position 11" },
    { "a second, empty statement", "SELECT 1;;", MQ_MULTI_STATEMENT,
      "a second statement near ';' at position 10" },
    { "a first, empty statement", "; SELECT 1", MQ_MULTI_STATEMENT,
      "a second statement near 'SELECT 1' at position 3" },
    { "a second statement behind one that is skipped", "KILL 1; SELECT 1", MQ_MULTI_STATEMENT,
      "a second statement near 'SELECT 1' at position 9" },
    { "the end", "SELECT a FROM", MQ_SYNTAX, "expected a table near '' at position 14" },
    { "words behind the end", "COMMIT a", MQ_SYNTAX,
      "expected the end of the statement near 'a' at position 8" },
    { "at most 40 bytes", "SELECT a FROM 1234567890123456789012345678901234567890123", MQ_SYNTAX,
      "expected a table near '1234567890123456789012345678901234567890' at position 15" },
    { "not in the middle of a character",
      "SELECT a FROM 123456789012345678901234567890 '\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4'",
      MQ_SYNTAX,
      "expected a table near '123456789012345678901234567890 '\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4' "
      "at position 15" },
    { "a reserved word as a name", "SELECT 1 FROM select", MQ_SYNTAX,
      "expected a table near 'select' at position 15" },
    { "a reserved word as an alias", "SELECT 1 AS from", MQ_SYNTAX,
      "expected an alias near 'from' at position 13" },
    { "a reserved word as a column", "INSERT INTO t (a, order) VALUES (1)", MQ_SYNTAX,
      "expected a column near 'order) VALUES (1)' at position 19" },
    { "a string as a name", "SELECT 1 FROM 't'", MQ_SYNTAX,
      "expected a table near ''t'' at position 15" },
    { "a missing list", "SELECT FROM t", MQ_SYNTAX,
      "expected an expression near 'FROM t' at position 8" },
    { "a missing comma", "SELECT a b c", MQ_SYNTAX,
      "expected the end of the statement near 'c' at position 12" },
    { "LIMIT of an expression", "SELECT 1 LIMIT 1 + 1", MQ_SYNTAX,
      "expected the end of the statement near '+ 1' at position 18" },
    { "LIMIT of a string", "SELECT 1 LIMIT '1'", MQ_SYNTAX,
      "expected a number of rows near ''1'' at position 16" },
    { "UNION behind LIMIT", "SELECT 1 LIMIT 1 UNION SELECT 2", MQ_SYNTAX,
      "expected the end of the statement near 'UNION SELECT 2' at position 18" },
    { "an outer join without condition", "SELECT 1 FROM a LEFT JOIN b WHERE 1", MQ_SYNTAX,
      "expected ON or USING near 'WHERE 1' at position 29" },
    { "two conditions", "SELECT 1 FROM a JOIN b ON x ON y", MQ_SYNTAX,
      "expected the end of the statement near 'ON y' at position 29" },
    { "USING of an expression", "SELECT 1 FROM a JOIN b USING (1)", MQ_SYNTAX,
      "expected a column near '1)' at position 31" },
    { "INSERT of nothing", "INSERT INTO t", MQ_SYNTAX,
      "expected a query near '' at position 14" },
    { "ON DUPLICATE without assignments", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE",
      MQ_SYNTAX, "expected a column near '' at position 49" },
    { "an assignment without value", "UPDATE t SET a = WHERE b", MQ_SYNTAX,
      "expected an expression near 'WHERE b' at position 18" },
    { "an assignment to an expression", "UPDATE t SET a + 1 = 2", MQ_SYNTAX,
      "expected = near '+ 1 = 2' at position 16" },
    { "DELETE of nothing", "DELETE t", MQ_SYNTAX, "expected FROM near '' at position 9" },
    { "SHOW of nothing", "SHOW", MQ_SYNTAX, "expected what to show near '' at position 5" },
    { "SHOW COLUMNS of nothing", "SHOW COLUMNS LIKE 'a'", MQ_SYNTAX,
      "expected FROM near 'LIKE 'a'' at position 14" },
    { "an isolation level that is none", "SET TRANSACTION ISOLATION LEVEL READ", MQ_SYNTAX,
      "expected an isolation level near 'READ' at position 33" },
    { "two access modes", "START TRANSACTION READ ONLY, READ WRITE", MQ_SYNTAX,
      "expected WITH CONSISTENT SNAPSHOT, READ ONLY or READ WRITE near 'READ WRITE' at "
      "position 30" },
    { "SET of nothing", "SET a", MQ_SYNTAX, "expected = near '' at position 6" },
    { "USE of nothing", "USE", MQ_SYNTAX, "expected a database near '' at position 4" },
    { "an unfinished definition", "CREATE TABLE t (a INT", MQ_SYNTAX,
      "expected ) near '' at position 22" },
    { "a column without type", "CREATE TABLE t (a, b INT)", MQ_SYNTAX,
      "expected a column type near ', b INT)' at position 18" },
    { "an unknown column option", "CREATE TABLE t (a INT FOO)", MQ_NOT_UNDERSTOOD,
      "this column option is not understood near 'FOO)' at position 23" },
    { "temporal tables", "SELECT 1 FROM t FOR SYSTEM_TIME ALL", MQ_NOT_UNDERSTOOD,
      "a temporal table is not understood near 'FOR SYSTEM_TIME ALL' at position 17" },
    { "PROCEDURE ANALYSE", "SELECT 1 FROM t PROCEDURE ANALYSE()", MQ_NOT_UNDERSTOOD,
      "PROCEDURE is not understood near 'PROCEDURE ANALYSE()' at position 17" },
    { "a compound statement", "BEGIN NOT ATOMIC SELECT 1; END", MQ_NOT_UNDERSTOOD,
      "BEGIN NOT ATOMIC is not understood near 'NOT ATOMIC SELECT 1; END' at position 7" },
    { "EXPLAIN into a variable", "EXPLAIN FORMAT=JSON INTO @x SELECT 1", MQ_NOT_UNDERSTOOD,
      "this form of EXPLAIN is not understood near 'INTO @x SELECT 1' at position 21" },
};

static void test_errors(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const struct error_case *c = &errors[i];
        struct parsed p;
        parsed_init(&p, c->sql, &dialect);
        if (p.root)
            fail_msg("%s: %s parses", c->why, c->sql);
        if (p.err.code != c->code || strcmp(p.err.text, c->text) != 0)
            fail_msg("%s: %s\n  want %d %s\n  got  %d %s", c->why, c->sql, c->code, c->text,
                     p.err.code, p.err.text);
        parsed_fini(&p);
    }
}

/* ---- limits ---- */

static void append_times(struct buf *b, const char *s, size_t times)
{
    while (times--)
        buf_append_cstr(b, s);
}

struct nesting_case {
    const char *why;
    const char *head, *open, *middle, *close;
    size_t good, bad; /* how often open and close may and may not be repeated; 0: no limit */
};

static const struct nesting_case nestings[] = {
    { "parentheses", "SELECT ", "(", "1", ")", 190, 201 },
    { "calls", "SELECT ", "ABS(", "1", ")", 190, 201 },
    { "parentheses and operators", "SELECT ", "1 + (2 * ", "1", ")", 190, 201 },
    { "minus signs", "SELECT ", "- ", "1", "", 190, 201 },
    { "NOT", "SELECT ", "NOT ", "1", "", 190, 201 },
    { "CASE", "SELECT ", "CASE WHEN 1 THEN ", "1", " END", 190, 201 },
    { "assignments", "SELECT ", "@a := ", "1", "", 190, 201 },
    { "BETWEEN to the right", "SELECT 1", " BETWEEN 1 AND 1", "", "", 190, 201 },
    { "sub-queries", "SELECT ", "(SELECT ", "1", ")", 190, 201 },
    { "sub-queries in IN", "SELECT 1", " IN (SELECT 1", "", ")", 150, 201 },
    { "quantified sub-queries", "SELECT 1", " = ANY (SELECT 1", "", ")", 150, 201 },
    { "EXISTS", "SELECT ", "EXISTS (SELECT ", "1", ")", 90, 201 },
    { "MEMBER OF", "SELECT 1", " MEMBER OF (1", "", ")", 190, 201 },
    { "ODBC escapes", "SELECT ", "{x ", "1", "}", 190, 201 },
    { "ODBC's outer joins", "SELECT 1 FROM ", "{oj ", "t", "}", 190, 201 },
    { "casts", "SELECT ", "CAST(", "1", " AS CHAR)", 190, 201 },
    { "intervals", "SELECT ", "INTERVAL ", "1", " DAY + 1", 190, 201 },
    { "rows", "SELECT ", "ROW(1, ", "1", ")", 190, 201 },
    { "lists in lists", "SELECT 1", " IN (1, 1", "", ")", 190, 201 },
    { "sides of CASE", "SELECT ", "CASE ", "1", " WHEN 1 THEN 1 END", 190, 201 },
    { "unions of parentheses", "", "(SELECT 1 UNION ", "SELECT 1", ")", 190, 201 },
    { "windows", "SELECT ", "SUM(1) OVER (ORDER BY ", "1", ")", 190, 201 },
    { "lateral tables", "SELECT 1 FROM ", "LATERAL (SELECT 1 FROM ", "t", ") d", 190, 201 },
    { "sub-queries in ON", "SELECT 1 FROM t", " JOIN t ON 1 IN (SELECT 1 FROM t", "", ")", 90,
      201 },
    { "derived tables", "SELECT 1 FROM ", "(SELECT 1 FROM ", "t", ") d", 190, 201 },
    { "table parentheses", "SELECT 1 FROM ", "(", "t", ")", 190, 201 },
    { "query parentheses", "", "(", "SELECT 1", ")", 190, 201 },
    { "common table expressions", "", "WITH a AS (", "SELECT 1", ") SELECT 1", 190, 201 },
    { "joins", "SELECT 1 FROM t", " JOIN t", "", "", 190, 201 },
    { "joins with conditions", "SELECT 1 FROM t", " LEFT JOIN t ON 1", "", "", 190, 201 },
    { "a chain of operators", "SELECT 1", " + 1", "", "", 900, 100000 },
    { "a chain of comparisons", "SELECT 1", " = 1", "", "", 900, 100000 },
    { "a chain of set operations", "SELECT 1", " UNION ALL SELECT 1", "", "", 900, 100000 },
    { "a chain of AND", "SELECT 1", " AND a = 1", "", "", 100000, 0 },
    { "a chain of OR", "SELECT 1", " || (a = 1 AND b = 2)", "", "", 100000, 0 },
    { "rows", "INSERT INTO t VALUES (1)", ", (1, 'x', ?)", "", "", 100000, 0 },
    { "a list", "SELECT 1 IN (1", ", 1", ")", "", 100000, 0 },
};

static enum err_code parse_nested(const struct nesting_case *c, size_t times)
{
    struct dialect dialect = dialect_default();
    struct parsed p;
    struct buf sql;
    buf_init(&sql);
    buf_append_cstr(&sql, c->head);
    append_times(&sql, c->open, times);
    buf_append_cstr(&sql, c->middle);
    append_times(&sql, c->close, times);
    parsed_init(&p, buf_cstr(&sql), &dialect);
    if (p.root)
        assert_null(tree_fault(&p.lexed, p.root, 1));
    enum err_code code = p.root ? MQ_OK : p.err.code;
    parsed_fini(&p);
    buf_fini(&sql);
    return code;
}

static void test_nesting(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nestings / sizeof *nestings; i++) {
        const struct nesting_case *c = &nestings[i];
        enum err_code good = parse_nested(c, c->good);
        if (good != MQ_OK)
            fail_msg("%zu %s give %d", c->good, c->why, good);
        if (!c->bad)
            continue;
        enum err_code bad = parse_nested(c, c->bad), worse = parse_nested(c, 100 * c->bad);
        if (bad != MQ_TOO_COMPLEX || worse != MQ_TOO_COMPLEX)
            fail_msg("%zu %s give %d, more give %d", c->bad, c->why, bad, worse);
    }
}

/* Every statement cut behind each of its tokens, and with each token left out: never a
 * crash, and whatever does parse is a sound tree. */
static const char *const statements[] = {
    "SELECT DISTINCT a.b AS c, COUNT(*) FROM (t AS a USE INDEX (k) LEFT JOIN (SELECT 1) d ON "
    "a.x = d.y), u WHERE NOT a BETWEEN 1 AND - 2 OR (b, c) IN ((1, 2)) GROUP BY a WITH ROLLUP "
    "HAVING x LIKE 'y' ESCAPE '!' ORDER BY 1 DESC LIMIT 1, ? FOR UPDATE OF t SKIP LOCKED",
    "WITH RECURSIVE a (x) AS ((SELECT 1) UNION ALL SELECT CASE x WHEN 1 THEN 2 ELSE 3 END FROM "
    "a) SELECT SUM(x) OVER (PARTITION BY y ORDER BY z ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
    "FROM a WINDOW w AS (v) LOCK IN SHARE MODE",
    "INSERT IGNORE INTO db.t PARTITION (p) (a, b) VALUES (1, DEFAULT), (@x := ?, 'y') AS new (c) "
    "ON DUPLICATE KEY UPDATE a = IF(b, VALUES(a), a + INTERVAL 1 DAY)",
    "DELETE FROM a.*, b USING a JOIN b USING (x) WHERE a.x = ANY (SELECT CAST(y AS CHAR(3)))",
    "UPDATE t SET a = EXTRACT(DAY FROM b), c = TRIM(BOTH 'x' FROM d) WHERE e->'$.x' IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS t (a INT(3) UNSIGNED NOT NULL DEFAULT '1' COMMENT 'x', CONSTRAINT "
    "k UNIQUE KEY i (a(3) DESC) USING BTREE, CHECK (a > 1)) ENGINE = InnoDB",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
    "SET NAMES utf8mb4 COLLATE utf8mb4_bin, GLOBAL a = ON, @@session.b = 1, @c := (SELECT 1)",
    "SHOW FULL COLUMNS FROM t FROM db WHERE a = 1",
};

static void parse_without(const char *sql, uint32_t omitted, bool cut)
{
    struct dialect dialect = dialect_default();
    struct parsed whole, part;
    parsed_good(&whole, sql, &dialect);
    const struct token *t = &whole.lexed.tokens[omitted];
    char *text = mem_strdup(sql);
    if (cut)
        text[t->start] = '\0';
    else
        memset(text + t->start, ' ', t->len);
    parsed_init(&part, text, &dialect);
    const char *fault = part.root ? tree_fault(&part.lexed, part.root, 1) : NULL;
    if (fault)
        fail_msg("%s\n  gives %s", text, fault);
    parsed_fini(&part);
    mem_free(text);
    parsed_fini(&whole);
}

static void test_damaged(void **state)
{
    (void)state;
    struct dialect dialect = dialect_default();
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        struct parsed p;
        parsed_good(&p, statements[i], &dialect);
        for (uint32_t at = 0; at < p.lexed.count; at++) {
            parse_without(statements[i], at, true);
            parse_without(statements[i], at, false);
        }
        parsed_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
