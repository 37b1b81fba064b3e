/* Expressions: precedence climbing over a table of operators, in the order of the MySQL
 * manual's "Operator Precedence" and of the grammar's levels (expr, bool_pri, predicate,
 * bit_expr, simple_expr). Where the servers accept less, so do they behind mqgate: what
 * counts is that a statement they accept is grouped as they group it. */
#include "sql/parse_int.h"

/* An operator between or behind operands. */
struct infix {
    uint8_t precedence; /* enum precedence; PREC_NONE when it is no infix operator */
    uint8_t kind;       /* the node it makes */
    struct node *(*parse)(struct parser *p, struct node *left, const struct infix *rule);
};

/* ---- operators ---- */

/* a + INTERVAL 1 DAY: unlike elsewhere, a sum does not go on within it. */
static struct node *interval_summand(struct parser *p)
{
    nest(p);
    struct node *n = parse_operators(p, parse_interval(p), PREC_MULTIPLY);
    unnest(p);
    return n;
}

static struct node *binary(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->op = token_here(p)->value;
    advance(p);
    branch_add(&b, rule->precedence == PREC_ADD && at_word(p, KW_INTERVAL)
                       ? interval_summand(p)
                       : parse_level(p, rule->precedence + 1));
    return branch_close(p, &b);
}

static struct node *balanced(struct parser *p, enum node_kind kind, struct node **operands,
                             size_t count)
{
    struct node *n = *operands;
    if (count == 1) {
        *operands = n->next;
        n->next = NULL;
        return n;
    }
    struct branch b = branch_around(p, kind, balanced(p, kind, operands, count - count / 2));
    struct node *right = balanced(p, kind, operands, count / 2);
    branch_add(&b, right);
    b.node->last = right->last;
    return b.node;
}

static const struct infix no_infix;
static const struct infix *infix_at(const struct parser *p);

/* a AND b AND c …: these are associative, so the tree may be balanced, and a thousand
 * conditions stay ten levels deep. */
static struct node *chain(struct parser *p, struct node *left, const struct infix *rule)
{
    struct node *last = left;
    size_t count = 1;
    while (infix_at(p)->precedence == rule->precedence) {
        advance(p);
        last->next = parse_level(p, rule->precedence + 1);
        last = last->next;
        count++;
    }
    return balanced(p, rule->kind, &left, count);
}

static bool accept_quantifier(struct parser *p)
{
    static const uint16_t words[] = { KW_ALL, KW_ANY, KW_SOME, KEYWORD_NONE };
    bool found = at_word_among(p, words) && sign_ahead(p, 1, OP_LPAREN);
    if (found)
        advance(p);
    return found;
}

static struct node *compare(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, N_COMPARE, left);
    b.node->op = token_here(p)->value;
    advance(p);
    if (accept_quantifier(p)) {
        b.node->flags |= NODE_F_ALL;
        branch_add(&b, parse_subquery(p));
    } else
        branch_add(&b, parse_level(p, rule->precedence + 1));
    return branch_close(p, &b);
}

static uint32_t accept_not(struct parser *p)
{
    return accept_word(p, KW_NOT) ? NODE_F_NOT : 0;
}

static struct node *is(struct parser *p, struct node *left, const struct infix *rule)
{
    static const uint16_t words[] = { KW_NULL, KW_TRUE, KW_FALSE, KW_UNKNOWN, KEYWORD_NONE };
    struct branch b = branch_around(p, rule->kind, left);
    expect_word(p, KW_IS);
    b.node->flags |= accept_not(p);
    b.node->op = token_here(p)->value;
    if (at_word_among(p, words))
        advance(p);
    else
        fail_expected(p, "NULL, TRUE, FALSE or UNKNOWN");
    return branch_close(p, &b);
}

static struct node *in(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->flags |= accept_not(p);
    expect_word(p, KW_IN);
    if (!at_sign(p, OP_LPAREN))
        fail_expected(p, "(");
    nest(p);
    struct node *right = parse_parenthesis(p);
    unnest(p);
    branch_add(&b, right->kind == N_SUBQUERY ? right : right->child);
    return branch_close(p, &b);
}

static struct node *between(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    nest(p);
    b.node->flags |= accept_not(p);
    expect_word(p, KW_BETWEEN);
    branch_add(&b, parse_level(p, PREC_BIT_OR));
    expect_word(p, KW_AND);
    branch_add(&b, parse_level(p, PREC_PREDICATE));
    unnest(p);
    return branch_close(p, &b);
}

