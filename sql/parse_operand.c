/* Operands of expressions: parentheses, literals, variables, columns, and the forms that begin
 * with a word or sign of their own. Functions are in parse_function.c. */
#include "sql/parse_int.h"

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

struct node *parse_subquery(struct parser *p)
{
    if (!at_sign(p, OP_LPAREN))
        return missing(p, "a sub-query");
    nest(p);
    struct node *n = parse_parenthesis(p);
    unnest(p);
    return n->kind == N_SUBQUERY ? n : missing(p, "a sub-query");
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
    struct node *operand = parse_level(p, PREC_UNARY);
    bool sum = operand->kind == N_BINARY && operand->child->kind == N_INTERVAL;
    if (sum && p->dialect->flavour == FLAVOUR_MARIADB)
        fail_not_understood(p, "a sign in front of INTERVAL … +, without parentheses,");
    branch_add(&b, operand);
    return branch_close(p, &b);
}

static struct node *exists(struct parser *p)
{
    struct branch b = branch_open(p, N_EXISTS);
    expect_word(p, KW_EXISTS);
    branch_add(&b, parse_subquery(p));
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

/* {name expr} */
static struct node *odbc_escape(struct parser *p)
{
    struct branch b = branch_open(p, N_ODBC_ESCAPE);
    expect_sign(p, OP_LBRACE);
    branch_add(&b, parse_ident(p, "the name of an escape"));
    branch_add(&b, parse_expression(p));
    expect_sign(p, OP_RBRACE);
    return branch_close(p, &b);
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

/* INTERVAL 1 DAY + a: what follows is an expression, up to AND, OR and XOR. Only where IS TRUE
 * and its like stand in it do the servers differ. */
static struct node *behind_interval(struct parser *p, struct node *interval)
{
    struct branch b = branch_around(p, N_BINARY, interval);
    b.node->op = OP_PLUS;
    expect_sign(p, OP_PLUS);
    struct node *summand = parse_level(p, PREC_NOT);
    for (const struct node *n = summand; n && n->kind != N_PAREN; n = n->child)
        if (n->kind == N_IS)
            fail_not_understood(p, "IS behind INTERVAL … +, without parentheses,");
    branch_add(&b, summand);
    return branch_close(p, &b);
}

struct node *parse_interval(struct parser *p)
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

static struct node *interval(struct parser *p)
{
    struct node *n = parse_interval(p);
    return n->kind == N_INTERVAL && at_sign(p, OP_PLUS) ? behind_interval(p, n) : n;
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

/* MariaDB's IGNORE in place of a value: the same as DEFAULT. */
static struct node *ignore_value(struct parser *p)
{
    bool mariadb = p->dialect->flavour == FLAVOUR_MARIADB;
    return mariadb ? leaf(p, N_DEFAULT) : missing(p, "an expression");
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
    bool text = kind == TOKEN_STRING || (kind == TOKEN_NATIONAL && !introduced);
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
        bool cache = at_word(p, KW_DEFAULT) && sign_ahead(p, 1, OP_DOT); /* @@default.x */
        branch_add(&b, cache ? leaf(p, N_IDENT) : parse_ident_behind_dot(p));
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
    [KW_IGNORE] = ignore_value,
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
        return odbc_escape(p);
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
    case TOKEN_LITERALS:
        return leaf(p, N_LITERALS);
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
