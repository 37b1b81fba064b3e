/* INSERT, REPLACE, UPDATE and DELETE in all their forms. */
#include "sql/parse_int.h"

static const uint16_t priorities[] = { KW_LOW_PRIORITY, KW_HIGH_PRIORITY, KW_DELAYED, KW_QUICK,
                                       KEYWORD_NONE };

/* LOW_PRIORITY, QUICK, IGNORE … behind the verb. */
static void modifiers(struct parser *p, struct node *statement)
{
    while (at_word_among(p, priorities))
        advance(p);
    if (accept_word(p, KW_IGNORE))
        statement->flags |= NODE_F_IGNORE;
}

/* ---- parts ---- */

static struct node *assignment(struct parser *p)
{
    struct branch b = branch_open(p, N_ASSIGNMENT);
    branch_add(&b, parse_column(p));
    if (!accept_sign(p, OP_ASSIGN))
        expect_sign(p, OP_EQ);
    branch_add(&b, parse_expression(p));
    return branch_close(p, &b);
}

static void assignment_list(struct parser *p, struct branch *b)
{
    do
        branch_add(b, assignment(p));
    while (accept_sign(p, OP_COMMA));
}

static struct node *assignments(struct parser *p)
{
    struct branch b = branch_open(p, N_ASSIGNMENTS);
    expect_word(p, KW_SET);
    assignment_list(p, &b);
    return branch_close(p, &b);
}

static void on_duplicate(struct parser *p, struct branch *b)
{
    if (!at_words(p, KW_ON, KW_DUPLICATE))
        return;
    struct branch update = branch_open(p, N_ON_DUPLICATE);
    p->at += 2;
    expect_word(p, KW_KEY);
    expect_word(p, KW_UPDATE);
    assignment_list(p, &update);
    branch_add(b, branch_close(p, &update));
}

/* MariaDB's. */
static void returning(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_RETURNING) || at_name(p))
        return;
    struct branch items = branch_open(p, N_RETURNING);
    advance(p);
    parse_select_items(p, &items);
    branch_add(b, branch_close(p, &items));
}

/* ---- INSERT, REPLACE ---- */

/* AS new (a, b) */
static void row_alias(struct parser *p, struct branch *b)
{
    if (!at_word(p, KW_AS))
        return;
    struct branch alias = branch_open(p, N_ROW_ALIAS);
    advance(p);
    branch_add(&alias, parse_ident(p, "an alias"));
    if (at_sign(p, OP_LPAREN))
        branch_add(&alias, parse_columns(p));
    branch_add(b, branch_close(p, &alias));
}

static struct node *rows(struct parser *p)
{
    struct branch b = branch_open(p, N_ROWS);
    advance(p); /* VALUES or VALUE */
    parse_rows(p, &b);
    return branch_close(p, &b);
}

/* The parenthesis behind the table holds columns, unless a query stands in it. */
static bool at_column_list(const struct parser *p)
{
    static const uint16_t queries[] = { KW_SELECT, KW_WITH, KW_TABLE, KW_VALUES, KEYWORD_NONE };
    return at_sign(p, OP_LPAREN) && !sign_ahead(p, 1, OP_LPAREN) &&
           !word_among(token_ahead(p, 1), queries);
}

static void insert_source(struct parser *p, struct branch *b)
{
    if (at_word(p, KW_SET)) {
        branch_add(b, assignments(p));
        row_alias(p, b);
        return;
    }
    if (at_column_list(p))
        branch_add(b, parse_columns(p));
    if (at_word(p, KW_VALUES) || at_word(p, KW_VALUE)) {
        branch_add(b, rows(p));
        row_alias(p, b);
    } else
        branch_add(b, parse_query(p));
}

struct node *parse_insert(struct parser *p)
{
    struct branch b = branch_open(p, N_INSERT);
    b.node->op = token_here(p)->value;
    advance(p); /* INSERT or REPLACE */
    modifiers(p, b.node);
    accept_word(p, KW_INTO);
    branch_add(&b, parse_target(p));
    insert_source(p, &b);
    on_duplicate(p, &b);
    returning(p, &b);
    return branch_close(p, &b);
}

/* ---- UPDATE ---- */

static struct branch open_statement(struct parser *p, enum node_kind kind, struct node *with)
{
    return with ? branch_around(p, kind, with) : branch_open(p, kind);
}

struct node *parse_update(struct parser *p, struct node *with)
{
    struct branch b = open_statement(p, N_UPDATE, with);
    expect_word(p, KW_UPDATE);
    modifiers(p, b.node);
    struct branch from = branch_open(p, N_FROM);
    parse_table_references(p, &from);
    branch_add(&b, branch_close(p, &from));
    branch_add(&b, assignments(p));
    parse_where(p, &b);
    parse_order_by(p, &b);
    parse_limit(p, &b);
    return branch_close(p, &b);
}

/* ---- DELETE ---- */

/* t or t.*, the star standing outside the NAME. */
static struct node *delete_target(struct parser *p, bool *ret_star)
{
    struct node *name = parse_name(p);
    *ret_star = accept_sign(p, OP_DOT);
    if (*ret_star)
        expect_sign(p, OP_STAR);
    return name;
}

/* t1, t2.* …, the first of them read already. */
static struct node *targets_around(struct parser *p, struct node *first)
{
    struct branch b = branch_around(p, N_TARGETS, first);
    bool star;
    while (accept_sign(p, OP_COMMA))
        branch_add(&b, delete_target(p, &star));
    return branch_close(p, &b);
}

/* FROM t …, or USING t … in its place. */
static struct node *tables_read(struct parser *p, enum keyword word)
{
    struct branch b = branch_open(p, N_FROM);
    expect_word(p, word);
    parse_table_references(p, &b);
    return branch_close(p, &b);
}

/* DELETE FROM t, u USING t JOIN u …, or DELETE FROM t. */
static void delete_from(struct parser *p, struct branch *b)
{
    struct branch from = branch_open(p, N_FROM);
    bool star;
    expect_word(p, KW_FROM);
    struct node *name = delete_target(p, &star);
    if (star || at_sign(p, OP_COMMA) || at_word(p, KW_USING)) {
        branch_add(b, targets_around(p, name));
        branch_add(b, tables_read(p, KW_USING));
    } else {
        branch_add(&from, parse_table_around(p, name));
        branch_add(b, branch_close(p, &from));
    }
}

struct node *parse_delete(struct parser *p, struct node *with)
{
    struct branch b = open_statement(p, N_DELETE, with);
    bool star;
    expect_word(p, KW_DELETE);
    modifiers(p, b.node);
    if (at_word(p, KW_FROM))
        delete_from(p, &b);
    else {
        branch_add(&b, targets_around(p, delete_target(p, &star)));
        branch_add(&b, tables_read(p, KW_FROM));
    }
    parse_where(p, &b);
    parse_order_by(p, &b);
    parse_limit(p, &b);
    returning(p, &b);
    return branch_close(p, &b);
}
