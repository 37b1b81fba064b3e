/* The parser's way in, and what all its rules stand on: cursor, errors, nodes, names. */
#include "sql/parse_int.h"

#include "base/check.h"

/* ---- errors ---- */

/* At most 40 bytes of the text from the token on, not cut inside a UTF-8 character. */
static struct slice text_near(const struct lexed *l, const struct token *t)
{
    enum { NEAR_MAX = 40 };
    size_t start = t->start, len = l->text.len - start;
    if (len > NEAR_MAX) {
        len = NEAR_MAX;
        while (len > NEAR_MAX - 4 && ((unsigned char)l->text.data[start + len] & 0xc0) == 0x80)
            len--;
    }
    return slice_of(l->text.data + start, len);
}

static void fail(struct parser *p, enum err_code code, const char *what, const char *why)
{
    if (!p->failed) {
        const struct token *t = token_here(p);
        struct slice near = text_near(p->lexed, t);
        p->failed = err_set(p->reterr, code, "%s%s near '%.*s' at position %zu", what, why,
                            (int)near.len, near.data, (size_t)t->start + 1);
    }
    p->at = p->lexed->count;
}

void fail_expected(struct parser *p, const char *what)
{
    fail(p, MQ_SYNTAX, "expected ", what);
}

void fail_not_understood(struct parser *p, const char *construct)
{
    fail(p, MQ_NOT_UNDERSTOOD, construct, " is not understood");
}

void nest(struct parser *p)
{
    if (++p->depth > NESTING_MAX)
        fail(p, MQ_TOO_COMPLEX, "nested too deeply", "");
}

/* ---- cursor ---- */

bool accept_word(struct parser *p, enum keyword word)
{
    if (!at_word(p, word))
        return false;
    advance(p);
    return true;
}

bool accept_words(struct parser *p, enum keyword first, enum keyword second)
{
    if (!at_words(p, first, second))
        return false;
    p->at += 2;
    return true;
}

bool accept_sign(struct parser *p, enum op sign)
{
    if (!at_sign(p, sign))
        return false;
    advance(p);
    return true;
}

void expect_word(struct parser *p, enum keyword word)
{
    if (!accept_word(p, word))
        fail_expected(p, keyword_text(word));
}

void expect_sign(struct parser *p, enum op sign)
{
    if (!accept_sign(p, sign))
        fail(p, MQ_SYNTAX, "expected ", operator_text(sign));
}

bool word_among(const struct token *t, const uint16_t *words)
{
    if (t->kind != TOKEN_IDENT || t->value == KEYWORD_NONE)
        return false;
    while (*words != KEYWORD_NONE && *words != t->value)
        words++;
    return *words != KEYWORD_NONE;
}

bool accept_character_set(struct parser *p)
{
    return accept_word(p, KW_CHARSET) || accept_words(p, KW_CHARACTER, KW_SET) ||
           accept_words(p, KW_CHAR, KW_SET);
}

bool accept_distinct(struct parser *p)
{
    return accept_word(p, KW_DISTINCT) || accept_word(p, KW_DISTINCTROW);
}

void skip_plain(struct parser *p, bool to_comma)
{
    for (uint32_t depth = 0; !at_end(p); advance(p)) {
        if (at_sign(p, OP_LPAREN))
            depth++;
        else if (at_sign(p, OP_RPAREN)) {
            if (depth-- == 0)
                return;
        } else if (at_sign(p, OP_COMMA)) {
            if (to_comma && depth == 0)
                return;
        } else if (at_word(p, KW_SELECT) || at_word(p, KW_TABLE) || at_word(p, KW_VALUES))
            fail_not_understood(p, "a query in this place");
    }
}

void skip_to_end(struct parser *p)
{
    while (!at_end(p))
        advance(p);
}

/* ---- nodes ---- */

struct node *node_new(struct parser *p, enum node_kind kind, uint32_t first)
{
    struct node *n = arena_new(p->arena, struct node);
    n->kind = kind;
    n->first = n->last = first;
    p->nodes++;
    return n;
}

struct branch branch_open(struct parser *p, enum node_kind kind)
{
    struct node *n = node_new(p, kind, p->at);
    return (struct branch){ n, &n->child };
}

