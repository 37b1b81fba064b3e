/* IN lists: which literals fold into one token, that nothing else does, that their values are
 * read again from its bytes, and that the fingerprint does not see how many there are.
 *
 * A stream is written as its tokens between bars, those of literals in brackets. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/unit/sql/parsed.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct lexed lexed(struct arena *arena, const char *text)
{
    struct dialect dialect = dialect_default();
    struct lexed l;
    struct err err;
    if (lex(slice_cstr(text), &dialect, arena, &l, &err))
        fail_msg("%s: %s", text, err.text);
    return l;
}

static void describe(const struct lexed *l, struct buf *out)
{
    buf_clear(out);
    for (uint32_t i = 0; i < l->count; i++) {
        struct slice s = token_text(l, i);
        bool folded = l->tokens[i].kind == TOKEN_LITERALS;
        buf_printf(out, folded ? "%s[%.*s]" : "%s%.*s", i ? "|" : "", (int)s.len, s.data);
    }
}

static void folding(void **state)
{
    static const struct {
        const char *why, *text, *want;
    } cases[] = {
        { "one", "a in (1)", "a|in|(|[1]|)" },
        { "several", "a in (1, 2 ,3)", "a|in|(|[1, 2 ,3]|)" },
        { "strings of every kind", "a in ('x', \"y\", n'z', 'p' 'q', N'p' 'q')",
          "a|in|(|['x', \"y\", n'z', 'p' 'q', N'p' 'q']|)" },
        { "numbers of every kind", "a in (1, 1.5, .5, 1e0, 0x41, x'41', 0b01, b'1')",
          "a|in|(|[1, 1.5, .5, 1e0, 0x41, x'41', 0b01, b'1']|)" },
        { "signs", "a in (-1, + 2, - .5)", "a|in|(|[-1, + 2, - .5]|)" },
        { "introducers", "a in (_utf8mb4'x', _latin1 x'41', _binary b'1', _utf8'a' 'b')",
          "a|in|(|[_utf8mb4'x', _latin1 x'41', _binary b'1', _utf8'a' 'b']|)" },
        { "words", "a in (NULL, true, False)", "a|in|(|[NULL, true, False]|)" },
        { "NOT IN", "a not in ('x')", "a|not|in|(|['x']|)" },
        { "a comment with a tenant", "a in (1, 2, /*tenant='b'*/ 3, 4)", "a|in|(|[1, 2]|,|3|,|4|)" },
        { "comments between", "a in (1 /* , */, # 5\n 2)", "a|in|(|[1 /* , */, # 5\n 2]|)" },
        { "long and plain", "a in (1, 22 ,'x' , 'yy','', 0,4)", "a|in|(|[1, 22 ,'x' , 'yy','', 0,4]|)" },
        { "plain, then a parameter", "a in (1, 2, '3' , ?)", "a|in|(|[1, 2, '3']|,|?|)" },
        { "plain, then not", "a in (1, 2, 3, 4 5, 6)", "a|in|(|[1, 2, 3]|,|4|5|,|6|)" },
        { "quotes within", "a in (1, 'a''b', 'a\\',b', 'c', 3)", "a|in|(|[1, 'a''b', 'a\\',b', 'c', 3]|)" },
        { "what only begins plainly", "a in (1, 2.5, 2e1, 0x1, 'a' 'b', 2, 3)",
          "a|in|(|[1, 2.5, 2e1, 0x1, 'a' 'b', 2, 3]|)" },
        { "a name that begins plainly", "a in (1, 2, 2a, 3, 4)", "a|in|(|[1, 2]|,|2a|,|3|,|4|)" },
        { "signs that say otherwise inside", "a in ('(', ')', ',')", "a|in|(|['(', ')', ',']|)" },

        { "a parameter between", "a in (1, 2, ?, 3)", "a|in|(|[1, 2]|,|?|,|[3]|)" },
        { "parameters only", "a in (?, ?)", "a|in|(|?|,|?|)" },
        { "an expression", "a in (1, 2 + 3, 4, 5)", "a|in|(|[1]|,|2|+|3|,|4|,|5|)" },
        { "an expression first", "a in (b, 1, 2)", "a|in|(|b|,|1|,|2|)" },
        { "the minus between", "a in (1 - 2)", "a|in|(|1|-|2|)" },
        { "two signs", "a in (- -1)", "a|in|(|-|-|1|)" },
        { "a sign before a string", "a in (-'1')", "a|in|(|-|'1'|)" },
        { "a collation", "a in ('x' collate y)", "a|in|(|'x'|collate|y|)" },
        { "two numbers", "a in (1 2)", "a|in|(|1|2|)" },
        { "an introducer alone", "a in (_utf8, 1)", "a|in|(|_utf8|,|1|)" },
        { "a temporal literal", "a in (date '2024-01-01')", "a|in|(|date|'2024-01-01'|)" },
        { "a name that is a quoted word", "a in (`null`)", "a|in|(|`null`|)" },
        { "rows", "(a, b) in ((1, 2), (3, 4))", "(|a|,|b|)|in|(|(|1|,|2|)|,|(|3|,|4|)|)" },
        { "a literal in parentheses", "a in (1, (2), 3)", "a|in|(|[1]|,|(|2|)|,|3|)" },
        { "a call", "a in (f(1, 2), 3)", "a|in|(|f|(|1|,|2|)|,|3|)" },
        { "a list within a list", "a in (b in (1, 2), 3)", "a|in|(|b|in|(|[1, 2]|)|,|3|)" },
        { "a query", "a in (select 1, 2)", "a|in|(|select|1|,|2|)" },
        { "a query's limit", "a in (table t limit 1, 2)", "a|in|(|table|t|limit|1|,|2|)" },
        { "rows of values", "a in (values (1), (2))", "a|in|(|values|(|1|)|,|(|2|)|)" },
        { "nothing", "a in ()", "a|in|(|)" },
        { "nothing between", "a in (1,,2)", "a|in|(|[1]|,|,|2|)" },
        { "nothing behind the comma", "a in (1,)", "a|in|(|[1]|,|)" },
        { "no end", "a in (1, 2", "a|in|(|[1]|,|2" },
        { "a semicolon inside", "a in (1; 2)", "a|in|(|1|;|2|)" },

        { "not behind other words", "f(1, 2) = (3, 4)", "f|(|1|,|2|)|=|(|3|,|4|)" },
        { "not in rows of values", "values (1, 2), (3, 4)", "values|(|1|,|2|)|,|(|3|,|4|)" },
        { "not a name behind a dot", "t.in (1, 2)", "t|.|in|(|1|,|2|)" },
        { "not a quoted name", "`in` (1, 2)", "`in`|(|1|,|2|)" },

        { "code in a versioned comment", "/*!50000 a in (1, 2) */ = 1", "a|in|(|1|,|2|)|=|1" },
        { "a literal in one", "a in (1, /*! 2 */, 3)", "a|in|(|[1]|,|2|,|3|)" },
        { "a comma in one", "a in (1 /*! , */ 2, 3)", "a|in|(|[1]|,|[2, 3]|)" },
        { "a plain one behind it", "a in (1 /*! */, 2, 3)", "a|in|(|[1 /*! */, 2, 3]|)" },
        { "an empty one", "a in (1 /*! */, 2)", "a|in|(|[1 /*! */, 2]|)" },
        { "part of a literal in one", "a in ('x' /*! 'y' */, 'z')", "a|in|(|'x'|'y'|,|'z'|)" },
    };
    struct arena arena;
    struct buf got;
    (void)state;
    arena_init(&arena);
    buf_init(&got);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lexed l = lexed(&arena, cases[i].text);
        describe(&l, &got);
        if (strcmp(buf_cstr(&got), cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].why, buf_cstr(&got));
    }
    buf_fini(&got);
    arena_fini(&arena);
}

