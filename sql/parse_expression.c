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

static struct node *binary(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->op = token_here(p)->value;
    advance(p);
    branch_add(&b, parse_level(p, rule->precedence + 1));
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

static struct node *subquery(struct parser *p)
{
    if (!at_sign(p, OP_LPAREN))
        return missing(p, "a sub-query");
    nest(p);
    struct node *n = parse_parenthesis(p);
    unnest(p);
    return n->kind == N_SUBQUERY ? n : missing(p, "a sub-query");
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
        branch_add(&b, subquery(p));
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

/* The right side of LIKE and its kin. A NOT LIKE, NOT IN … behind it belongs to it in MariaDB;
 * MySQL refuses such a row of predicates. */
static struct node *pattern(struct parser *p)
{
    nest(p);
    struct node *n = parse_level(p, PREC_BIT_OR);
    const struct infix *rule;
    while (at_word(p, KW_NOT) && (rule = infix_at(p)) != &no_infix)
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
    branch_add(&b, pattern(p));
    if (accept_word(p, KW_ESCAPE))
        branch_add(&b, pattern(p));
    return branch_close(p, &b);
}

static struct node *regexp(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->flags |= accept_not(p);
    b.node->op = KW_REGEXP;
    advance(p); /* REGEXP or RLIKE */
    branch_add(&b, pattern(p));
    return branch_close(p, &b);
}

static struct node *sounds_like(struct parser *p, struct node *left, const struct infix *rule)
{
    struct branch b = branch_around(p, rule->kind, left);
    b.node->op = KW_SOUNDS;
    expect_word(p, KW_SOUNDS);
    expect_word(p, KW_LIKE);
    branch_add(&b, pattern(p));
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
    [OP_JSON_EXTRACT] = { PREC_PATH, N_BINARY, binary },
    [OP_JSON_UNQUOTE_EXTRACT] = { PREC_PATH, N_BINARY, binary },
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

static struct node *parse_operators(struct parser *p, struct node *left, enum precedence lowest)
{
    for (;;) {
        const struct infix *rule = infix_at(p);
        if (rule->precedence < lowest)
            return left;
        left = rule->parse(p, left, rule);
    }
}

struct node *parse_level(struct parser *p, enum precedence lowest)
{
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

/* ---- parentheses ---- */

/* What follows `(` may turn out to be a query, a row or an operand only behind the inner
 * parenthesis: ((SELECT 1) UNION …), ((SELECT 1) + 1, 2). So the inner one is read first. */
static struct node *parse_in_parenthesis(struct parser *p, uint32_t first)
{
    if (!at_sign(p, OP_LPAREN))
        return parse_expression(p);
    nest(p);
    struct node *inner = parse_parenthesis(p);
    unnest(p);
    if (inner->kind == N_SUBQUERY && at_query_tail(p))
        return parse_subquery_around(p, first, inner);
    return parse_operators(p, inner, PREC_OR);
}

struct node *parse_parenthesis(struct parser *p)
{
    struct branch b = branch_open(p, N_PAREN);
    expect_sign(p, OP_LPAREN);
    if (at_query(p))
        return parse_subquery_rest(p, b.node->first);
    struct node *inner = parse_in_parenthesis(p, b.node->first);
    if (inner->kind == N_SUBQUERY && inner->first == b.node->first)
        return inner;
    branch_add(&b, inner);
    if (accept_sign(p, OP_COMMA)) {
        b.node->kind = N_ROW_EXPR;
        parse_expressions(p, &b);
    }
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

/* ---- operands that begin with a word of their own ---- */

static struct node *not(struct parser *p)
{
    struct branch b = branch_open(p, N_NOT);
    bool high = at_sign(p, OP_BANG) || (p->dialect->modes & MODE_HIGH_NOT_PRECEDENCE);
    advance(p); /* NOT or ! */
    branch_add(&b, parse_level(p, high ? PREC_UNARY : PREC_NOT));
    return branch_close(p, &b);
}

static struct node *unary(struct parser *p)
{
    struct branch b = branch_open(p, N_UNARY);
    b.node->op = token_here(p)->value;
    advance(p);
    branch_add(&b, parse_level(p, PREC_UNARY));
    return branch_close(p, &b);
}

static struct node *exists(struct parser *p)
{
    struct branch b = branch_open(p, N_EXISTS);
    expect_word(p, KW_EXISTS);
    branch_add(&b, subquery(p));
    return branch_close(p, &b);
}

static struct node *column_or_call(struct parser *p)
{
    return at_call(p) ? parse_call(p) : parse_column(p);
}

/* NEXT VALUE FOR s, MariaDB's sequences; else a name. */
static struct node *sequence(struct parser *p)
{
    if (word_ahead(p, 1, KW_VALUE) && word_ahead(p, 2, KW_FOR))
        fail_not_understood(p, "a sequence");
    return column_or_call(p);
}

/* ROW (a, b). */
static struct node *row(struct parser *p)
{
    if (!sign_ahead(p, 1, OP_LPAREN))
        return column_or_call(p);
    uint32_t first = p->at;
    expect_word(p, KW_ROW);
    struct node *n = parse_parenthesis(p);
    if (n->kind != N_ROW_EXPR)
        return missing(p, "a row of several values");
    n->first = first;
    return n;
}

static struct node *case_when(struct parser *p)
{
    struct branch b = branch_open(p, N_CASE);
    expect_word(p, KW_CASE);
    if (!at_word(p, KW_WHEN))
        branch_add(&b, parse_expression(p));
    do {
        expect_word(p, KW_WHEN);
        branch_add(&b, parse_expression(p));
        expect_word(p, KW_THEN);
        branch_add(&b, parse_expression(p));
    } while (at_word(p, KW_WHEN));
    if (accept_word(p, KW_ELSE))
        branch_add(&b, parse_expression(p));
    expect_word(p, KW_END);
    return branch_close(p, &b);
}

/* INTERVAL 1 DAY, or the function INTERVAL(n, a, b …). */
static struct node *interval(struct parser *p)
{
    struct branch b = branch_open(p, N_INTERVAL);
    expect_word(p, KW_INTERVAL);
    if (at_sign(p, OP_LPAREN)) {
        struct node *inner = parse_parenthesis(p);
        if (inner->kind == N_ROW_EXPR) {
            inner->kind = N_FUNCTION;
            inner->first = b.node->first;
            return inner;
        }
        branch_add(&b, parse_operators(p, inner, PREC_OR));
    } else
        branch_add(&b, parse_expression(p));
    if (!accept_unit(p))
        fail_expected(p, "a unit of time");
    return branch_close(p, &b);
}

/* VALUES(col), in MariaDB also VALUE(col). */
static struct node *values_function(struct parser *p)
{
    if (!sign_ahead(p, 1, OP_LPAREN))
        return at_word(p, KW_VALUE) ? parse_column(p) : missing(p, "an expression");
    struct branch b = branch_open(p, N_VALUES_FUNCTION);
    p->at += 2;
    branch_add(&b, parse_column(p));
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

static struct node *default_value(struct parser *p)
{
    struct branch b = branch_open(p, N_DEFAULT);
    expect_word(p, KW_DEFAULT);
    if (accept_sign(p, OP_LPAREN)) {
        branch_add(&b, parse_column(p));
        expect_sign(p, OP_RPAREN);
    }
    return branch_close(p, &b);
}

/* MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE). */
static struct node *match(struct parser *p)
{
    struct branch b = branch_open(p, N_MATCH);
    expect_word(p, KW_MATCH);
    bool parenthesis = accept_sign(p, OP_LPAREN);
    do
        branch_add(&b, parse_column(p));
    while (accept_sign(p, OP_COMMA));
    if (parenthesis)
        expect_sign(p, OP_RPAREN);
    expect_word(p, KW_AGAINST);
    expect_sign(p, OP_LPAREN);
    branch_add(&b, parse_level(p, PREC_BIT_OR));
    skip_plain(p, true);
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

/* ---- literals, variables, columns ---- */

static struct node *literal_word(struct parser *p)
{
    struct node *n = leaf(p, N_LITERAL);
    n->op = p->lexed->tokens[n->first].value;
    return n;
}

/* DATE '2024-01-31'; without the string it is a name. */
static struct node *temporal(struct parser *p)
{
    if (token_ahead(p, 1)->kind != TOKEN_STRING)
        return column_or_call(p);
    struct node *n = leaf(p, N_LITERAL);
    n->last = p->at;
    advance(p);
    return n;
}

struct node *parse_literal(struct parser *p)
{
    struct branch b = branch_open(p, N_LITERAL);
    bool introduced = at_kind(p, TOKEN_INTRODUCER);
    if (introduced)
        advance(p);
    enum token_kind kind = token_here(p)->kind;
    bool text = kind == TOKEN_STRING || kind == TOKEN_NATIONAL;
    if (introduced && !text && kind != TOKEN_HEX && kind != TOKEN_BIT)
        fail_expected(p, "a string");
    advance(p);
    while (text && at_kind(p, TOKEN_STRING)) /* adjacent strings are one */
        advance(p);
    return branch_close(p, &b);
}

struct node *parse_user_variable(struct parser *p)
{
    return at_kind(p, TOKEN_USER_VAR) ? leaf(p, N_USER_VARIABLE) : missing(p, "a variable");
}

static struct node *user_variable_operand(struct parser *p)
{
    struct node *variable = parse_user_variable(p);
    if (!at_sign(p, OP_ASSIGN))
        return variable;
    struct branch b = branch_around(p, N_ASSIGN_VARIABLE, variable);
    expect_sign(p, OP_ASSIGN);
    branch_add(&b, parse_expression(p));
    return branch_close(p, &b);
}

/* The flag of @@global. and the like, 0 when the name begins here. */
static uint32_t accept_scope(struct parser *p)
{
    static const uint16_t global[] = { KW_GLOBAL, KW_PERSIST, KW_PERSIST_ONLY, KEYWORD_NONE };
    static const uint16_t session[] = { KW_SESSION, KW_LOCAL, KEYWORD_NONE };
    if (!sign_ahead(p, 1, OP_DOT))
        return 0;
    uint32_t scope = at_word_among(p, global)    ? NODE_F_GLOBAL
                     : at_word_among(p, session) ? NODE_F_SESSION
                                                 : 0;
    if (scope)
        p->at += 2;
    return scope;
}

struct node *parse_system_variable(struct parser *p)
{
    struct branch b = branch_open(p, N_SYSTEM_VARIABLE);
    if (at_kind(p, TOKEN_SYSTEM_VAR)) {
        advance(p);
        b.node->flags |= accept_scope(p);
        branch_add(&b, parse_ident_behind_dot(p));
    } else
        branch_add(&b, parse_ident(p, "a variable"));
    if (accept_sign(p, OP_DOT))
        branch_add(&b, parse_ident_behind_dot(p));
    return branch_close(p, &b);
}

struct node *parse_column(struct parser *p)
{
    enum { PARTS_MAX = 3 }; /* db.table.column */
    if (!at_column_name(p))
        return missing(p, "a column");
    struct branch b = branch_open(p, N_COLUMN);
    branch_add(&b, leaf(p, N_IDENT));
    for (int parts = 1; parts < PARTS_MAX && accept_sign(p, OP_DOT); parts++)
        branch_add(&b, parse_ident_behind_dot(p));
    return branch_close(p, &b);
}

/* ---- operands ---- */

/* Words with a rule of their own; every other word is a column or a function. */
static struct node *(*const word_operands[KEYWORD_COUNT])(struct parser *p) = {
    [KW_NOT] = not,
    [KW_BINARY] = unary,
    [KW_EXISTS] = exists,
    [KW_ROW] = row,
    [KW_CASE] = case_when,
    [KW_INTERVAL] = interval,
    [KW_VALUES] = values_function,
    [KW_VALUE] = values_function,
    [KW_DEFAULT] = default_value,
    [KW_MATCH] = match,
    [KW_NULL] = literal_word,
    [KW_TRUE] = literal_word,
    [KW_FALSE] = literal_word,
    [KW_DATE] = temporal,
    [KW_TIME] = temporal,
    [KW_TIMESTAMP] = temporal,
    [KW_NEXT] = sequence,
    [KW_PREVIOUS] = sequence,
};

static struct node *word_operand(struct parser *p)
{
    uint16_t word = token_here(p)->value;
    if (word_operands[word])
        return word_operands[word](p);
    if (at_call(p))
        return parse_call(p);
    return at_column_name(p) ? parse_column(p) : missing(p, "an expression");
}

static struct node *sign_operand(struct parser *p)
{
    switch (token_here(p)->value) {
    case OP_LPAREN:
        return parse_parenthesis(p);
    case OP_MINUS:
    case OP_PLUS:
    case OP_TILDE:
        return unary(p);
    case OP_BANG:
        return not(p);
    case OP_LBRACE:
        fail_not_understood(p, "an ODBC escape");
        break;
    }
    return missing(p, "an expression");
}

static struct node *operand(struct parser *p)
{
    switch (token_here(p)->kind) {
    case TOKEN_IDENT:
        return word_operand(p);
    case TOKEN_QUOTED:
        return column_or_call(p);
    case TOKEN_OPERATOR:
        return sign_operand(p);
    case TOKEN_PARAM:
        return leaf(p, N_PARAM);
    case TOKEN_USER_VAR:
        return user_variable_operand(p);
    case TOKEN_SYSTEM_VAR:
        return parse_system_variable(p);
    case TOKEN_END:
        return missing(p, "an expression");
    default:
        return parse_literal(p);
    }
}

struct node *parse_operand(struct parser *p)
{
    nest(p);
    struct node *n = operand(p);
    unnest(p);
    return n;
}
