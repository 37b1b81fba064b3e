/* Query expressions: WITH, SELECT blocks, UNION and its kin, and the clauses that UPDATE and
 * DELETE share with them. */
#include "sql/parse_int.h"

/* ---- SELECT lists ---- */

/* x.* and x.y.*: the number of names before the star; 0 for a star alone, -1 for no star. */
static int star_names(const struct parser *p)
{
    if (at_sign(p, OP_STAR))
        return 0;
    for (int names = 1; names <= 2; names++) {
        uint32_t dot = 2 * (uint32_t)names - 1;
        if (!sign_ahead(p, dot, OP_DOT))
            return -1;
        if (sign_ahead(p, dot + 1, OP_STAR))
            return names;
    }
    return -1;
}

static struct node *star(struct parser *p, int names)
{
    struct branch b = branch_open(p, N_STAR);
    if (names > 0)
        branch_add(&b, parse_ident(p, "a table"));
    for (int i = 1; i <= names; i++) {
        expect_sign(p, OP_DOT);
        if (i < names)
            branch_add(&b, parse_ident_behind_dot(p));
    }
    expect_sign(p, OP_STAR);
    return branch_close(p, &b);
}

/* [AS] name or 'text'. Behind AS a legacy column's name is one, though it is reserved. */
static void item_alias(struct parser *p, struct branch *b)
{
    struct branch alias = { NULL, NULL };
    if (at_word(p, KW_AS)) {
        alias = branch_open(p, N_ALIAS);
        advance(p);
        if (!at_column_name(p) && !at_kind(p, TOKEN_STRING))
            fail_expected(p, "an alias");
    } else if (at_name(p) || at_kind(p, TOKEN_STRING))
        alias = branch_open(p, N_ALIAS);
    else
        return;
    if (at_kind(p, TOKEN_STRING))
        advance(p);
    else
        branch_add(&alias, leaf(p, N_IDENT));
    branch_add(b, branch_close(p, &alias));
}

static struct node *select_item(struct parser *p)
{
    int names = star_names(p);
    if (names >= 0)
        return star(p, names);
    struct branch b = branch_open(p, N_SELECT_ITEM);
    branch_add(&b, parse_expression(p));
    item_alias(p, &b);
    return branch_close(p, &b);
}

/* A star alone must be the first item. */
void parse_select_items(struct parser *p, struct branch *b)
{
    branch_add(b, select_item(p));
    while (accept_sign(p, OP_COMMA))
        branch_add(b, at_sign(p, OP_STAR) ? missing(p, "an expression") : select_item(p));
}

/* ---- clauses ---- */

void parse_where(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_WHERE))
        return;
    struct branch where = branch_open(p, N_WHERE);
    advance(p);
    branch_add(&where, parse_expression(p));
    branch_add(b, branch_close(p, &where));
}

static uint16_t accept_direction(struct parser *p)
{
    return accept_word(p, KW_ASC) ? KW_ASC : accept_word(p, KW_DESC) ? KW_DESC : KEYWORD_NONE;
}

static struct node *order_item(struct parser *p)
{
    struct branch b = branch_open(p, N_ORDER_ITEM);
    branch_add(&b, parse_expression(p));
    b.node->op = accept_direction(p);
    return branch_close(p, &b);
}

void parse_order_by(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_ORDER))
        return;
    struct branch order = branch_open(p, N_ORDER_BY);
    advance(p);
    expect_word(p, KW_BY);
    do
        branch_add(&order, order_item(p));
    while (accept_sign(p, OP_COMMA));
    branch_add(b, branch_close(p, &order));
}

/* GROUP BY a DESC is older MySQL's and MariaDB's. */
static struct node *group_item(struct parser *p)
{
    struct node *item = order_item(p);
    return item->op == KEYWORD_NONE ? item->child : item;
}

static void group_by(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_GROUP))
        return;
    struct branch group = branch_open(p, N_GROUP_BY);
    advance(p);
    expect_word(p, KW_BY);
    do
        branch_add(&group, group_item(p));
    while (accept_sign(p, OP_COMMA));
    if (accept_words(p, KW_WITH, KW_ROLLUP))
        group.node->op = KW_ROLLUP;
    branch_add(b, branch_close(p, &group));
}

static void having(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_HAVING))
        return;
    struct branch having = branch_open(p, N_HAVING);
    advance(p);
    branch_add(&having, parse_expression(p));
    branch_add(b, branch_close(p, &having));
}

