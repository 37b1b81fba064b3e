/* A condition scopes a table if it stands among the AND-ed parts of the clause that would
 * take our own condition for that table (or of an inner join's ON, which is the same), and
 * compares `tenant` with literals or parameters only. Any other mention stays unclaimed, and
 * an unclaimed mention refuses the statement (columns.c). */
#include "routing/claim.h"

#include "routing/pattern.h"
#include "routing/qualified.h"

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

static void add_tenant(struct planner *p, const struct node *value, enum tenant_origin origin,
                       bool continues)
{
    struct value_ref *v = vector_add(&p->sql_tenants, p->arena, sizeof *v);
    *v = plan_value(p, value);
    v->origin = (uint8_t)origin;
    v->continues = continues;
}

/* A part of a clause that sets a column equal to something: `column = value`, or
 * `column IN (…)` with the first value, the others behind it. Where both are rows, one member. */
struct equation {
    const struct node *column, *value;
    enum tenant_origin origin;
    bool of_rows;
    size_t member;
};

static const struct node *next_value(const struct equation *e, const struct node *value)
{
    return e->origin == ORIGIN_LIST ? value->next : NULL;
}

/* What of the value meets the column. */
static const struct node *operand(const struct equation *e, const struct node *value)
{
    return e->of_rows ? node_nth(value, e->member) : value;
}

static bool has_values(struct planner *p, const struct equation *e,
                       bool (*fits)(struct planner *, const struct node *))
{
    for (const struct node *v = e->value; v; v = next_value(e, v))
        if (!fits(p, operand(e, v)))
            return false;
    return true;
}

/* The AND-ed parts of a scope's clauses, one by one. */
struct search {
    struct planner *p;
    struct scope *s;
    const struct node *target;   /* of the references that the clause binds */
    const struct table_ref *ref; /* whose column is looked for; NULL: tenants to claim */
    struct slice column;
    bool found;
    struct vector pairs; /* of partition keys that are equal */
    enum err_code code;
};

static void claim(struct search *x, struct table_ref *ref, const struct equation *e)
{
    for (const struct node *v = e->value; v; v = next_value(e, v))
        add_tenant(x->p, operand(e, v), e->origin, v != e->value);
    column_claim(x->p, e->column);
    ref->scoped = true;
}

/* Of several tenants the keys are compared with their tenants. */
static void pair_keys(struct search *x, const struct equation *e)
{
    qualified_pair_column(x->p, e->column, e->of_rows);
    for (const struct node *v = e->value; v && !x->code; v = next_value(e, v))
        x->code = qualified_pair_value(x->p, plan_value(x->p, operand(e, v)), e->of_rows);
}

/* The client's partition keys name the tenant, too; their own condition stays, with bare keys. */
static void claim_keys(struct search *x, const struct equation *e)
{
    bool is_column = !x->ref && e->column->kind == N_COLUMN;
    struct table_ref *ref = is_column ? qualified_ref(x->p, x->s, e->column) : NULL;
    if (!ref || ref->target != x->target || !has_values(x->p, e, qualified_is_value))
        return;
    if (x->p->scatter) {
        pair_keys(x, e);
        return;
    }
    for (const struct node *v = e->value; v; v = next_value(e, v)) {
        struct value_ref value = plan_value(x->p, operand(e, v));
        value.origin = (uint8_t)e->origin;
        value.continues = v != e->value;
        qualified_add(x->p, value, false);
    }
    column_claim(x->p, e->column);
    ref->tied = true;
}

/* Values of the column in which a pattern names tenants. */
static void note_pattern(struct search *x, const struct equation *e)
{
    struct planner *p = x->p;
    if (x->ref || p->scatter || e->column->kind != N_COLUMN ||
        !pattern_is_column(p, plan_name(p, e->column)) || !has_values(p, e, is_value))
        return;
    const struct table_ref *found = qualified_found(p, x->s, e->column);
    struct table_ref *ref = x->s->refs;
    while (ref && ref != found)
        ref = ref->next;
    if (!ref || !ref->table || ref->target != x->target)
        return;
    for (const struct node *v = e->value; v; v = next_value(e, v))
        pattern_add(p, plan_value(p, operand(e, v)), e->origin, v != e->value);
    ref->patterned = true;
}

