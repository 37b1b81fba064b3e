/* Any bytes through the lexer and what reads its tokens. The first byte chooses the dialect.
 * Tokens must be in order, inside the text and apart; no edits must give the text back, and
 * other values for the literals the same fingerprint. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "sql/edit.h"
#include "sql/token.h"
#include "tests/fuzz/sql/lexer.h"
#include "tests/fuzz/sql/other_values.h"

static void check_tokens(const struct lexed *l)
{
    size_t end = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct token *t = &l->tokens[i];
        require(t->kind != TOKEN_END && t->len > 0 && t->start >= end);
        end = (size_t)t->start + t->len;
        require(end <= l->text.len);
    }
    require(l->tokens[l->count].kind == TOKEN_END);
    require(l->tokens[l->count].start == l->text.len && end <= l->text.len);
}

static void check_readers(const struct lexed *l, const struct dialect *d, struct arena *arena)
{
    for (uint32_t i = 0; i < l->count; i++) {
        struct slice value;
        uint32_t last = i + 2 < l->count ? i + 2 : l->count - 1;
        for (uint32_t to = i; to <= last; to++)
            token_string_value(l, d, i, to, arena, &value);
        if (l->tokens[i].kind == TOKEN_IDENT || l->tokens[i].kind == TOKEN_QUOTED)
            require(token_ident(l, i, arena).len <= l->tokens[i].len);
        token_is_ident(l, i, "tenant");
    }
}

/* Read by themselves, the bytes of a TOKEN_LITERALS are literals and commas, and all of them. */
static void check_literals(const struct lexed *l, const struct dialect *d, struct arena *arena)
{
    for (uint32_t i = 0; i < l->count; i++) {
        struct lexed literals;
        uint32_t at = 0, first, last = 0, expected = 0;
        bool found = token_literals(l, d, i, arena, &literals);
        require(found == (l->tokens[i].kind == TOKEN_LITERALS));
        for (; found && literals_next(&literals, &at, &first, &last); expected = last + 2)
            require(first == expected && first <= last);
        require(!found || last + 1 == literals.count);
    }
}

static void check_edits(const struct lexed *l)
{
    const struct edit_values none = { 0 };
    struct buf out;
    buf_init(&out);
    require(edits_apply(l, NULL, 0, &none, &out));
    require(slice_eq(buf_slice(&out), l->text));
    buf_fini(&out);
}

/* A reading that did not end with the text must not change when white space follows it. */
static void check_trailing_space(const struct lexed *l, const struct dialect *d,
                                 struct arena *arena)
{
    struct lexed again;
    char *longer = arena_alloc(arena, l->text.len + 1);
    memcpy(longer, l->text.data, l->text.len);
    longer[l->text.len] = '\n';
    require(lex(slice_of(longer, l->text.len + 1), d, arena, &again, NULL) == MQ_OK);
    require(lexed_same(l, &again));
}

/* Other values, the same statement. */
static void check_other_values(const struct lexed *l, const struct dialect *d,
                               struct arena *arena)
{
    struct lexed other;
    struct buf text;
    buf_init(&text);
    other_values(l, &text);
    require(lex(buf_slice(&text), d, arena, &other, NULL) == MQ_OK);
    require(lexed_same(l, &other));
    buf_fini(&text);
}

/* Statements cut off one by one lie one behind the other, and read as they would alone. */
static void check_statements(struct slice text, const struct dialect *d, struct arena *arena)
{
    struct lexed first, alone;
    struct slice rest = text;
    do {
        struct slice before = rest;
        if (lex_first(before, d, arena, &first, &rest, NULL))
            return;
        check_tokens(&first);
        require(first.text.data == before.data && first.text.len + rest.len <= before.len);
        require(rest.len == 0 || rest.data + rest.len == before.data + before.len);
        require(lex(first.text, d, arena, &alone, NULL) == MQ_OK);
        require(lexed_same(&first, &alone));
        require(first.has_comment_tenant == alone.has_comment_tenant &&
                first.comment_tenant_bad == alone.comment_tenant_bad);
    } while (rest.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct lexed l;
    struct err err;
    if (size == 0)
        return 0;
    struct dialect d = choose_dialect(data[0]);
    arena_init(&arena);
    if (lex(slice_of(data + 1, size - 1), &d, &arena, &l, &err) == MQ_OK) {
        check_tokens(&l);
        check_readers(&l, &d, &arena);
        check_literals(&l, &d, &arena);
        check_edits(&l);
        check_trailing_space(&l, &d, &arena);
        check_other_values(&l, &d, &arena);
    } else {
        require(err.text[0] != '\0');
    }
    check_statements(slice_of(data + 1, size - 1), &d, &arena);
    arena_fini(&arena);
    return 0;
}