/* WINDOW w AS (…), v AS (w) */
static void windows(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_WINDOW))
        return;
    struct branch windows = branch_open(p, N_WINDOWS);
    advance(p);
    do {
        branch_add(&windows, parse_ident(p, "a window"));
        expect_word(p, KW_AS);
        parse_window(p, &windows);
    } while (accept_sign(p, OP_COMMA));
    branch_add(b, branch_close(p, &windows));
}

static struct node *limit_number(struct parser *p)
{
    if (at_kind(p, TOKEN_PARAM))
        return leaf(p, N_PARAM);
    bool number = at_kind(p, TOKEN_INTEGER) || at_kind(p, TOKEN_HEX);
    return number ? leaf(p, N_LITERAL) : missing(p, "a number of rows");
}

void parse_limit(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_LIMIT))
        return;
    struct branch limit = branch_open(p, N_LIMIT);
    advance(p);
    if (at_word(p, KW_ROWS))
        fail_not_understood(p, "LIMIT ROWS EXAMINED");
    branch_add(&limit, limit_number(p));
    if (accept_sign(p, OP_COMMA))
        limit.node->op = OP_COMMA;
    else if (accept_word(p, KW_OFFSET))
        limit.node->op = KW_OFFSET;
    if (limit.node->op)
        branch_add(&limit, limit_number(p));
    if (at_words(p, KW_ROWS, KW_EXAMINED))
        fail_not_understood(p, "LIMIT ROWS EXAMINED");
    branch_add(b, branch_close(p, &limit));
}

static void expect_rows(struct parser *p)
{
    if (!accept_word(p, KW_ROW))
        expect_word(p, KW_ROWS);
}

/* MariaDB's [OFFSET n ROWS] [FETCH FIRST [n] ROWS ONLY | WITH TIES] */
static void fetch(struct parser *p, struct branch *b)
{
    if (p->dialect->flavour != FLAVOUR_MARIADB || (!at_word(p, KW_OFFSET) && !at_word(p, KW_FETCH)))
        return;
    struct branch limit = branch_open(p, N_LIMIT);
    limit.node->op = KW_FETCH;
    if (accept_word(p, KW_OFFSET)) {
        branch_add(&limit, limit_number(p));
        expect_rows(p);
    }
    if (accept_word(p, KW_FETCH)) {
        if (!accept_word(p, KW_FIRST))
            expect_word(p, KW_NEXT);
        if (!at_word(p, KW_ROW) && !at_word(p, KW_ROWS))
            branch_add(&limit, limit_number(p));
        expect_rows(p);
        if (!accept_word(p, KW_ONLY)) {
            expect_word(p, KW_WITH);
            expect_word(p, KW_TIES);
        }
    }
    branch_add(b, branch_close(p, &limit));
}

static void lock_wait(struct parser *p)
{
    if (accept_word(p, KW_NOWAIT) || accept_words(p, KW_SKIP, KW_LOCKED))
        return;
    if (accept_word(p, KW_WAIT))
        limit_number(p);
}

static struct node *locking(struct parser *p)
{
    struct branch b = branch_open(p, N_LOCKING);
    if (accept_words(p, KW_LOCK, KW_IN)) {
        b.node->op = KW_LOCK;
        expect_word(p, KW_SHARE);
        expect_word(p, KW_MODE);
    } else {
        expect_word(p, KW_FOR);
        b.node->op = token_here(p)->value;
        if (!accept_word(p, KW_SHARE))
            expect_word(p, KW_UPDATE);
        if (accept_word(p, KW_OF))
            do
                branch_add(&b, parse_ident(p, "a table"));
            while (accept_sign(p, OP_COMMA));
    }
    lock_wait(p);
    return branch_close(p, &b);
}

/* CHARACTER SET x FIELDS TERMINATED BY ',' LINES STARTING BY '' … */
static void export_options(struct parser *p)
{
    static const uint16_t words[] = { KW_FIELDS,   KW_COLUMNS, KW_LINES,   KW_TERMINATED,
                                      KW_STARTING, KW_ESCAPED, KW_BY,      KW_OPTIONALLY,
                                      KW_ENCLOSED, KEYWORD_NONE };
    if (accept_character_set(p))
        advance(p);
    while (at_word_among(p, words) || at_kind(p, TOKEN_STRING) || at_kind(p, TOKEN_HEX))
        advance(p);
}

static void into(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_INTO))
        return;
    struct branch into = branch_open(p, N_INTO);
    advance(p);
    if (at_word(p, KW_OUTFILE) || at_word(p, KW_DUMPFILE)) {
        into.node->op = token_here(p)->value;
        advance(p);
        branch_add(&into, at_kind(p, TOKEN_STRING) ? parse_literal(p) : missing(p, "a file"));
        export_options(p);
    } else
        do
            branch_add(&into, at_name(p) ? leaf(p, N_IDENT) : parse_user_variable(p));
        while (accept_sign(p, OP_COMMA));
    branch_add(b, branch_close(p, &into));
}

