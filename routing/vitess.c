/* What vtgate answers with other rows than MySQL, seen by comparing the two
 * (tests/oracle/vitess.py): refused, since nothing in the answer would tell. */
#include "routing/plan_int.h"

/* As deep as the parser lets a statement be. */
static bool holds_query(const struct node *n)
{
    bool found = n->kind == N_SUBQUERY;
    for (const struct node *c = n->child; c && !found; c = c->next)
        found = holds_query(c);
    return found;
}

static bool lists_query(const struct node *query)
{
    const struct node *block = node_find(query, N_BLOCK);
    return block && holds_query(node_find(block, N_SELECT_LIST));
}

static const char *doubt(const struct node *n)
{
    if (n->kind == N_QUERY && node_find(n, N_ORDER_BY) && lists_query(n))
        return "vtgate sorts some answers with a query in the select list otherwise; join it, or "
               "leave ORDER BY out";
    if (n->kind == N_SET_OP)
        return "vtgate leaves rows of some UNIONs out; send each query by itself";
    if (n->kind == N_COMPARE && n->flags & NODE_F_ALL)
        return "vtgate answers some comparisons with ALL, ANY and SOME with other rows; send "
               "EXISTS";
    return NULL;
}

enum err_code vitess_check(struct planner *p, const struct node *n)
{
    const char *why = config_is_vitess(p->topology->config) ? doubt(n) : NULL;
    return why ? reject(p, MQ_VITESS_UNSUPPORTED, "%s", why) : MQ_OK;
}