/* Where keys are qualified, a column that is compared with anything else is an expression. */
static bool is_compared(struct search *x, const struct equation *e)
{
    return slice_ieq(plan_name(x->p, e->column), x->column) &&
           (!qualified_ref(x->p, x->s, e->column) || has_values(x->p, e, qualified_is_value));
}

static void search_equation(struct search *x, const struct equation *e)
{
    if (!e->column || e->column->kind != N_COLUMN || !e->value)
        return;
    claim_keys(x, e);
    note_pattern(x, e);
    bool wanted = x->ref ? is_compared(x, e)
                         : column_is_tenant(x->p, e->column) && has_values(x->p, e, is_value);
    struct table_ref *ref = wanted ? mentioned(x->p, x->s, e->column) : NULL;
    if (!ref || !ref->table || ref->target != x->target)
        return;
    if (!x->ref)
        claim(x, ref, e);
    else
        x->found |= ref == x->ref;
}

static bool is_row(const struct node *n, size_t members)
{
    return n && n->kind == N_ROW_EXPR && node_children(n) == members;
}

/* (a, b) = (1, 2) and (a, b) IN ((1, 2), (3, 4)) name keys, member by member. */
static void search_rows(struct search *x, struct equation e)
{
    const struct node *row = e.column;
    size_t members = row && row->kind == N_ROW_EXPR ? node_children(row) : 0;
    for (const struct node *v = e.value; v; v = next_value(&e, v))
        if (!is_row(v, members))
            return;
    e.of_rows = true;
    for (const struct node *c = members ? row->child : NULL; c; c = c->next, e.member++) {
        e.column = bare(c);
        claim_keys(x, &e);
        note_pattern(x, &e);
    }
}

static void search_part(struct search *x, const struct node *n)
{
    struct equation e = { .column = bare(n->child) };
    if (n->kind == N_COMPARE && n->op == OP_EQ && !(n->flags & NODE_F_ALL)) {
        e.value = bare(n->child->next);
        search_equation(x, &e);
        search_equation(x, &(struct equation){ .column = e.value, .value = e.column });
        search_rows(x, e);
        if (!x->ref)
            qualified_pair(x->p, x->s, n, x->target, &x->pairs);
    } else if (n->kind == N_IN && !(n->flags & NODE_F_NOT)) {
        e.value = n->child->next;
        e.origin = ORIGIN_LIST;
        if (!e.value || e.value->kind == N_SUBQUERY)
            return;
        search_equation(x, &e);
        search_rows(x, e);
    }
}

static void search_clause(struct search *x, const struct node *n)
{
    while (n && (n->kind == N_AND || n->kind == N_PAREN)) {
        if (n->kind == N_AND && n->child)
            search_clause(x, n->child->next);
        n = n->child;
    }
    if (n)
        search_part(x, n);
}

static bool is_outer(const struct node *join)
{
    return join->op == KW_LEFT || join->op == KW_RIGHT;
}

static void search_scope(struct search *x)
{
    if (x->s->where)
        search_clause(x, x->s->where->child);
    for (const struct join_ref *j = x->s->joins; j; j = j->next) {
        const struct node *on = node_find(j->node, N_ON);
        x->target = is_outer(j->node) ? on : j->target;
        if (on)
            search_clause(x, on->child);
    }
}

enum err_code claim_conditions(struct planner *p, struct scope *s)
{
    struct search x = { .p = p, .s = s };
    if (s->queue_count || p->scatter)
        search_scope(&x);
    qualified_tie(p, s, &x.pairs);
    for (const struct table_ref *r = s->refs; r; r = r->next)
        p->unpatterned |= r->table && !r->patterned;
    return x.code;
}

bool claim_binds(struct planner *p, struct scope *s, const struct table_ref *ref,
                 struct slice column)
{
    struct search x = { .p = p, .s = s, .ref = ref, .column = column };
    search_scope(&x);
    return x.found;
}
