/* Texts like one that was lexed before: whatever lex_again() takes for one, lex() reads alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fuzz/sql/same_tokens.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct dialect mysql = { FLAVOUR_MYSQL, 80036, 80036, 0 };

static struct lexed lexed(struct arena *arena, const char *text)
{
    struct lexed l;
    struct err err;
    if (lex(slice_cstr(text), &mysql, arena, &l, &err))
        fail_msg("%s: %s", text, err.text);
    return l;
}

/* Did it take the second for one like the first? */
static bool again(const char *first, const char *second)
{
    struct arena arena;
    struct lexed found, want;
    arena_init(&arena);
    struct lexed seen = lexed(&arena, first);
    bool same = lex_again(&seen, slice_cstr(second), &mysql, &arena, &found);
    if (same &&
        (lex(slice_cstr(second), &mysql, &arena, &want, NULL) || tokens_differ(&found, &want)))
        fail_msg("%s: read otherwise than lex() does", second);
    arena_fini(&arena);
    return same;
}

static void texts(void **state)
{
    static const struct {
        const char *why, *seen, *text;
        bool same;
    } cases[] = {
        { "itself", "select a from t where b = 'x'", "select a from t where b = 'x'", true },
        { "no literal", "select a from t", "select a from t", true },
        { "values", "select 'a', 1, 1.5, 1e0, x'41', b'1', n'x'",
          "select '''\\'', 23, .25, 9e-9, 0x42, 0b0, N''", true },
        { "a literal at the end", "select 1", "select 234", true },
        { "adjacent strings", "select 'a' 'b', 1", "select '' 'ccc', 2", true },
        { "with an introducer", "select _utf8'a', 1", "select _utf8'bc', 2", true },
        { "lists", "a in (1, 2) and b in ('x')", "a in (3) and b in ('y' , -1, null)", true },
        { "a list with comments", "a in (1, 2) and b", "a in (1 /* ) */, -- 6)\n 5) and b", true },
        { "a tenant in front", "/*tenant='a'*/ select 1", "/*tenant='a'*/ select 2", true },
        { "code in a comment", "select /*!50000 1, */ 2", "select /*!50000 3, */ 4", true },

        { "another name", "select a, 1", "select b, 1", false },
        { "another case", "select a, 1", "SELECT a, 1", false },
        { "more space", "select a, 1", "select  a, 1", false },
        { "another comment", "select /* x */ 1", "select /* y */ 1", false },
        { "another tenant in front", "/*tenant='a'*/ select 1", "/*tenant='b'*/ select 1", false },
        { "another kind", "select 1", "select '1'", false },
        { "an exponent", "select 1", "select 1e0", false },
        { "a number that is a name", "select 1 from t", "select 1a from t", false },
        { "a sign", "select 1", "select -1", false },
        { "one string less", "select 'a' 'b'", "select 'a'", false },
        { "one string more", "select 'a'", "select 'a' 'b'", false },
        { "a literal less", "select 1, 2", "select 1", false },
        { "more behind", "select 1", "select 1, 2", false },
        { "a string that holds what follows", "select 'a', b", "select 'a, b", false },
        { "a string without end", "select 'a'", "select 'a", false },
        { "a string that ends before", "select 'a' from t", "select '' or 'a' from t", false },
        { "a quote that closes too late", "select 'a', 'b'", "select 'a'', 'b'", false },
        { "a comment in place of a literal", "select 1 + 1", "select /* 1 */ + 1", false },
        { "an empty text", "select 1", "", false },
        { "a list with a parameter", "a in (1, 2)", "a in (1, ?)", false },
        { "a list with an expression", "a in (1, 2)", "a in (1 + 2)", false },
        { "a list with a query", "a in (1, 2)", "a in (select 1)", false },
        { "a list without end", "a in (1, 2)", "a in (1, 2", false },
        { "an empty list", "a in (1, 2)", "a in ()", false },
        { "a list that ends early", "a in (1, 2) or b", "a in (1) = (2) or b", false },
        { "space in front of a list", "a in (1)", "a in ( 1)", false },
        { "space behind a list", "a in (1)", "a in (1 )", false },
        { "a tenant in a list", "a in (1, 2)", "a in (1, /*tenant='b'*/ 2)", false },
        { "no tenant in a list", "a in (1, /*tenant='b'*/ 2)", "a in (1, 2)", false },
        { "another in a list", "a in (1 /*tenant='b'*/, 2)", "a in (1 /*tenant='c'*/, 2)", false },
        { "the same in a list", "a in ('a' /*tenant='b'*/)", "a in ('c' /*tenant='b'*/)", true },
        { "code in a list's comment", "a in (1, 2)", "a in (1, /*! 2 */)", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (again(cases[i].seen, cases[i].text) != cases[i].same)
            fail_msg("%s: %s", cases[i].why, cases[i].same ? "not known again" : "taken for it");
}

/* Each pair of elements in each other's place, alone and within a list. */
static void every_pair(void **state)
{
    static const char *const elements[] = {
        "1",   "-1",     "'a'", "''",     "'a' 'b'", "'a''b'", "_utf8'a'", "null",  "?",
        "1+1", "(1)",    "",    "x",      "x'41'",   "0x41",   "0x",       "b'1'",  "1.5",
        "1.",  "1e1",    "1e",  "--1",    "1 ",      " 1",     "/**/1",    "1/**/", "'",
        "\\",  "1 or 1", "1,1", "/*!1*/", "@a",      "N'a'",

        "/*tenant='a'*/ 1", "1 /*tenant='a'*/", "1 /*tenant=*/", "'a' /*tenant='a'*/ 'b'",
        "1,/*tenant='a'*/1", "1 /*k='v',tenant='b'*/,1",
    };
    static const char *const frames[] = {
        "select a, %s", "select %s from t",           "select %s%s",
        "a in (%s)",    "a in (1, %s, 2) and b = %s", "/*! a in (%s) */ = %s"
    };
    struct arena arena;
    char seen[128], text[128];
    size_t known = 0;
    (void)state;
    arena_init(&arena);
    for (size_t n = 0; n < COUNT(frames) * COUNT(elements) * COUNT(elements); n++) {
        const char *a = elements[n % COUNT(elements)],
                   *b = elements[n / COUNT(elements) % COUNT(elements)];
        const char *frame = frames[n / COUNT(elements) / COUNT(elements)];
        struct lexed l;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(seen, sizeof seen, frame, a, a);
        snprintf(text, sizeof text, frame, b, b);
#pragma GCC diagnostic pop
        if (!lex(slice_cstr(seen), &mysql, &arena, &l, NULL))
            known += again(seen, text);
        arena_reset(&arena);
    }
    assert_true(known > 150);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(texts), cmocka_unit_test(every_pair) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