/* Equal fingerprints are the promise that one plan serves both. */
static void fingerprints(void **state)
{
    static const struct {
        const char *why, *a, *b;
        bool same;
    } cases[] = {
        { "length", "a in (1)", "a in (1, 2, 3)", true },
        { "kind", "a in (1, 2)", "a in ('x', null, -1.5, _utf8'y' 'z')", true },
        { "space and comments", "a in (1)", "a in ( /* x */ 1 , 2 )", true },
        { "parameters", "a in (?)", "a in (?, ?)", false },
        { "a literal and a parameter", "a in (1, ?)", "a in (1, 2, ?)", true },
        { "their order", "a in (1, ?)", "a in (?, 1)", false },
        { "literals around a parameter", "a in (1, ?, 2)", "a in (1, ?)", false },
        { "an expression", "a in (1)", "a in (1 + 1)", false },
        { "a literal that is no list", "a in (1)", "a = (1)", false },
        { "rows", "(a, b) in ((1, 2))", "(a, b) in ((1, 2), (3, 4))", false },
        { "NOT", "a in (1)", "a not in (1)", false },
        { "what follows", "a in (1, 2) and b", "a in (1) and c", false },
        { "two lists", "a in (1, 2) and b in (3)", "a in (1) and b in (2, 3)", true },
    };
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lexed a = lexed(&arena, cases[i].a), b = lexed(&arena, cases[i].b);
        if ((a.fingerprint == b.fingerprint) != cases[i].same)
            fail_msg("fingerprint: %s", cases[i].why);
        b.fingerprint = a.fingerprint; /* as if they collided */
        if (lexed_same(&a, &b) != cases[i].same)
            fail_msg("lexed_same: %s", cases[i].why);
    }
    arena_fini(&arena);
}

