/* Name scopes: which tables a query expression reads, and the condition each reference to a
 * queue table gets.
 *
 *   FROM a JOIN b ON x LEFT JOIN (c JOIN d ON y) ON z
 *        │      │                │      │
 *        └──────┴─> WHERE        └──────┴─> ON z
 *
 * A condition moves up from its table through inner joins and the preserved sides of outer
 * joins without changing the result; at an outer join that makes the table nullable it stops,
 * in that join's ON. What moves up to the top stands in WHERE. */
#include "routing/plan_int.h"

#include "routing/claim.h"

enum { JOIN_TABLES_MAX = 61 }; /* MySQL's own limit (error 1116) */

static enum err_code collect(struct planner *p, struct scope *s, const struct node *n,
                             const struct node *target);

/* A name that qualifies our conditions must mean one table on every server, and must not be
 * taken for a placeholder. */
static enum err_code check_ref_name(struct planner *p, const struct scope *s, struct slice name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.data[i] < 0x20)
            return reject(p, MQ_NOT_UNDERSTOOD, "the name of a table holds a control character");
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (name.len && slice_ieq(r->name, name))
            return reject(p, MQ_NOT_UNDERSTOOD, "two tables of one FROM clause are called %.*s",
                          NAME_FORMAT(name));
    return MQ_OK;
}

static enum err_code add_ref(struct planner *p, struct scope *s, struct table_ref ref)
{
    const struct node *alias = node_find(ref.node, N_ALIAS);
    if (alias) {
        ref.name = plan_name(p, alias);
        ref.has_alias = true;
    }
    enum err_code code = check_ref_name(p, s, ref.name);
    if (code)
        return code;
    if (++s->count > JOIN_TABLES_MAX)
        return reject(p, MQ_TOO_COMPLEX, "more than %d tables are joined", JOIN_TABLES_MAX);
    s->queue_count += ref.table != NULL;
    *s->refs_end = arena_alloc(p->arena, sizeof ref);
    **s->refs_end = ref;
    s->refs_end = &(*s->refs_end)->next;
    return alias ? visit(p, alias) : MQ_OK;
}

static const char *clause_of(const struct node *target)
{
    return target ? "ON clause" : "WHERE clause";
}

static enum err_code collect_table(struct planner *p, struct scope *s, const struct node *n,
                                   const struct node *target)
{
    struct table_ref ref = { .node = n, .target = target, .name = plan_name(p, n->child) };
    enum name_meaning meaning;
    enum err_code code = names_resolve(p, n->child, &meaning, &ref.table);
    if (code || meaning == NAME_DUAL)
        return code;
    if (meaning == NAME_QUEUE_TABLE) {
        names_count(p, ref.table, clause_of(target));
        if ((code = hints_visit(p, ref.table, n)))
            return code;
    }
    return add_ref(p, s, ref);
}

static enum err_code collect_derived(struct planner *p, struct scope *s, const struct node *n,
                                     const struct node *target)
{
    struct table_ref ref = { .node = n, .target = target };
    for (const struct node *c = n->child; c; c = c->next) {
        enum err_code code = c->kind == N_ALIAS ? MQ_OK : visit(p, c);
        if (code)
            return code;
    }
    return add_ref(p, s, ref);
}

/* The side of a join whose rows may be missing takes its conditions in the join's ON; the
 * join itself stands for an ON that is not there. */
static const struct node *side_target(const struct node *join, bool nullable,
                                      const struct node *target)
{
    const struct node *on = node_find(join, N_ON);
    if (!nullable)
        return target;
    return on ? on : join;
}

/* NATURAL compares every column of the same name: between queue tables `tenant` as well,
 * which is the same on both sides, but not with a query's column that happens to have it. */
static enum err_code check_natural(struct planner *p, const struct scope *s,
                                   const struct table_ref *refs)
{
    size_t queue = 0, others = 0;
    for (const struct table_ref *r = refs; r; r = r->next)
        *(r->table ? &queue : &others) += 1;
    if (s->queue_count && queue && others)
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "NATURAL JOIN of a queue table with a query; write ON with the columns");
    return MQ_OK;
}

