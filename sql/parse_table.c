/* Table references: names, aliases, index hints, derived tables, and joins in the order in
 * which the servers nest them. */
#include "sql/parse_int.h"

/* ---- names ---- */

struct node *parse_name(struct parser *p)
{
    if (!at_name(p))
        return missing(p, "a table");
    struct branch b = branch_open(p, N_NAME);
    branch_add(&b, leaf(p, N_IDENT));
    if (at_sign(p, OP_DOT) && !sign_ahead(p, 1, OP_STAR)) {
        advance(p);
        branch_add(&b, parse_ident_behind_dot(p));
    }
    return branch_close(p, &b);
}

static void partition(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_PARTITION))
        return;
    struct branch names = branch_open(p, N_PARTITION);
    advance(p);
    parse_ident_list(p, &names, "a partition");
    branch_add(b, branch_close(p, &names));
}

struct node *parse_columns(struct parser *p)
{
    struct branch b = branch_open(p, N_COLUMNS);
    expect_sign(p, OP_LPAREN);
    if (!at_sign(p, OP_RPAREN))
        do
            branch_add(&b, parse_column(p));
        while (accept_sign(p, OP_COMMA));
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

struct node *parse_target(struct parser *p)
{
    struct branch b = branch_around(p, N_TABLE, parse_name(p));
    partition(p, &b);
    return branch_close(p, &b);
}

/* ---- what follows a table's name ---- */

/* [AS] name. WINDOW begins a clause even where it is not reserved. */
static void table_alias(struct parser *p, struct branch *b)
{
    bool as = at_word(p, KW_AS);
    if (!as && (!at_name(p) || at_word(p, KW_WINDOW)))
        return;
    struct branch alias = branch_open(p, N_ALIAS);
    if (as)
        advance(p);
    branch_add(&alias, parse_ident(p, "an alias"));
    branch_add(b, branch_close(p, &alias));
}

/* An index's name; PRIMARY is one. */
static struct node *index_name(struct parser *p)
{
    return at_word(p, KW_PRIMARY) ? leaf(p, N_IDENT) : parse_ident(p, "an index");
}

static void index_hint_scope(struct parser *p)
{
    if (!accept_word(p, KW_FOR))
        return;
    if (accept_word(p, KW_JOIN) || accept_words(p, KW_ORDER, KW_BY))
        return;
    expect_word(p, KW_GROUP);
    expect_word(p, KW_BY);
}

/* USE INDEX FOR JOIN (a, b) */
static struct node *index_hint(struct parser *p)
{
    struct branch b = branch_open(p, N_INDEX_HINT);
    b.node->op = token_here(p)->value;
    advance(p);
    if (!accept_word(p, KW_KEY))
        expect_word(p, KW_INDEX);
    index_hint_scope(p);
    expect_sign(p, OP_LPAREN);
    if (!at_sign(p, OP_RPAREN))
        do
            branch_add(&b, index_name(p));
        while (accept_sign(p, OP_COMMA));
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

static bool at_index_hint(const struct parser *p, uint32_t distance)
{
    static const uint16_t verbs[] = { KW_USE, KW_FORCE, KW_IGNORE, KEYWORD_NONE };
    return word_among(token_ahead(p, distance), verbs) &&
           (word_ahead(p, distance + 1, KW_INDEX) || word_ahead(p, distance + 1, KW_KEY));
}

static void index_hints(struct parser *p, struct branch *b)
{
    while (at_index_hint(p, 0)) {
        branch_add(b, index_hint(p));
        if (at_sign(p, OP_COMMA) && at_index_hint(p, 1))
            advance(p);
    }
}

struct node *parse_table_around(struct parser *p, struct node *name)
{
    struct branch b = branch_around(p, N_TABLE, name);
    partition(p, &b);
    if (at_words(p, KW_FOR, KW_SYSTEM_TIME) || at_words(p, KW_FOR, KW_PORTION))
        fail_not_understood(p, "a temporal table");
    if (at_word(p, KW_TABLESAMPLE) && !at_name(p))
        fail_not_understood(p, "TABLESAMPLE");
    table_alias(p, &b);
    partition(p, &b);
    index_hints(p, &b);
    return branch_close(p, &b);
}

/* ---- derived tables ---- */

static struct node *derived(struct parser *p, struct node *subquery)
{
    struct branch b = branch_around(p, N_DERIVED, subquery);
    table_alias(p, &b);
    if (at_sign(p, OP_LPAREN))
        branch_add(&b, parse_columns(p));
    return branch_close(p, &b);
}

static struct node *lateral(struct parser *p)
{
    uint32_t first = p->at, parenthesis;
    expect_word(p, KW_LATERAL);
    parenthesis = p->at;
    expect_sign(p, OP_LPAREN);
    struct node *n = derived(p, parse_subquery_rest(p, parenthesis));
    n->first = first;
    n->flags |= NODE_F_LATERAL;
    return n;
}

/* JSON_TABLE(doc, path COLUMNS (…)) AS t */
static struct node *json_table(struct parser *p)
{
    struct branch b = branch_open(p, N_JSON_TABLE);
    p->at += 2;
    branch_add(&b, parse_expression(p));
    expect_sign(p, OP_COMMA);
    skip_plain(p, false);
    expect_sign(p, OP_RPAREN);
    table_alias(p, &b);
    return branch_close(p, &b);
}

/* ---- factors ---- */

static struct node *table_reference(struct parser *p);
static struct node *joins(struct parser *p, struct node *first);
static struct node *parenthesis(struct parser *p);

/* A query within table parentheses; unlike in an expression, VALUES (1) is one. */
static bool at_table_query(const struct parser *p)
{
    return at_query(p) || at_word(p, KW_VALUES);
}

/* {name a LEFT JOIN b ON …}: whatever the name, the same as parentheses. */
static struct node *odbc_escape(struct parser *p)
{
    struct branch b = branch_open(p, N_TABLES_PAREN);
    expect_sign(p, OP_LBRACE);
    if (at_name(p))
        advance(p);
    else
        fail_expected(p, "the name of an escape");
    branch_add(&b, table_reference(p));
    expect_sign(p, OP_RBRACE);
    return branch_close(p, &b);
}

static struct node *factor_by_start(struct parser *p)
{
    if (at_sign(p, OP_LPAREN)) {
        struct node *n = parenthesis(p);
        return n->kind == N_SUBQUERY ? derived(p, n) : n;
    }
    if (at_word(p, KW_LATERAL) && sign_ahead(p, 1, OP_LPAREN))
        return lateral(p);
    if (at_word(p, KW_JSON_TABLE) && sign_ahead(p, 1, OP_LPAREN))
        return json_table(p);
    if (at_sign(p, OP_LBRACE))
        return odbc_escape(p);
    return parse_table_around(p, parse_name(p));
}

static struct node *factor(struct parser *p)
{
    nest(p);
    struct node *n = factor_by_start(p);
    unnest(p);
    return n;
}

/* SUBQUERY or TABLES_PAREN. As in expressions, which of them is known only behind an inner
 * parenthesis: ((SELECT 1) UNION …) d, ((SELECT 1) d JOIN t). */
static struct node *parenthesis(struct parser *p)
{
    struct branch b = branch_open(p, N_TABLES_PAREN);
    uint32_t first = p->at;
    expect_sign(p, OP_LPAREN);
    if (at_table_query(p))
        return parse_subquery_rest(p, first);
    if (at_sign(p, OP_LPAREN)) {
        nest(p);
        struct node *inner = parenthesis(p);
        unnest(p);
        if (inner->kind == N_SUBQUERY) {
            if (at_query_tail(p))
                return parse_subquery_around(p, first, inner);
            inner = derived(p, inner);
        }
        branch_add(&b, joins(p, inner));
    } else
        branch_add(&b, table_reference(p));
    while (accept_sign(p, OP_COMMA))
        branch_add(&b, table_reference(p));
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

/* ---- joins ---- */

/* The join words, if any; a JOIN node without children. */
static struct node *accept_join(struct parser *p)
{
    static const uint16_t starts[] = { KW_JOIN, KW_INNER, KW_CROSS,   KW_STRAIGHT_JOIN,
                                       KW_LEFT, KW_RIGHT, KW_NATURAL, KEYWORD_NONE };
    if (!at_word_among(p, starts))
        return NULL;
    struct node *join = node_new(p, N_JOIN, p->at);
    join->op = KW_JOIN;
    if (accept_word(p, KW_STRAIGHT_JOIN)) {
        join->op = KW_STRAIGHT_JOIN;
        return join;
    }
    if (accept_word(p, KW_NATURAL))
        join->flags |= NODE_F_NATURAL;
    if (at_word(p, KW_LEFT) || at_word(p, KW_RIGHT)) {
        join->op = token_here(p)->value;
        advance(p);
        accept_word(p, KW_OUTER);
    } else if (!accept_word(p, KW_INNER) && !join->flags)
        accept_word(p, KW_CROSS);
    expect_word(p, KW_JOIN);
    return join;
}

static void connect(struct node *join, struct node *left, struct node *right)
{
    join->first = left->first;
    join->last = right->last;
    join->child = left;
    left->next = right;
    right->next = NULL;
}

static bool at_condition(const struct parser *p)
{
    bool on_duplicate = word_ahead(p, 1, KW_DUPLICATE) && word_ahead(p, 2, KW_KEY);
    return at_word(p, KW_USING) || (at_word(p, KW_ON) && !on_duplicate);
}

static struct node *condition(struct parser *p)
{
    struct branch b = branch_open(p, at_word(p, KW_ON) ? N_ON : N_USING);
    advance(p);
    if (b.node->kind == N_ON)
        branch_add(&b, parse_expression(p));
    else
        parse_ident_list(p, &b, "a column");
    return branch_close(p, &b);
}

/* The joins that wait for a condition are a stack, linked by `next`; `child` is the left side. */
static struct node *pop(struct node **waiting)
{
    struct node *join = *waiting;
    *waiting = join->next;
    join->next = NULL;
    return join;
}

static struct node *join_on_condition(struct parser *p, struct node *join, struct node *right)
{
    connect(join, join->child, right);
    right->next = condition(p);
    join->last = right->next->last;
    return join;
}

/* A join that never got a condition belongs to the first table of what stands to its right:
 * a JOIN b LEFT JOIN c ON … is (a JOIN b) LEFT JOIN c ON … */
static struct node *join_without_condition(struct parser *p, struct node *join, struct node *right)
{
    if (join->op == KW_LEFT || join->op == KW_RIGHT)
        fail_expected(p, "ON or USING");
    struct node *left = join->child, *root = right, **slot = &root;
    for (; (*slot)->kind == N_JOIN; slot = &(*slot)->child)
        (*slot)->first = left->first;
    struct node *leftmost = *slot, *behind = leftmost->next;
    connect(join, left, leftmost);
    join->next = behind;
    *slot = join;
    return root;
}

/* Reads `JOIN t ON … JOIN u …` behind the first table. A condition closes the nearest join
 * that lacks one: in `a JOIN b JOIN c ON x ON y`, x belongs to b and c. */
static struct node *joins(struct parser *p, struct node *here)
{
    struct node *waiting = NULL, *join;
    uint32_t depth = p->depth;
    while ((join = accept_join(p))) {
        nest(p); /* as deep as the tree will be */
        if (join->flags & NODE_F_NATURAL) {
            connect(join, here, factor(p));
            here = join;
        } else {
            join->child = here;
            join->next = waiting;
            waiting = join;
            here = factor(p);
        }
        while (waiting && at_condition(p))
            here = join_on_condition(p, pop(&waiting), here);
    }
    while (waiting)
        here = join_without_condition(p, pop(&waiting), here);
    p->depth = depth;
    return here;
}

static struct node *table_reference(struct parser *p)
{
    return joins(p, factor(p));
}

void parse_table_references(struct parser *p, struct branch *b)
{
    do
        branch_add(b, table_reference(p));
    while (accept_sign(p, OP_COMMA));
}
