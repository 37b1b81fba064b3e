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
#include "routing/qualified.h"
#include "routing/scatter_int.h"
#include "routing/views.h"

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
    ref.shown = ref.table ? NULL : shape_list(p);
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
    struct table_ref ref = {
        .node = n, .target = target, .name = plan_name(p, n->child), .parens = p->parens
    };
    enum name_meaning meaning;
    enum err_code code = view_resolve(p, n, &ref.viewed);
    if (code || ref.viewed)
        return code ? code : add_ref(p, s, ref);
    code = names_resolve(p, n->child, &meaning, &ref.table);
    if (code || meaning == NAME_DUAL)
        return code;
    if (meaning == NAME_QUERY) {
        const struct cte_name *query = names_query(p, ref.name);
        p->has_queries = true;
        ref.columns = query->columns;
        ref.shape = query->shape;
    } else if (meaning == NAME_QUEUE_TABLE) {
        names_count(p, ref.table, clause_of(target));
        if ((code = hints_visit(p, ref.table, n)))
            return code;
        ref.hides_tenant = target && target->kind == N_JOIN;
    }
    s->tenants = ref.table && !ref.hides_tenant;
    return add_ref(p, s, ref);
}

static enum err_code collect_derived(struct planner *p, struct scope *s, const struct node *n,
                                     const struct node *target)
{
    struct table_ref ref = { .node = n, .target = target, .columns = node_find(n, N_COLUMNS) };
    enum err_code code = p->scatter ? scatter_derived(p, n) : MQ_OK;
    p->shape = NULL;
    p->has_queries = true;
    /* A query in FROM sees the tables in front of it only if it is LATERAL. */
    p->scope = n->kind == N_DERIVED && !(n->flags & NODE_F_LATERAL) ? s->outer : s;
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = c->kind == N_ALIAS ? MQ_OK : visit(p, c);
    if (code)
        return code;
    p->scope = s;
    ref.shape = n->kind == N_DERIVED ? p->shape : NULL;
    s->tenants = 0;
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
 * which is the same on both sides, but it must not with a query's column that happens to be
 * called so. */
static enum err_code check_natural(struct planner *p, const struct scope *s,
                                   const struct table_ref *refs)
{
    for (const struct table_ref *r = refs; r && s->queue_count && !plan_shows_tenant(p);
         r = r->next) {
        bool known;
        if (!r->table && (shape_shows(p, r, SLICE_LIT("tenant"), &known) || !known))
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "NATURAL JOIN with a query whose columns are not all named; write ON "
                          "with the columns");
    }
    return MQ_OK;
}

/* A column that one side of NATURAL has twice is ambiguous to the servers: then no table of the
 * join may show `tenant`. */
static void merge_tenants(struct scope *s, struct table_ref *refs, size_t left, size_t right)
{
    bool ambiguous = left > 1 || right > 1;
    for (struct table_ref *r = refs; r && ambiguous; r = r->next)
        r->hides_tenant = r->table != NULL;
    s->tenants = !ambiguous && (left || right);
}

static enum err_code collect_join(struct planner *p, struct scope *s, const struct node *join,
                                  const struct node *target)
{
    const struct node *left = node_nth(join, 0), *right = node_nth(join, 1);
    struct table_ref **first = s->refs_end;
    struct join_ref *j = arena_new(p->arena, struct join_ref);
    enum err_code code = collect(p, s, left, side_target(join, join->op == KW_RIGHT, target));
    size_t tenants = s->tenants;
    if (!code)
        code = collect(p, s, right, side_target(join, join->op == KW_LEFT, target));
    if (code)
        return code;
    *j = (struct join_ref){ .node = join, .target = target, .next = s->joins };
    s->joins = j;
    if (node_find(join, N_USING) || join->flags & NODE_F_NATURAL) {
        s->merges = true;
        if ((code = collation_join(p, *first)) || (code = qualified_join(p, join, *first)))
            return code;
    }
    if (!(join->flags & NODE_F_NATURAL)) {
        s->tenants += tenants;
        return MQ_OK;
    }
    merge_tenants(s, *first, tenants, s->tenants);
    return check_natural(p, s, *first);
}

static enum err_code collect_each(struct planner *p, struct scope *s, const struct node *n,
                                  const struct node *target)
{
    enum err_code code = MQ_OK;
    size_t tenants = 0;
    for (const struct node *c = n->child; c && !code; c = c->next) {
        code = collect(p, s, c, target);
        tenants += s->tenants;
    }
    s->tenants = tenants;
    return code;
}