static bool is_mysql(const struct parser *p)
{
    return p->dialect->flavour == FLAVOUR_MYSQL;
}

/* The right side of LIKE and its kin. A NOT LIKE, NOT IN … behind it belongs to it in MariaDB;
 * MySQL knows no predicate of a predicate, and behind LIKE no weaker operators. */
static struct node *pattern(struct parser *p, enum precedence mysql_lowest)
{
    nest(p);
    struct node *n = parse_level(p, is_mysql(p) ? mysql_lowest : PREC_BIT_OR);
    const struct infix *rule;
    while (!is_mysql(p) && at_word(p, KW_NOT) && (rule = infix_at(p)) != &no_infix)
        n = rule->parse(p, n, rule);
    unnest(p);
    return n;
}

static struct node *like(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->flags |= accept_not(p);
    expect_word(p, KW_LIKE);
    b.node->op = KW_LIKE;
    branch_add(&b, pattern(p, PREC_CONCAT));
    if (accept_word(p, KW_ESCAPE))
        branch_add(&b, pattern(p, PREC_CONCAT));
    return branch_close(p, &b);
}

static struct node *regexp(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->flags |= accept_not(p);
    b.node->op = KW_REGEXP;
    advance(p); /* REGEXP or RLIKE */
    branch_add(&b, pattern(p, PREC_BIT_OR));
    return branch_close(p, &b);
}

static struct node *sounds_like(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->op = KW_SOUNDS;
    expect_word(p, KW_SOUNDS);
    expect_word(p, KW_LIKE);
    branch_add(&b, pattern(p, PREC_BIT_OR));
    return branch_close(p, &b);
}

static struct node *member_of(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    expect_word(p, KW_MEMBER);
    accept_word(p, KW_OF);
    expect_sign(p, OP_LPAREN);
    nest(p);
    branch_add(&b, parse_expression(p));
    unnest(p);
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

/* MySQL's column -> 'path' and column ->> 'path'. */
static struct node *json_path(struct parser *p, struct node *left, const struct infix *rule)
{
    if (left->kind != N_COLUMN || !is_mysql(p))
        fail_expected(p, "a column of MySQL's in front of the path");
    struct branch b = branch_around(p, rule->kind, left);
    b.node->op = token_here(p)->value;
    advance(p);
    branch_add(&b, at_kind(p, TOKEN_STRING) ? leaf(p, N_LITERAL) : missing(p, "a path"));
    return branch_close(p, &b);
}

static struct node *collate(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    expect_word(p, KW_COLLATE);
    if (at_name(p) || at_kind(p, TOKEN_STRING) || at_word(p, KW_BINARY))
        advance(p);
    else
        fail_expected(p, "a collation");
    return branch_close(p, &b);
}

/* ---- the tables ---- */

static const struct infix sign_infix[OP_RBRACE + 1] = {
    [OP_OR_OR] = { PREC_OR, N_OR, chain },
    [OP_AND_AND] = { PREC_AND, N_AND, chain },
    [OP_EQ] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_NULL_SAFE_EQ] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_NOT_EQ] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_NOT_EQ_BANG] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_LESS] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_LESS_EQ] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_GREATER] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_GREATER_EQ] = { PREC_COMPARE, N_COMPARE, compare },
    [OP_PIPE] = { PREC_BIT_OR, N_BINARY, binary },
    [OP_AMP] = { PREC_BIT_AND, N_BINARY, binary },
    [OP_SHIFT_LEFT] = { PREC_SHIFT, N_BINARY, binary },
    [OP_SHIFT_RIGHT] = { PREC_SHIFT, N_BINARY, binary },
    [OP_PLUS] = { PREC_ADD, N_BINARY, binary },
    [OP_MINUS] = { PREC_ADD, N_BINARY, binary },
    [OP_STAR] = { PREC_MULTIPLY, N_BINARY, binary },
    [OP_SLASH] = { PREC_MULTIPLY, N_BINARY, binary },
    [OP_PERCENT] = { PREC_MULTIPLY, N_BINARY, binary },
    [OP_CARET] = { PREC_BIT_XOR, N_BINARY, binary },
    [OP_JSON_EXTRACT] = { PREC_PATH, N_BINARY, json_path },
    [OP_JSON_UNQUOTE_EXTRACT] = { PREC_PATH, N_BINARY, json_path },
};

static const struct infix concatenation = { PREC_CONCAT, N_BINARY, binary };