static void values(void **state)
{
    static const char *const want[] = { "x", "it's", "AB", "pq", NULL, NULL, "" };
    struct dialect dialect = dialect_default();
    struct arena arena;
    struct slice value;
    struct lexed literals;
    uint32_t at = 0, first, last, n = 0;
    (void)state;
    arena_init(&arena);
    struct lexed l = lexed(&arena, "a in ('x', 'it''s', X'4142', 'p' /* , */ 'q', -1, NULL, '')");
    assert_false(token_literals(&l, &dialect, 2, &arena, &literals));
    assert_false(token_literals(&l, &dialect, l.count, &arena, &literals));
    assert_true(token_literals(&l, &dialect, 3, &arena, &literals));
    for (; literals_next(&literals, &at, &first, &last); n++) {
        bool known = token_string_value(&literals, &dialect, first, last, &arena, &value);
        assert_int_equal(known, want[n] != NULL);
        assert_true(!known || slice_eq(value, slice_cstr(want[n])));
    }
    assert_int_equal(n, COUNT(want));
    arena_fini(&arena);
}

/* The length of a list costs no memory but the text's own. */
static void long_lists(void **state)
{
    enum { LENGTH = 100000 };
    struct arena arena;
    struct buf text;
    (void)state;
    arena_init(&arena);
    buf_init(&text);
    buf_append_cstr(&text, "SELECT 1 FROM t WHERE a IN (0");
    for (int i = 1; i < LENGTH; i++)
        buf_printf(&text, ", %d", i);
    buf_append_cstr(&text, ") AND b = 1");
    struct lexed l = lexed(&arena, buf_cstr(&text));
    assert_int_equal(l.count, 14);
    assert_int_equal(l.fingerprint,
                     lexed(&arena, "SELECT 1 FROM t WHERE a IN (7) AND b = 1").fingerprint);
    assert_true(arena.total <= 8192);
    buf_fini(&text);
    arena_fini(&arena);
}

/* The parser meets the token wherever IN stands before a parenthesis. */
static void trees(void **state)
{
    static const struct {
        const char *sql, *want; /* groups in brackets; NULL: does not parse */
    } cases[] = {
        { "DO a IN (1, 2)", "[DO [a IN (1, 2)]]" },
        { "DO a IN (1, 2) OR b", "[DO [[a IN (1, 2)] OR b]]" },
        { "DO a NOT IN (1, b, 2, 3)", "[DO [a NOT IN (1, b, 2, 3)]]" },
        { "DO POSITION('a' IN ('b'))", "[DO [POSITION('a' IN [('b')])]]" },
        { "DO a IN ()", NULL },
        { "DO a IN (1,)", NULL },
        { "DO a IN (1,,2)", NULL },
        { "DO a IN (1", NULL },
        { "DO IN (1)", NULL },
        { "SELECT 1 IN (1) 2", NULL },
    };
    struct dialect dialect = dialect_default();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct parsed p;
        struct buf got;
        buf_init(&got);
        parsed_init(&p, cases[i].sql, &dialect);
        if (p.root)
            grouped(&p.lexed, p.root, &got);
        if (!p.root != !cases[i].want || (p.root && strcmp(buf_cstr(&got), cases[i].want) != 0))
            fail_msg("%s: %s", cases[i].sql, p.root ? buf_cstr(&got) : p.err.text);
        buf_fini(&got);
        parsed_fini(&p);
    }
}

/* Every way to write an element, every length up to three, and before and behind it each of
 * the others: folded literals, read again, are the tokens that stood there. */
static void every_short_list(void **state)
{
    static const char *const elements[] = { "1",   "-1",  "'a'", "'a' 'b'", "_utf8'a'", "NULL", "?",
                                            "1+1", "(1)", "",    "x",       "/*!1*/",   "- 'a'" };
    struct dialect dialect = dialect_default();
    struct arena arena;
    struct buf text, plain, again;
    (void)state;
    arena_init(&arena);
    buf_init(&text);
    buf_init(&plain);
    buf_init(&again);
    for (size_t n = 0; n < COUNT(elements) * COUNT(elements) * COUNT(elements); n++) {
        buf_clear(&text);
        buf_printf(&text, "(%s,%s,%s)", elements[n % COUNT(elements)],
                   elements[n / COUNT(elements) % COUNT(elements)],
                   elements[n / COUNT(elements) / COUNT(elements)]);
        struct lexed l = lexed(&arena, buf_cstr(&text));
        describe(&l, &plain);
        char *in = arena_printf(&arena, "in %s", buf_cstr(&text));
        struct lexed folded = lexed(&arena, in);
        buf_clear(&again);
        for (uint32_t i = 1; i < folded.count; i++) {
            struct lexed literals;
            bool is = token_literals(&folded, &dialect, i, &arena, &literals);
            struct buf part;
            buf_init(&part);
            if (is)
                describe(&literals, &part);
            else
                buf_append_slice(&part, token_text(&folded, i));
            buf_printf(&again, "%s%s", i > 1 ? "|" : "", buf_cstr(&part));
            buf_fini(&part);
        }
        assert_string_equal(buf_cstr(&again), buf_cstr(&plain));
        arena_reset(&arena);
    }
    buf_fini(&again);
    buf_fini(&plain);
    buf_fini(&text);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding), cmocka_unit_test(fingerprints),
        cmocka_unit_test(values),  cmocka_unit_test(long_lists),
        cmocka_unit_test(trees),   cmocka_unit_test(every_short_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
