/* The quick way to the tokens of a statement like one seen before: clients send the same text
 * over and over, with other values. Between the literals the bytes are compared; only the
 * literals are read.
 *
 *   seen   SELECT id FROM t WHERE a = |'x'| AND b IN (|1, 2|) LIMIT |10|
 *   text   SELECT id FROM t WHERE a = |'other'| AND b IN (|3|) LIMIT |10|
 *
 * It gives what lex() gives: the lexer goes from left to right, a literal leaves it in a state
 * that depends on the literal's kind only, and so equal bytes behind literals of equal kinds
 * are equal tokens. */
#include "sql/lexer_int.h"

enum { ROOM = 8 }; /* tokens that one literal makes before they fold; more are no literal */

/* The walk over both texts. */
struct again {
    const struct lexed *seen;
    uint32_t done;     /* the next byte of its text */
    struct lexer x;    /* at: the next byte of the new text */
    struct lexed read; /* x->out: the literal that is read */
    struct token room[ROOM];
};

static bool is_literal(const struct token *t)
{
    static const uint32_t literals = 1u << TOKEN_STRING | 1u << TOKEN_NATIONAL | 1u << TOKEN_HEX |
                                     1u << TOKEN_BIT | 1u << TOKEN_INTEGER | 1u << TOKEN_DECIMAL |
                                     1u << TOKEN_FLOAT | 1u << TOKEN_LITERALS;
    return literals >> t->kind & 1;
}

uint32_t lexed_head(const struct lexed *l)
{
    const struct token *t = l->tokens;
    while (t->kind != TOKEN_END && !is_literal(t))
        t++;
    return t->start;
}

/* Steps over the bytes in front of offset `end` of the seen text, if they are the same. */
static bool same_until(struct again *a, uint32_t end)
{
    size_t len = end - a->done;
    if ((size_t)(a->x.end - a->x.at) < len ||
        memcmp(a->x.at, a->seen->text.data + a->done, len) != 0)
        return false;
    a->x.at += len;
    a->done = end;
    return true;
}

/* ---- literals ---- */

static bool read_one(struct again *a)
{
    a->read.count = 0;
    return a->x.at < a->x.end && !lexer_token(&a->x) && a->read.count == 1;
}

/* All that stands in the parentheses of IN. */
static bool read_list(struct again *a)
{
    a->room[0] = (struct token){ .kind = TOKEN_IDENT, .value = KW_IN };
    a->room[1] = (struct token){ .kind = TOKEN_OPERATOR, .value = OP_LPAREN };
    a->read.count = 2;
    for (lexer_begin_element(&a->x, OP_LPAREN); a->x.element; lexer_space(&a->x))
        if (a->x.at == a->x.end || a->read.count == ROOM - 1 || lexer_token(&a->x))
            return false;
    a->room[0] = a->room[2];
    return a->read.count == 4 && token_is_op(&a->room[3], OP_RPAREN);
}

/* Reads a literal of the kind of `t`, which gets its place. */
static bool read_literal(struct again *a, struct token *t)
{
    const uint8_t *start = a->x.at;
    const struct token *found = a->room;
    bool read = t->kind == TOKEN_LITERALS ? read_list(a) : read_one(a);
    if (!read || a->read.has_comment_tenant || a->read.directive.len || found->kind != t->kind ||
        a->x.begin + found->start != start)
        return false;
    a->done = t->start + t->len;
    a->x.at = start + found->len;
    t->start = found->start;
    t->len = found->len;
    return true;
}

/* ---- the statement ---- */

/* tokens: those of the seen text, which get their places in the new one. */
static bool read_all(struct again *a, struct token *tokens)
{
    const struct token *end = tokens + a->seen->count;
    uint32_t moved = 0; /* how far the new text is ahead, modulo 2^32 */
    for (struct token *t = tokens; t <= end; t++) {
        if (!is_literal(t)) {
            t->start += moved;
            continue;
        }
        if (!same_until(a, t->start) || !read_literal(a, t))
            return false;
        moved = (uint32_t)(a->x.at - a->x.begin) - a->done;
    }
    return same_until(a, (uint32_t)a->seen->text.len) && a->x.at == a->x.end;
}

bool lex_again(const struct lexed *seen, struct slice text, const struct dialect *dialect,
               struct arena *arena, struct lexed *ret)
{
    const uint8_t *begin = (const uint8_t *)text.data;
    struct again a;
    if (text.len >= UINT32_MAX)
        return false;
    a.seen = seen;
    a.done = 0;
    a.x = (struct lexer){ .begin = begin,
                          .at = begin,
                          .end = begin + text.len,
                          .dialect = dialect,
                          .arena = arena,
                          .out = &a.read,
                          .room = ROOM };
    a.read = (struct lexed){ .text = text, .tokens = a.room };
    size_t size = (seen->count + 1) * sizeof(struct token);
    struct token *tokens = memcpy(arena_alloc(arena, size), seen->tokens, size);
    if (!read_all(&a, tokens))
        return false;
    *ret = *seen;
    ret->text = text;
    ret->tokens = tokens;
    return true;
}
