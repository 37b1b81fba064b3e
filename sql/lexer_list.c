/* Lists of literals: IN ('a', 'b') and IN ('a', 'b', 'c') are to be one statement with one
 * plan, so literals that stand in a row within IN (…) become one token.
 *
 *   IN ( 'a' , -1 , NULL , ? , 2 , x + 1 , 3 )
 *        └──────┬──────┘      └┬┘
 *        TOKEN_LITERALS  TOKEN_LITERALS
 *
 * An element is looked at when its comma or parenthesis is reached, so nothing is read twice
 * and a list needs no room for its tokens. The first that is neither a literal nor a parameter
 * ends the folding: it may be a query, whose commas are its own. So does a comment that names a
 * tenant. Code in a versioned comment stays as it is: the token's bytes must read the same by
 * themselves. */
#include "sql/chars.h"
#include "sql/lexer_int.h"

/* What every TOKEN_LITERALS adds to the fingerprint. */
static uint64_t fold_mark(uint64_t hash)
{
    return word_mix(hash, token_mark(TOKEN_LITERALS, 0, 0, 0));
}

/* ---- making ---- */

static bool is_number(const struct token *t)
{
    return t->kind == TOKEN_INTEGER || t->kind == TOKEN_DECIMAL || t->kind == TOKEN_FLOAT;
}

/* A string with those behind it. */
static bool are_strings(const struct token *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (t[i].kind != TOKEN_STRING && !(i == 0 && t->kind == TOKEN_NATIONAL))
            return false;
    return count > 0;
}

static bool is_bytes(const struct token *t, uint32_t count)
{
    return count == 1 && (t->kind == TOKEN_HEX || t->kind == TOKEN_BIT);
}

/* Does the parser take the tokens for one literal, a number with its sign included? */
static bool is_literal(const struct token *t, uint32_t count)
{
    bool is_signed = token_is_op(t, OP_MINUS) || token_is_op(t, OP_PLUS);
    if (t->kind == TOKEN_INTRODUCER)
        return are_strings(t + 1, count - 1) || is_bytes(t + 1, count - 1);
    if (is_signed)
        return count == 2 && is_number(t + 1);
    if (t->kind == TOKEN_IDENT)
        return count == 1 && (t->value == KW_NULL || t->value == KW_TRUE || t->value == KW_FALSE);
    return are_strings(t, count) || is_bytes(t, count) || (count == 1 && is_number(t));
}

static bool any_in_comment(const struct token *t, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (t[i].flags & TOKEN_F_IN_COMMENT)
            return true;
    return false;
}

/* The literals that the element goes on with, behind which only a comma stands. */
static bool continues(const struct token *element)
{
    return element[-2].kind == TOKEN_LITERALS && !(element[-1].flags & TOKEN_F_IN_COMMENT);
}

void lexer_end_element(struct lexer *x)
{
    struct lexed *out = x->out;
    struct token *t = &out->tokens[x->element];
    uint32_t count = out->count - x->element;
    if (count == 1 && t->kind == TOKEN_PARAM)
        return;
    if (count == 0 || !is_literal(t, count) || any_in_comment(t, count)) {
        x->element = 0;
        return;
    }
    const struct token *last = &t[count - 1];
    uint32_t end = last->start + last->len;
    if (continues(t))
        t -= 2;
    *t = (struct token){ .kind = TOKEN_LITERALS,
                         .flags = t->flags & TOKEN_F_SPACE_BEFORE,
                         .start = t->start,
                         .len = end - t->start };
    out->count = (uint32_t)(t - out->tokens) + 1;
    x->hash = x->folded;
}

/* Where KW_IN is no operator, as in POSITION('a' IN ('b')), the token is one all the same. */
static bool is_list(const struct lexer *x)
{
    uint32_t count = x->out->count;
    return count >= 2 && token_is_keyword(&x->out->tokens[count - 2], KW_IN);
}

static const uint8_t *skip_spaces(const struct lexer *x, const uint8_t *p)
{
    while (p < x->end && char_is_space(*p))
        p++;
    return p;
}

/* Behind a plain number or string at p; NULL for whatever takes a closer look. */
static const uint8_t *skip_plain(const struct lexer *x, const uint8_t *p)
{
    const uint8_t *begin = p + 1;
    while (p < x->end && char_is_digit(*p))
        p++;
    if (p >= begin)
        return p;
    const uint8_t *close =
        begin < x->end && *p == '\'' ? memchr(begin, '\'', (size_t)(x->end - begin)) : NULL;
    bool plain = close && ((x->dialect->modes & MODE_NO_BACKSLASH_ESCAPES) ||
                           !memchr(begin, '\\', (size_t)(close - begin)));
    return plain ? close + 1 : NULL;
}

/* Most lists are long and plain: an element with its comma moves both tokens on. */
static void fold_plain(struct lexer *x)
{
    struct token *comma = &x->out->tokens[x->out->count - 1], *literals = comma - 1;
    for (;;) {
        const uint8_t *end = skip_plain(x, skip_spaces(x, x->at));
        const uint8_t *next = end ? skip_spaces(x, end) : x->end;
        if (next == x->end || *next != ',')
            return;
        literals->len = (uint32_t)(end - x->begin) - literals->start;
        comma->start = (uint32_t)(next - x->begin);
        comma->flags = next > end ? TOKEN_F_SPACE_BEFORE : 0;
        x->at = next + 1;
    }
}

void lexer_begin_element(struct lexer *x, enum op separator)
{
    const struct token *t = &x->out->tokens[x->out->count];
    bool begins = separator == OP_LPAREN ? is_list(x) : separator == OP_COMMA && x->element;
    x->element = begins ? x->out->count : 0;
    /* Behind literals the hash stays what they made it: one more adds nothing. */
    if (begins && !continues(t))
        x->folded = fold_mark(x->hash);
    else if (begins)
        fold_plain(x);
}

/* ---- reading ---- */

bool token_literals(const struct lexed *l, const struct dialect *dialect, uint32_t index,
                    struct arena *arena, struct lexed *ret)
{
    return index < l->count && l->tokens[index].kind == TOKEN_LITERALS &&
           lex(token_text(l, index), dialect, arena, ret, NULL) == MQ_OK;
}

bool literals_next(const struct lexed *literals, uint32_t *at, uint32_t *ret_first,
                   uint32_t *ret_last)
{
    const struct token *t = literals->tokens;
    if (*at >= literals->count)
        return false;
    *ret_first = *at;
    while (*at < literals->count && !token_is_op(&t[*at], OP_COMMA))
        ++*at;
    *ret_last = *at - 1;
    if (*at < literals->count)
        ++*at; /* the comma */
    return true;
}
