/* Splices over a statement's text. */
#include "sql/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TEXT(s) { (s), sizeof(s) - 1 }, false
#define VERBATIM(s) { (s), sizeof(s) - 1 }, true

enum { EDITS_MAX = 6 };

struct edit_case {
    const char *why, *text;
    struct edit edits[EDITS_MAX];
    size_t count;
    const char *want; /* NULL: refused */
};

static const struct edit_case edit_cases[] = {
    { "none", "select 1 /* x */", { { 0 } }, 0, "select 1 /* x */" },
    { "before and behind", "a /* x */ b",
      { { EDIT_BEFORE, 1, 1, TEXT("<") }, { EDIT_AFTER, 0, 0, TEXT(">") } }, 2,
      "a> /* x */ <b" },
    { "behind one token, then before the next", "a(b",
      { { EDIT_BEFORE, 1, 1, TEXT("2") }, { EDIT_AFTER, 0, 0, TEXT("1") } }, 2, "a12(b" },
    { "order kept at one place", "a b",
      { { EDIT_BEFORE, 1, 1, TEXT("1") }, { EDIT_AFTER, 1, 1, TEXT("4") },
        { EDIT_BEFORE, 1, 1, TEXT("2") }, { EDIT_BEFORE, 1, 1, TEXT("3") },
        { EDIT_AFTER, 1, 1, TEXT("5") } }, 5, "a 123b45" },
    { "replaced with what lies between", "x  a /* y */ b  z",
      { { EDIT_REPLACE, 1, 2, TEXT("c") } }, 1, "x  c  z" },
    { "removed", "a, b", { { EDIT_REPLACE, 1, 2, TEXT("") } }, 1, "a" },
    { "before a replacement", "a b", { { EDIT_BEFORE, 1, 1, TEXT("1") },
      { EDIT_REPLACE, 1, 1, TEXT("2") } }, 2, "a 12" },
    { "behind a replacement", "a b c", { { EDIT_AFTER, 1, 1, TEXT("3") },
      { EDIT_REPLACE, 0, 1, TEXT("12") } }, 2, "123 c" },
    { "before the end", "a -- b\n", { { EDIT_BEFORE, 1, 1, TEXT("x") } }, 1, "a -- b\nx" },
    { "behind the last token", "a -- b\n", { { EDIT_AFTER, 0, 0, TEXT("x") } }, 1, "ax -- b\n" },
    { "placeholders", "a", { { EDIT_AFTER, 0, 0, TEXT(" = \x0e, \x0f.t, \x0e") } }, 1,
      "a = 'acme', `db`.t, 'acme'" },
    { "a marker before a word", "a 'b'c", { { EDIT_AFTER, 1, 1, TEXT(" = \x10") } }, 1,
      "a 'b' = ? c" },
    { "a marker before a sign", "a 'b',c", { { EDIT_AFTER, 1, 1, TEXT(" = \x10") } }, 1,
      "a 'b' = ?,c" },
    { "a marker before an edit", "a b",
      { { EDIT_AFTER, 0, 0, TEXT("=\x10") }, { EDIT_AFTER, 0, 0, TEXT("x") } }, 2, "a=? x b" },
    { "only a placeholder", "a", { { EDIT_BEFORE, 0, 0, TEXT("\x0e") } }, 1, "'acme'a" },
    { "verbatim", "a", { { EDIT_BEFORE, 0, 0, VERBATIM("\x0e\x0f") } }, 1, "\x0e\x0f" "a" },
    { "overlap", "a b c", { { EDIT_REPLACE, 0, 1, TEXT("x") }, { EDIT_REPLACE, 1, 2, TEXT("y") } },
      2, NULL },
    { "inside a replacement", "a b c", { { EDIT_REPLACE, 0, 2, TEXT("x") },
      { EDIT_BEFORE, 1, 1, TEXT("y") } }, 2, NULL },
    { "backwards", "a b", { { EDIT_REPLACE, 1, 0, TEXT("x") } }, 1, NULL },
    { "no such token", "a", { { EDIT_BEFORE, 2, 2, TEXT("x") } }, 1, NULL },
    { "no such last token", "a", { { EDIT_AFTER, 0, 9, TEXT("x") } }, 1, NULL },
};

static void applying(void **state)
{
    const struct edit_values values = { { SLICE_LIT("'acme'"), SLICE_LIT("`db`"), SLICE_LIT("?") } };
    const struct dialect dialect = dialect_default();
    (void)state;
    for (size_t i = 0; i < COUNT(edit_cases); i++) {
        const struct edit_case *c = &edit_cases[i];
        struct edit edits[EDITS_MAX];
        struct arena arena;
        struct lexed l;
        struct buf out;
        arena_init(&arena);
        buf_init(&out);
        memcpy(edits, c->edits, sizeof edits);
        assert_int_equal(lex(slice_cstr(c->text), &dialect, &arena, &l, NULL), MQ_OK);
        edits_sort(edits, c->count, &arena);
        if (edits_apply(&l, edits, c->count, &values, &out) != (c->want != NULL))
            fail_msg("%s", c->why);
        if (!slice_eq(buf_slice(&out), slice_cstr(c->want ? c->want : "")))
            fail_msg("%s: %s", c->why, buf_cstr(&out));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

/* Every place of a long array, in an order that is neither sorted nor reversed. */
static void sorting(void **state)
{
    enum { N = 1000, STEP = 389 };
    static struct edit edits[N];
    struct arena arena;
    (void)state;
    arena_init(&arena);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t token = i * STEP % N / 2;
        edits[i] = (struct edit){ i % 2 ? EDIT_AFTER : EDIT_BEFORE, token, token, { NULL, i }, false };
    }
    edits_sort(edits, N, &arena);
    for (size_t i = 1; i < N; i++) {
        const struct edit *a = &edits[i - 1], *b = &edits[i];
        assert_true(a->first <= b->first);
        if (a->first == b->first)
            assert_true(a->place < b->place || (a->place == b->place && a->text.len < b->text.len));
    }
    edits_sort(NULL, 0, &arena);
    arena_fini(&arena);
}

static void quoting(void **state)
{
    struct buf out;
    (void)state;
    buf_init(&out);
    edit_quote_string(&out, SLICE_LIT("acme"));
    edit_quote_string(&out, SLICE_LIT(""));
    edit_quote_ident(&out, SLICE_LIT("a`b"));
    edit_quote_ident(&out, SLICE_LIT(""));
    assert_string_equal(buf_cstr(&out), "'acme''" "'`a``b```");
    buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applying),
        cmocka_unit_test(sorting),
        cmocka_unit_test(quoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