/* ---- blocks ---- */

static void select_options(struct parser *p, struct node *block)
{
    static const uint16_t others[] = { KW_ALL,
                                       KW_HIGH_PRIORITY,
                                       KW_STRAIGHT_JOIN,
                                       KW_SQL_SMALL_RESULT,
                                       KW_SQL_BIG_RESULT,
                                       KW_SQL_BUFFER_RESULT,
                                       KW_SQL_NO_CACHE,
                                       KW_SQL_CALC_FOUND_ROWS,
                                       KEYWORD_NONE };
    bool mariadb = p->dialect->flavour == FLAVOUR_MARIADB;
    for (;;) {
        if (accept_distinct(p) || (mariadb && accept_word(p, KW_UNIQUE)))
            block->flags |= NODE_F_DISTINCT;
        else if ((mariadb && at_word(p, KW_SQL_CACHE)) || at_word_among(p, others))
            advance(p);
        else
            return;
    }
}

static void from(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_FROM))
        return;
    struct branch from = branch_open(p, N_FROM);
    advance(p);
    if (!accept_word(p, KW_DUAL))
        parse_table_references(p, &from);
    branch_add(b, branch_close(p, &from));
}

static struct node *select_list(struct parser *p)
{
    struct branch b = branch_open(p, N_SELECT_LIST);
    parse_select_items(p, &b);
    return branch_close(p, &b);
}

static struct node *block(struct parser *p)
{
    struct branch b = branch_open(p, N_BLOCK);
    expect_word(p, KW_SELECT);
    select_options(p, b.node);
    branch_add(&b, select_list(p));
    into(p, &b);
    from(p, &b);
    parse_where(p, &b);
    group_by(p, &b);
    having(p, &b);
    windows(p, &b);
    if (at_word(p, KW_PROCEDURE) || at_word(p, KW_QUALIFY))
        fail_not_understood(p, keyword_text(token_here(p)->value));
    return branch_close(p, &b);
}

/* MySQL's; MariaDB has none. */
static bool at_table_statement(const struct parser *p)
{
    return at_word(p, KW_TABLE) && p->dialect->flavour == FLAVOUR_MYSQL;
}

static struct node *table_statement(struct parser *p)
{
    struct branch b = branch_open(p, N_TABLE_STMT);
    expect_word(p, KW_TABLE);
    branch_add(&b, parse_target(p));
    return branch_close(p, &b);
}