static enum err_code collect_join(struct planner *p, struct scope *s, const struct node *join,
                                  const struct node *target)
{
    const struct node *left = node_nth(join, 0), *right = node_nth(join, 1);
    struct table_ref **first = s->refs_end;
    struct join_ref *j = arena_new(p->arena, struct join_ref);
    enum err_code code =
        collect(p, s, left, side_target(join, join->op == KW_RIGHT, target));
    if (!code)
        code = collect(p, s, right, side_target(join, join->op == KW_LEFT, target));
    if (code)
        return code;
    *j = (struct join_ref){ .node = join, .target = target, .next = s->joins };
    s->joins = j;
    if (node_find(join, N_USING))
        s->merges = true;
    if (!(join->flags & NODE_F_NATURAL))
        return MQ_OK;
    s->merges = true;
    return check_natural(p, s, *first);
}

static enum err_code collect_each(struct planner *p, struct scope *s, const struct node *n,
                                  const struct node *target)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = collect(p, s, c, target);
    return code;
}

static enum err_code collect_kind(struct planner *p, struct scope *s, const struct node *n,
                                  const struct node *target)
{
    switch ((enum node_kind)n->kind) {
    case N_TABLE:
        return collect_table(p, s, n, target);
    case N_DERIVED:
    case N_JSON_TABLE:
        return collect_derived(p, s, n, target);
    case N_JOIN:
        return collect_join(p, s, n, target);
    case N_TABLES_PAREN:
        return collect_each(p, s, n, target);
    default:
        return reject(p, MQ_NOT_UNDERSTOOD, "%s is not understood in FROM",
                      node_kind_name((enum node_kind)n->kind));
    }
}

static enum err_code collect(struct planner *p, struct scope *s, const struct node *n,
                             const struct node *target)
{
    if (++p->depth > 2 * NESTING_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the joins are nested too deeply");
    enum err_code code = collect_kind(p, s, n, target);
    p->depth--;
    return code;
}

/* ---- conditions ---- */

static bool needs_condition(const struct table_ref *r, const struct node *target)
{
    return r->table && !r->scoped && r->target == target;
}

/* "m.tenant = 't' AND o.tenant = 't'" for the references that belong to target. */
static struct slice conditions(struct planner *p, struct scope *s, const char *before,
                               const struct node *target, const char *after)
{
    static const char value[] = { EDIT_TENANT, 0 };
    struct text t = { .arena = p->arena };
    const char *between = before;
    for (struct table_ref *r = s->refs; r; r = r->next) {
        if (!needs_condition(r, target))
            continue;
        r->conditioned = true;
        text_add(&t, between);
        if (s->count > 1 || r->has_alias) {
            text_ident(&t, r->name);
            text_add(&t, ".");
        }
        text_add(&t, "tenant = ");
        text_add(&t, value);
        between = " AND ";
    }
    if (t.len)
        text_add(&t, after);
    return text_slice(&t);
}

static enum err_code open_clause(struct planner *p, struct scope *s,
                                 const struct node *clause, const struct node *target)
{
    struct slice text = conditions(p, s, " ", target, " AND (");
    return text.len ? plan_edit(p, EDIT_AFTER, clause->first, clause->first, text) : MQ_OK;
}

static enum err_code close_clause(struct planner *p, const struct scope *s,
                                  const struct node *clause, const struct node *target)
{
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (needs_condition(r, target))
            return plan_edit(p, EDIT_AFTER, clause->last, clause->last, SLICE_LIT(")"));
    return MQ_OK;
}

static enum err_code open_joins(struct planner *p, struct scope *s)
{
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (r->table && r->target && r->target->kind == N_JOIN)
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "queue table %s on the outer side of a join with USING or NATURAL; write "
                          "ON instead",
                          r->table->name);
    for (const struct join_ref *j = s->joins; j; j = j->next) {
        const struct node *on = node_find(j->node, N_ON);
        enum err_code code = on ? open_clause(p, s, on, on) : MQ_OK;
        if (code)
            return code;
    }
    return MQ_OK;
}