static const struct infix word_infix[KEYWORD_COUNT] = {
    [KW_OR] = { PREC_OR, N_OR, chain },
    [KW_XOR] = { PREC_XOR, N_XOR, chain },
    [KW_AND] = { PREC_AND, N_AND, chain },
    [KW_IS] = { PREC_COMPARE, N_IS, is },
    [KW_IN] = { PREC_PREDICATE, N_IN, in },
    [KW_BETWEEN] = { PREC_PREDICATE, N_BETWEEN, between },
    [KW_LIKE] = { PREC_PREDICATE, N_LIKE, like },
    [KW_REGEXP] = { PREC_PREDICATE, N_LIKE, regexp },
    [KW_RLIKE] = { PREC_PREDICATE, N_LIKE, regexp },
    [KW_SOUNDS] = { PREC_PREDICATE, N_LIKE, sounds_like },
    [KW_MEMBER] = { PREC_PREDICATE, N_MEMBER_OF, member_of },
    [KW_DIV] = { PREC_MULTIPLY, N_BINARY, binary },
    [KW_MOD] = { PREC_MULTIPLY, N_BINARY, binary },
    [KW_COLLATE] = { PREC_COLLATE, N_COLLATE, collate },
};

/* The word's rule, unless it is a name here (an alias) or belongs to the clause around. */
static const struct infix *word_infix_at(const struct parser *p)
{
    const struct token *next = token_ahead(p, 1);
    switch (token_here(p)->value) {
    case KW_NOT: /* NOT IN, NOT LIKE …; DEFAULT 1 NOT NULL ends the expression */
        if (next->kind != TOKEN_IDENT || word_infix[next->value].precedence != PREC_PREDICATE)
            return &no_infix;
        return &word_infix[next->value];
    case KW_SOUNDS:
        return token_is_keyword(next, KW_LIKE) ? &word_infix[KW_SOUNDS] : &no_infix;
    case KW_MEMBER:
        if (!is_mysql(p))
            return &no_infix;
        return token_is_keyword(next, KW_OF) || token_is_op(next, OP_LPAREN)
                   ? &word_infix[KW_MEMBER]
                   : &no_infix;
    default:
        return &word_infix[token_here(p)->value];
    }
}

static const struct infix *infix_at(const struct parser *p)
{
    if (at_kind(p, TOKEN_IDENT))
        return word_infix_at(p);
    if (!at_kind(p, TOKEN_OPERATOR))
        return &no_infix;
    if (at_sign(p, OP_OR_OR) && (p->dialect->modes & MODE_PIPES_AS_CONCAT))
        return &concatenation;
    return &sign_infix[token_here(p)->value];
}

/* The strongest operator that may stand behind an operand. */
static unsigned strongest_behind(const struct parser *p, const struct node *operand)
{
    bool is_sign = token_is_op(&p->lexed->tokens[operand->first], OP_BANG);
    if (operand->kind == N_NOT && !is_sign && !(p->dialect->modes & MODE_HIGH_NOT_PRECEDENCE))
        return PREC_AND;
    return operand->kind == N_INTERVAL ? PREC_ADD : PREC_PATH;
}

/* The same behind what an operator made, which is no operand of a stronger one: a IN (1) + 2 is
 * an error. Yet a + INTERVAL 1 DAY * 2 is a product: the unit ends the sum. */
static unsigned strongest_behind_operator(const struct parser *p, const struct node *made,
                                          const struct infix *rule)
{
    if (rule->precedence == PREC_PREDICATE && is_mysql(p))
        return PREC_COMPARE;
    bool complete = made->kind == N_BINARY && made->child->next->kind == N_INTERVAL;
    return complete ? PREC_BIT_XOR : rule->precedence;
}

struct node *parse_operators(struct parser *p, struct node *left, enum precedence lowest)
{
    unsigned highest = strongest_behind(p, left);
    for (;;) {
        const struct infix *rule = infix_at(p);
        if (rule->precedence < lowest || rule->precedence > highest)
            return left;
        left = rule->parse(p, left, rule);
        highest = strongest_behind_operator(p, left, rule);
    }
}

struct node *parse_level(struct parser *p, enum precedence lowest)
{
    if (lowest > PREC_NOT && at_word(p, KW_NOT) &&
        !(p->dialect->modes & MODE_HIGH_NOT_PRECEDENCE))
        return missing(p, "an operand (NOT is weaker than what stands before it)");
    return parse_operators(p, parse_operand(p), lowest);
}

struct node *parse_expression(struct parser *p)
{
    return parse_level(p, PREC_OR);
}

void parse_expressions(struct parser *p, struct branch *b)
{
    do
        branch_add(b, parse_expression(p));
    while (accept_sign(p, OP_COMMA));
}