static enum err_code collect_parens(struct planner *p, struct scope *s, const struct node *n,
                                    const struct node *target)
{
    const struct node *around = p->parens;
    bool alone = !n->child->next && token_is_op(&p->l->tokens[n->first], OP_LPAREN) &&
                 (n->child->kind == N_TABLE || n->child->kind == N_TABLES_PAREN);
    p->parens = !alone ? NULL : around ? around : n;
    enum err_code code = collect_each(p, s, n, target);
    p->parens = around;
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
        return collect_parens(p, s, n, target);
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

/* Of several tenants a shard has only some, also where the client names them all. */
static bool needs_condition(const struct planner *p, const struct table_ref *r,
                            const struct node *target)
{
    return r->table && !r->wrapped && (!r->scoped || scatter_lists_tenants(p)) &&
           r->target == target;
}

struct slice plan_tenant_where(struct planner *p)
{
    struct text t = { .arena = p->arena };
    text_add(&t, " WHERE ");
    text_slice_add(&t, plan_tenant_condition(p));
    return text_slice(&t);
}

struct slice plan_tenant_condition(const struct planner *p)
{
    static const char one[] = { 't', 'e', 'n', 'a', 'n', 't', ' ', '=', ' ', EDIT_TENANT };
    static const char several[] = { 't', 'e', 'n', 'a', 'n', 't', ' ',
                                    'I', 'N', ' ', '(', EDIT_TENANTS, ')' };
    return scatter_lists_tenants(p) ? slice_of(several, sizeof several)
                                    : slice_of(one, sizeof one);
}

/* "m.tenant = 't' AND o.tenant = 't'" for the references that belong to target; of several tenants
 * "m.tenant IN ('t', 'u')". */
static struct slice conditions(struct planner *p, struct scope *s, const char *before,
                               const struct node *target, const char *after)
{
    struct text t = { .arena = p->arena };
    const char *between = before;
    for (struct table_ref *r = s->refs; r; r = r->next) {
        if (!needs_condition(p, r, target))
            continue;
        r->conditioned = true;
        text_add(&t, between);
        if (s->count > 1 || r->has_alias) {
            text_ident(&t, r->name);
            text_add(&t, ".");
        }
        text_slice_add(&t, plan_tenant_condition(p));
        between = " AND ";
    }
    if (t.len)
        text_add(&t, after);
    return text_slice(&t);
}

static enum err_code open_clause(struct planner *p, struct scope *s, const struct node *clause,
                                 const struct node *target)
{
    struct slice text = conditions(p, s, " ", target, " AND (");
    return text.len ? plan_edit(p, EDIT_AFTER, clause->first, clause->first, text) : MQ_OK;
}

static enum err_code close_clause(struct planner *p, const struct scope *s,
                                  const struct node *clause, const struct node *target)
{
    for (const struct table_ref *r = s->refs; r; r = r->next)
        if (needs_condition(p, r, target))
            return plan_edit(p, EDIT_AFTER, clause->last, clause->last, SLICE_LIT(")"));
    return MQ_OK;
}

/* May the statement write the table? Then a server lets no sub-query read it. */
static bool may_be_written(const struct planner *p, const struct table_ref *r)
{
    return p->t->writes && (p->changes_joined || r->table == p->t->table);
}

/* Where there is no ON to take the condition, or where NATURAL must not see `tenant`, the table
 * becomes a query: (SELECT its columns FROM t WHERE tenant = 't') AS t. A lock would not reach into
 * it, and the server would not see that a change reads the table it writes. Parentheses around the
 * table become those of the query, since MySQL knows no (query AS t). */
static enum err_code wrap(struct planner *p, struct scope *s, struct table_ref *r)
{
    struct text before = { .arena = p->arena }, after = { .arena = p->arena };
    uint32_t last = r->parens ? r->parens->last : r->node->last;
    if (p->locked || may_be_written(p, r))
        return reject(p, MQ_NOT_UNDERSTOOD,
                      "queue table %s, which is locked or written, in an outer join with USING or "
                      "in a NATURAL join; write ON instead",
                      r->table->name);
    text_add(&before, r->parens ? "SELECT " : "(SELECT ");
    star_wrapped(p, r, &before);
    text_add(&before, " FROM ");
    text_add(&after, r->parens ? " AS " : ") AS ");
    text_ident(&after, r->name);
    p->wraps = r->wrapped = r->conditioned = true;
    enum err_code code =
        plan_edit(p, EDIT_BEFORE, r->node->first, r->node->first, text_slice(&before));
    if (!code)
        code = locks_table(p, s, r);
    if (!code)
        code = plan_edit(p, EDIT_AFTER, r->node->last, r->node->last, plan_tenant_where(p));
    return code ? code : plan_edit(p, EDIT_AFTER, last, last, text_slice(&after));
}

/* MySQL's JSON_TABLE cannot read from a query on the outer side of a join (1210). */
static enum err_code check_json_tables(struct planner *p, const struct scope *s)
{
    bool wrapped = false;
    for (const struct table_ref *r = s->refs; r; r = r->next) {
        wrapped |= r->wrapped;
        if (wrapped && r->node->kind == N_JSON_TABLE && p->dialect->flavour == FLAVOUR_MYSQL)
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "JSON_TABLE behind a queue table in an outer join with USING or in a "
                          "NATURAL join; write ON instead");
    }
    return MQ_OK;
}

static enum err_code open_joins(struct planner *p, struct scope *s)
{
    for (struct table_ref *r = s->refs; r; r = r->next) {
        enum err_code code = r->hides_tenant ? wrap(p, s, r) : MQ_OK;
        if (code)
            return code;
    }
    enum err_code code = check_json_tables(p, s);
    for (const struct join_ref *j = s->joins; j && !code; j = j->next) {
        const struct node *on = node_find(j->node, N_ON);
        code = on ? open_clause(p, s, on, on) : MQ_OK;
    }
    return code;
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
    *s = (struct scope){ .from = from, .where = where, .anchor = anchor, .outer = p->scope };
    s->refs_end = &s->refs;
    p->scope = s;
    enum err_code code = from ? collect_each(p, s, from, NULL) : MQ_OK;
    if (code)
        return code;
    code = claim_conditions(p, s);
    if (!code)
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