static enum err_code visit_using(struct planner *p, const struct node *use)
{
    for (const struct node *c = use->child; c; c = c->next)
        if (token_is_ident(p->l, c->first, "tenant"))
            return reject(p, MQ_COLUMN_TENANT,
                          "USING (tenant): leave `tenant` out, both tables are scoped to it");
    return visit_children(p, use);
}

static enum err_code visit_joins(struct planner *p, const struct scope *s)
{
    for (const struct join_ref *j = s->joins; j; j = j->next) {
        const struct node *on = node_find(j->node, N_ON), *use = node_find(j->node, N_USING);
        enum err_code code = on ? visit(p, on) : MQ_OK;
        if (!code && use)
            code = visit_using(p, use);
        if (code)
            return code;
    }
    return MQ_OK;
}

enum err_code scope_open(struct planner *p, struct scope *s, const struct node *from,
                         const struct node *where, uint32_t anchor)
{
    *s = (struct scope){ .from = from, .where = where, .anchor = anchor };
    s->refs_end = &s->refs;
    enum err_code code = from ? collect_each(p, s, from, NULL) : MQ_OK;
    if (code)
        return code;
    claim_conditions(p, s);
    code = open_joins(p, s);
    if (!code && where)
        code = open_clause(p, s, where, NULL);
    return code ? code : visit_joins(p, s);
}

/* In this order: an ON may end where a WHERE must be added. */
static enum err_code close_clauses(struct planner *p, struct scope *s)
{
    for (const struct join_ref *j = s->joins; j; j = j->next) {
        const struct node *on = node_find(j->node, N_ON);
        enum err_code code = on ? close_clause(p, s, on, on) : MQ_OK;
        if (code)
            return code;
    }
    if (s->where)
        return close_clause(p, s, s->where, NULL);
    struct slice text = conditions(p, s, " WHERE ", NULL, "");
    return text.len ? plan_edit(p, EDIT_AFTER, s->anchor, s->anchor, text) : MQ_OK;
}

/* Whatever went wrong above, no reference leaves without a condition. */
enum err_code scope_close(struct planner *p, struct scope *s)
{
    enum err_code code = close_clauses(p, s);
    for (const struct table_ref *r = s->refs; r && !code; r = r->next)
        if (r->table && !r->scoped && !r->conditioned)
            code = reject(p, MQ_INTERNAL, "a reference to %s has no place for its condition",
                          r->table->name);
    return code;
}

/* ---- query expressions ---- */

static enum err_code visit_block(struct planner *p, const struct node *block)
{
    const struct node *from = node_find(block, N_FROM);
    struct scope s;
    enum err_code code = scope_open(p, &s, from, node_find(block, N_WHERE), from ? from->last : 0);
    for (const struct node *c = block->child; c && !code; c = c->next) {
        if (c->kind == N_SELECT_LIST)
            code = star_list(p, &s, c);
        else if (c->kind != N_FROM)
            code = visit(p, c);
    }
    return code ? code : scope_close(p, &s);
}

/* TABLE t is SELECT * FROM t. */
static enum err_code visit_table_statement(struct planner *p, const struct node *n)
{
    static const char where[] = { ' ', 'W', 'H', 'E', 'R', 'E', ' ', 't', 'e', 'n', 'a', 'n',
                                  't', ' ', '=', ' ', EDIT_TENANT };
    struct text t = { .arena = p->arena };
    const struct catalog_table *table;
    enum name_meaning meaning;
    enum err_code code = names_resolve(p, n->child->child, &meaning, &table);
    if (code || !table)
        return code;
    names_count(p, table, "WHERE clause");
    text_add(&t, "SELECT ");
    star_columns(table, slice_of("", 0), &t);
    text_add(&t, " FROM");
    p->t->legacy_columns = true;
    code = plan_edit(p, EDIT_REPLACE, n->first, n->first, text_slice(&t));
    return code ? code
                : plan_edit(p, EDIT_AFTER, n->last, n->last, slice_of(where, sizeof where));
}