static struct node *row_of_values(struct parser *p)
{
    struct branch b = branch_open(p, N_ROW);
    accept_word(p, KW_ROW);
    expect_sign(p, OP_LPAREN);
    if (!at_sign(p, OP_RPAREN))
        parse_expressions(p, &b);
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

void parse_rows(struct parser *p, struct branch *b)
{
    do
        branch_add(b, row_of_values(p));
    while (accept_sign(p, OP_COMMA));
}

static struct node *values_statement(struct parser *p)
{
    struct branch b = branch_open(p, N_VALUES_ROWS);
    expect_word(p, KW_VALUES);
    parse_rows(p, &b);
    return branch_close(p, &b);
}

/* ---- bodies ---- */

static struct node *query_in_parenthesis(struct parser *p)
{
    struct branch b = branch_open(p, N_QUERY_PAREN);
    nest(p);
    expect_sign(p, OP_LPAREN);
    branch_add(&b, parse_query(p));
    expect_sign(p, OP_RPAREN);
    unnest(p);
    return branch_close(p, &b);
}

static struct node *query_primary(struct parser *p)
{
    if (at_word(p, KW_SELECT))
        return block(p);
    if (at_sign(p, OP_LPAREN))
        return query_in_parenthesis(p);
    if (at_word(p, KW_VALUES))
        return values_statement(p);
    return at_table_statement(p) ? table_statement(p) : missing(p, "a query");
}

static struct branch open_set_op(struct parser *p, struct node *left)
{
    struct branch b = branch_around(p, N_SET_OP, left);
    b.node->op = token_here(p)->value;
    advance(p);
    if (accept_word(p, KW_ALL))
        b.node->flags |= NODE_F_ALL;
    else if (accept_distinct(p))
        b.node->flags |= NODE_F_DISTINCT;
    return b;
}

/* INTERSECT binds more strongly than UNION and EXCEPT. */
static struct node *intersections(struct parser *p, struct node *left)
{
    while (at_word(p, KW_INTERSECT)) {
        struct branch b = open_set_op(p, left);
        branch_add(&b, query_primary(p));
        left = branch_close(p, &b);
    }
    return left;
}

static struct node *set_operations(struct parser *p, struct node *first)
{
    struct node *left = intersections(p, first);
    while (at_word(p, KW_UNION) || at_word(p, KW_EXCEPT)) {
        struct branch b = open_set_op(p, left);
        branch_add(&b, intersections(p, query_primary(p)));
        left = branch_close(p, &b);
    }
    return left;
}

/* ---- WITH ---- */

/* MariaDB's CYCLE a, b RESTRICT */
static void cycle(struct parser *p, struct branch *b)
{
    if (p->dialect->flavour != FLAVOUR_MARIADB || !at_word(p, KW_CYCLE))
        return;
    struct branch columns = branch_open(p, N_USING);
    advance(p);
    do
        branch_add(&columns, parse_ident(p, "a column"));
    while (accept_sign(p, OP_COMMA));
    expect_word(p, KW_RESTRICT);
    branch_add(b, branch_close(p, &columns));
}

static struct node *cte(struct parser *p)
{
    struct branch b = branch_open(p, N_CTE);
    branch_add(&b, parse_ident(p, "the name of a common table expression"));
    if (at_sign(p, OP_LPAREN))
        branch_add(&b, parse_columns(p));
    expect_word(p, KW_AS);
    nest(p);
    expect_sign(p, OP_LPAREN);
    branch_add(&b, parse_query(p));
    expect_sign(p, OP_RPAREN);
    unnest(p);
    cycle(p, &b);
    return branch_close(p, &b);
}

static struct node *with_clause(struct parser *p)
{
    struct branch b = branch_open(p, N_WITH);
    expect_word(p, KW_WITH);
    if (accept_word(p, KW_RECURSIVE))
        b.node->op = KW_RECURSIVE;
    do
        branch_add(&b, cte(p));
    while (accept_sign(p, OP_COMMA));
    return branch_close(p, &b);
}

/* ---- query expressions ---- */

static bool at_locking(const struct parser *p)
{
    return at_word(p, KW_FOR) || at_words(p, KW_LOCK, KW_IN);
}

static struct node *query_tail(struct parser *p, struct branch *b, struct node *body)
{
    branch_add(b, set_operations(p, body));
    parse_order_by(p, b);
    parse_limit(p, b);
    fetch(p, b);
    into(p, b); /* older MySQL puts INTO before the locking clause */
    while (at_locking(p))
        branch_add(b, locking(p));
    into(p, b);
    return branch_close(p, b);
}

static struct node *query_with(struct parser *p, struct node *with)
{
    struct branch b = branch_around(p, N_QUERY, with);
    return query_tail(p, &b, query_primary(p));
}

struct node *parse_query(struct parser *p)
{
    if (at_word(p, KW_WITH))
        return query_with(p, with_clause(p));
    struct branch b = branch_open(p, N_QUERY);
    return query_tail(p, &b, query_primary(p));
}

static struct node *query_around(struct parser *p, struct node *body)
{
    struct branch b = { node_new(p, N_QUERY, body->first), NULL };
    b.end = &b.node->child;
    return query_tail(p, &b, body);
}

bool at_query(const struct parser *p)
{
    return at_word(p, KW_SELECT) || at_word(p, KW_WITH) || at_table_statement(p) ||
           at_words(p, KW_VALUES, KW_ROW);
}

bool at_query_tail(const struct parser *p)
{
    static const uint16_t words[] = { KW_UNION, KW_EXCEPT, KW_INTERSECT, KW_ORDER,
                                      KW_LIMIT, KW_FOR,    KW_LOCK,      KEYWORD_NONE };
    return at_sign(p, OP_RPAREN) || at_word_among(p, words);
}

static struct node *close_subquery(struct parser *p, uint32_t first, struct node *query)
{
    struct node *n = node_new(p, N_SUBQUERY, first);
    struct branch b = { n, &n->child };
    branch_add(&b, query);
    expect_sign(p, OP_RPAREN);
    return branch_close(p, &b);
}

struct node *parse_subquery_rest(struct parser *p, uint32_t first)
{
    return close_subquery(p, first, parse_query(p));
}

struct node *parse_subquery_around(struct parser *p, uint32_t first, struct node *subquery)
{
    subquery->kind = N_QUERY_PAREN;
    return close_subquery(p, first, query_around(p, subquery));
}

struct node *parse_with_statement(struct parser *p)
{
    struct node *with = with_clause(p);
    if (at_word(p, KW_UPDATE))
        return parse_update(p, with);
    return at_word(p, KW_DELETE) ? parse_delete(p, with) : query_with(p, with);
}
