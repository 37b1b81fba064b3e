/* What a statement does to FOUND_ROWS(), as servers do: most SELECTs set it to the rows that they
 * send, and so it is known here. Others have it from the server alone, or leave it. */
#include "routing/plan_int.h"

static bool has_word(const struct planner *p, enum keyword word)
{
    for (uint32_t i = 0; i < p->l->count; i++)
        if (token_is_keyword(&p->l->tokens[i], word))
            return true;
    return false;
}

/* Rows that an offset skips count, and so may what FETCH … WITH TIES adds. MariaDB sets it for no VALUES; and for UNION … LIMIT to what
 * there was without the limit, which sql_select_limit may be as well. */
static enum found_rows of_query(const struct planner *p, const struct node *query)
{
    const struct node *limit = node_find(query, N_LIMIT);
    if (node_find(query, N_VALUES_ROWS) && p->dialect->flavour == FLAVOUR_MARIADB)
        return FOUND_ROWS_KEPT;
    if (node_find(query, N_SET_OP) || node_find(query, N_QUERY_PAREN) ||
        (limit && (limit->op || !limit->child)) || has_word(p, KW_SQL_CALC_FOUND_ROWS))
        return FOUND_ROWS_THERE;
    return FOUND_ROWS_SENT;
}

static enum found_rows of_show(const struct node *show)
{
    switch ((enum keyword)show->op) {
    case KW_CREATE:
    case KW_PRIVILEGES:
    case KW_PROCESSLIST:
        return FOUND_ROWS_KEPT;
    case KW_WARNINGS:
    case KW_ERRORS:
        return show->flags & NODE_F_STAR ? FOUND_ROWS_SENT : FOUND_ROWS_KEPT;
    default:
        return FOUND_ROWS_SENT;
    }
}

/* A query within it may set the value. MySQL's UPDATE and DO do so themselves, at times. */
static enum found_rows of_other(const struct planner *p, const struct node *n)
{
    bool mysql = p->dialect->flavour == FLAVOUR_MYSQL;
    const struct node *from = node_find(n, N_FROM);
    bool several = from && (from->child->next || from->child->kind != N_TABLE);
    bool sets = n->kind == N_EXPLAIN || (mysql && (n->kind == N_UPDATE || n->kind == N_DO));
    return sets || several || has_word(p, KW_SELECT) ? FOUND_ROWS_UNKNOWN : FOUND_ROWS_KEPT;
}

enum found_rows found_rows_effect(const struct planner *p, const struct node *root)
{
    switch ((enum node_kind)root->kind) {
    case N_QUERY:
        return of_query(p, root);
    case N_SHOW:
        return of_show(root);
    case N_DESCRIBE:
        return FOUND_ROWS_SENT;
    default:
        return of_other(p, root);
    }
}

/* Of one that was not parsed. */
enum found_rows found_rows_relayed(const struct planner *p, bool reads)
{
    const struct token *first = &p->l->tokens[0];
    bool keeps = token_is_keyword(first, KW_INSERT) || token_is_keyword(first, KW_REPLACE) ||
                 token_is_keyword(first, KW_DELETE) || token_is_keyword(first, KW_SET);
    if (reads)
        return FOUND_ROWS_THERE;
    return keeps && !has_word(p, KW_SELECT) ? FOUND_ROWS_KEPT : FOUND_ROWS_UNKNOWN;
}