static enum err_code visit_body(struct planner *p, const struct node *body)
{
    /* a UNION b UNION c … leans to the left, like AND. */
    for (; body->kind == N_SET_OP; body = body->child) {
        if (++p->depth > 2 * NESTING_MAX)
            return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
        enum err_code code = visit_body(p, body->child->next);
        p->depth--;
        if (code)
            return code;
    }
    switch ((enum node_kind)body->kind) {
    case N_BLOCK:
        return visit_block(p, body);
    case N_QUERY_PAREN:
        return scope_query(p, body->child);
    case N_TABLE_STMT:
        return visit_table_statement(p, body);
    default:
        return visit(p, body);
    }
}

static bool is_body(const struct node *n)
{
    return n->kind == N_BLOCK || n->kind == N_SET_OP || n->kind == N_QUERY_PAREN ||
           n->kind == N_VALUES_ROWS || n->kind == N_TABLE_STMT;
}

static enum err_code visit_part(struct planner *p, const struct node *n)
{
    if (n->kind == N_WITH)
        return scope_with(p, n);
    if (is_body(n))
        return visit_body(p, n);
    if (n->kind == N_LOCKING)
        p->t->locks = true;
    return visit(p, n);
}

enum err_code scope_query(struct planner *p, const struct node *query)
{
    const struct cte_name *outer = p->ctes;
    if (++p->depth > 2 * NESTING_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
    enum err_code code = MQ_OK;
    for (const struct node *c = query->child; c && !code; c = c->next)
        code = visit_part(p, c);
    p->depth--;
    p->ctes = outer;
    return code;
}

enum err_code scope_subquery(struct planner *p, const struct node *query)
{
    p->inner++;
    enum err_code code = scope_query(p, query);
    p->inner--;
    return code;
}

static struct cte_name *push_name(struct planner *p, const struct node *cte, bool forward)
{
    struct cte_name *c = arena_new(p->arena, struct cte_name);
    *c = (struct cte_name){ .name = plan_name(p, cte), .forward = forward, .outer = p->ctes };
    p->ctes = c;
    return c;
}

static enum err_code visit_cte(struct planner *p, const struct node *cte)
{
    enum err_code code = MQ_OK;
    for (const struct node *c = cte->child; c && !code; c = c->next)
        code = c->kind == N_QUERY ? scope_subquery(p, c) : visit(p, c);
    return code;
}

/* Without RECURSIVE a query sees the names before its own; with it its own as well, and
 * servers differ about those behind. */
enum err_code scope_with(struct planner *p, const struct node *with)
{
    bool recursive = with->op == KW_RECURSIVE;
    size_t count = node_children(with), i = 0;
    struct cte_name **names = arena_array(p->arena, struct cte_name *, count + 1);
    if (recursive)
        for (const struct node *c = with->child; c; c = c->next)
            names[i++] = push_name(p, c, true);
    i = 0;
    for (const struct node *c = with->child; c; c = c->next) {
        if (recursive)
            names[i++]->forward = false;
        enum err_code code = visit_cte(p, c);
        if (code)
            return code;
        if (!recursive)
            push_name(p, c, false);
    }
    return MQ_OK;
}

/* ---- UPDATE and DELETE ---- */

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
        if (r->table && (qualifier.len ? slice_eq(qualifier, r->name)
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
    default:
        return visit(p, n);
    }
}

enum err_code scope_change(struct planner *p, const struct node *n)
{
    const struct node *with = node_find(n, N_WITH), *from = node_find(n, N_FROM);
    const struct node *anchor = n->kind == N_UPDATE ? node_find(n, N_ASSIGNMENTS) : from;
    struct scope s;
    enum err_code code = with ? scope_with(p, with) : MQ_OK;
    if (!code)
        code = scope_open(p, &s, from, node_find(n, N_WHERE), anchor->last);
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = visit_change_part(p, &s, c);
    if (!code)
        code = scope_close(p, &s);
    if (!code && !p->has_other && !s.queue_count)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "the statement changes no table of its own");
    return code;
}
