/* A condition scopes a table if it stands among the AND-ed parts of the clause that would
 * take our own condition for that table (or of an inner join's ON, which is the same), and
 * compares `tenant` with literals or parameters only. Any other mention stays unclaimed, and
 * an unclaimed mention refuses the statement (columns.c). */
#include "routing/claim.h"

static bool is_value(struct planner *p, const struct node *n)
{
    struct value_ref v = plan_value(p, n);
    return v.kind == VALUE_TOKENS || v.kind == VALUE_PARAM || v.kind == VALUE_LITERALS;
}

static const struct node *bare(const struct node *n)
{
    while (n && n->kind == N_PAREN)
        n = n->child;
    return n;
}

/* The reference whose `tenant` the column is, if that is certain. */
static struct table_ref *mentioned(struct planner *p, struct scope *s, const struct node *column)
{
    const struct node *ident = plan_last_ident(column);
    if (column->child == ident)
        return s->count == 1 ? s->refs : NULL;
    const struct node *qualifier = column->child;
    while (qualifier->next != ident)
        qualifier = qualifier->next;
    struct slice name = token_ident(p->l, qualifier->first, p->arena);
    bool with_database = qualifier != column->child;
    for (struct table_ref *r = s->refs; r; r = r->next)
        if (slice_eq(r->name, name) && !(with_database && r->has_alias))
            return r;
    return NULL;
}

static void add_tenant(struct planner *p, const struct node *value, enum tenant_origin origin)
{
    struct value_ref *v = vector_add(&p->sql_tenants, p->arena, sizeof *v);
    *v = plan_value(p, value);
    v->origin = (uint8_t)origin;
}

/* values: value and those behind it in an IN list, value alone in a comparison. */
static void claim(struct planner *p, struct scope *s, const struct node *target,
                  const struct node *column, const struct node *value, enum tenant_origin origin)
{
    if (!column || column->kind != N_COLUMN || !column_is_tenant(p, column))
        return;
    struct table_ref *ref = mentioned(p, s, column);
    if (!ref || !ref->table || ref->target != target)
        return;
    for (const struct node *v = value; v; v = origin == ORIGIN_LIST ? v->next : NULL)
        if (!is_value(p, v))
            return;
    for (const struct node *v = value; v; v = origin == ORIGIN_LIST ? v->next : NULL)
        add_tenant(p, v, origin);
    column_claim(p, column);
    ref->scoped = true;
}

static void claim_part(struct planner *p, struct scope *s, const struct node *target,
                       const struct node *n)
{
    if (n->kind == N_COMPARE && n->op == OP_EQ && !(n->flags & NODE_F_ALL)) {
        const struct node *left = bare(n->child), *right = bare(n->child->next);
        if (left && left->kind != N_COLUMN) {
            const struct node *swapped = left;
            left = right;
            right = swapped;
        }
        if (right)
            claim(p, s, target, left, right, ORIGIN_CONDITION);
    } else if (n->kind == N_IN && !(n->flags & NODE_F_NOT) && n->child->next) {
        claim(p, s, target, bare(n->child), n->child->next, ORIGIN_LIST);
    }
}

static void claim_clause(struct planner *p, struct scope *s, const struct node *target,
                         const struct node *n)
{
    while (n && (n->kind == N_AND || n->kind == N_PAREN)) {
        if (n->kind == N_AND && n->child)
            claim_clause(p, s, target, n->child->next);
        n = n->child;
    }
    if (n)
        claim_part(p, s, target, n);
}

static bool is_outer(const struct node *join)
{
    return join->op == KW_LEFT || join->op == KW_RIGHT;
}

void claim_conditions(struct planner *p, struct scope *s)
{
    if (!s->queue_count)
        return;
    if (s->where)
        claim_clause(p, s, NULL, s->where->child);
    for (const struct join_ref *j = s->joins; j; j = j->next) {
        const struct node *on = node_find(j->node, N_ON);
        if (on)
            claim_clause(p, s, is_outer(j->node) ? on : j->target, on->child);
    }
}