struct branch branch_around(struct parser *p, enum node_kind kind, struct node *child)
{
    struct node *n = node_new(p, kind, child->first);
    struct branch b = { n, &n->child };
    branch_add(&b, child);
    return b;
}

void branch_add(struct branch *b, struct node *child)
{
    *b->end = child;
    b->end = &child->next;
}

struct node *branch_close(struct parser *p, struct branch *b)
{
    CHECK(p->failed || p->at > b->node->first);
    b->node->last = p->at - 1;
    return b->node;
}

struct node *leaf(struct parser *p, enum node_kind kind)
{
    struct node *n = node_new(p, kind, p->at);
    advance(p);
    return n;
}

struct node *missing(struct parser *p, const char *what)
{
    fail_expected(p, what);
    return node_new(p, N_IDENT, p->at);
}

/* ---- names ---- */

bool token_is_name(const struct token *t)
{
    return t->kind == TOKEN_QUOTED || (t->kind == TOKEN_IDENT && !(t->flags & TOKEN_F_RESERVED));
}

bool at_column_name(const struct parser *p)
{
    /* Reserved by some servers, but bare column names in clients that never met those. */
    static const uint16_t legacy_columns[] = { KW_OFFSET, KEYWORD_NONE };
    return at_name(p) || at_word_among(p, legacy_columns);
}

struct node *parse_ident(struct parser *p, const char *what)
{
    return at_name(p) ? leaf(p, N_IDENT) : missing(p, what);
}

void parse_ident_list(struct parser *p, struct branch *b, const char *what)
{
    expect_sign(p, OP_LPAREN);
    do
        branch_add(b, at_column_name(p) ? leaf(p, N_IDENT) : missing(p, what));
    while (accept_sign(p, OP_COMMA));
    expect_sign(p, OP_RPAREN);
}

struct node *parse_ident_behind_dot(struct parser *p)
{
    return at_column_name(p) ? leaf(p, N_IDENT) : missing(p, "a name");
}

/* ---- the whole statement ---- */

static bool deeper_than(const struct node *n, uint32_t depth)
{
    if (depth == 0)
        return true;
    for (const struct node *child = n->child; child; child = child->next)
        if (deeper_than(child, depth - 1))
            return true;
    return false;
}

/* Whoever reads the tree may recurse, so chains (a + b + c …) must not make it too deep. A
 * tree of few nodes needs no look. */
static void check_depth(struct parser *p, const struct node *root)
{
    if (!p->failed && p->nodes > TREE_DEPTH_MAX && deeper_than(root, TREE_DEPTH_MAX))
        fail(p, MQ_TOO_COMPLEX, "too many operators in a row", "");
}

static void expect_end(struct parser *p)
{
    if (!at_end(p))
        fail_expected(p, "the end of the statement");
    if (accept_sign(p, OP_SEMICOLON) && !at_kind(p, TOKEN_END))
        fail(p, MQ_MULTI_STATEMENT, "a second statement", "");
}

static bool skip_semicolons(struct parser *p)
{
    uint32_t before = p->at;
    while (accept_sign(p, OP_SEMICOLON))
        ;
    return p->at != before;
}

enum err_code parse(const struct lexed *l, const struct dialect *dialect, struct arena *arena,
                    struct node **ret, struct err *reterr)
{
    struct parser p = { .lexed = l, .dialect = dialect, .arena = arena, .reterr = reterr };
    if (lexed_is_comment(l)) {
        *ret = node_new(&p, N_NOTHING, 0);
        return MQ_OK;
    }
    bool behind_empty = skip_semicolons(&p);
    if (at_kind(&p, TOKEN_END) && !l->has_comments)
        return err_set(reterr, MQ_EMPTY_QUERY, "the query holds no statement");
    if (behind_empty && !at_kind(&p, TOKEN_END))
        fail(&p, MQ_MULTI_STATEMENT, "a second statement", "");
    struct node *root = parse_statement(&p);
    expect_end(&p);
    check_depth(&p, root);
    if (p.failed)
        return p.failed;
    *ret = root;
    return MQ_OK;
}
