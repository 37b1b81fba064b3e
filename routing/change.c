/* UPDATE and DELETE, of one table or of several: their tables are scoped like a query's. */
#include "routing/scatter_int.h"

#include "routing/qualified.h"

/* The table that an assignment changes, as far as it can be told. */
static const struct catalog_table *assigned_table(struct planner *p, const struct scope *s,
                                                  const struct node *column)
{
    const struct node *ident = plan_last_ident(column);
    struct slice name = token_ident(p->l, ident->first, p->arena);
    struct slice qualifier = column->child != ident && column->child->next == ident
                                 ? token_ident(p->l, column->child->first, p->arena)
                                 : slice_of("", 0);
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (r->table && (qualifier.len ? slice_ieq(qualifier, r->name)
                                       : catalog_column_index(r->table, name) >= 0))
            return r->table;
    return NULL;
}

static enum err_code visit_assignments(struct planner *p, const struct scope *s,
                                       const struct node *list)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = list->child; c && !code; c = c->next)
        code = column_assigned(p, assigned_table(p, s, c->child), c);
    return code;
}

static enum err_code visit_targets(struct planner *p, const struct node *targets)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = targets->child; c && !code; c = c->next)
        if (c->child && c->child->next)
            code = names_database(p, c->child);
    return code;
}

static enum err_code visit_change_part(struct planner *p, const struct scope *s,
                                       const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case N_WITH: /* was visited first */
    case N_FROM:
        return MQ_OK;
    case N_TARGETS:
        return visit_targets(p, n);
    case N_ASSIGNMENTS:
        return visit_assignments(p, s, n);
    case N_RETURNING:
        return star_list(p, s, n);
    case N_ORDER_BY:
        return qualified_order_by(p, n);
    default:
        return visit(p, n);
    }
}

enum err_code change_visit(struct planner *p, const struct node *n)
{
    const struct node *with = node_find(n, N_WITH), *from = node_find(n, N_FROM);
    const struct node *anchor = n->kind == N_UPDATE ? node_find(n, N_ASSIGNMENTS) : from;
    struct scope s;
    enum err_code code = with ? query_with(p, with) : MQ_OK;
    p->locked = true;
    p->changes_joined = from->child->kind != N_TABLE || from->child->next;
    if (!code)
        code = scope_open(p, &s, from, node_find(n, N_WHERE), anchor->last);
    if (!code && p->scatter)
        code = scatter_check_counter(p, &s);
    if (!code)
        code = n->kind == N_DELETE && !node_find(n, N_TARGETS) ? locks_delete(p, &s, n)
                                                               : locks_scope(p, &s);
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = visit_change_part(p, &s, c);
    if (!code)
        code = scope_close(p, &s);
    if (!code && !p->has_other && !s.queue_count)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "the statement changes no table of its own");
    return code;
}
