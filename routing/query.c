/* Query expressions: blocks, UNION and its kin, TABLE, the names that WITH gives. */
#include "routing/name_index.h"
#include "routing/scatter_int.h"

#include "routing/qualified.h"

/* What the merge of several shards' answers does instead of them. */
static bool is_elsewhere(const struct planner *p, const struct node *n)
{
    return p->scatter && scatter_is_cut(p, n);
}

static enum err_code visit_block(struct planner *p, const struct node *block)
{
    const struct node *from = node_find(block, N_FROM);
    struct scope *s = arena_new(p->arena, struct scope);
    struct shape *shape = arena_new(p->arena, struct shape);
    enum err_code code = scope_open(p, s, from, node_find(block, N_WHERE), from ? from->last : 0);
    s->block = block;
    if (!code)
        code = locks_scope(p, s);
    if (!code && p->scatter)
        code = p->inner             ? scatter_inner(p, s, block)
               : p->scatter->united ? scatter_branch(p, s, block)
                                    : scatter_block(p, s, block);
    for (const struct node *c = block->child; c && !code; c = c->next) {
        if (is_elsewhere(p, c))
            continue;
        if (c->kind == N_SELECT_LIST)
            code = star_list(p, s, c);
        else if (c->kind == N_GROUP_BY)
            code = qualified_group_by(p, s, c);
        else if (c->kind == N_HAVING)
            code = qualified_having(p, s, c);
        else if (c->kind != N_FROM)
            code = visit(p, c);
    }
    *shape = (struct shape){ .list = node_find(block, N_SELECT_LIST),
                             .scope = s,
                             .of_branch = p->united != BRANCH_NONE,
                             .items = arena_new(p->arena, struct name_index) };
    p->shape = shape;
    return code ? code : scope_close(p, s);
}

/* For the ORDER BY behind it. */
static void open_table(struct planner *p, const struct node *n, const struct catalog_table *table)
{
    struct scope *s = arena_new(p->arena, struct scope);
    struct table_ref *ref = arena_new(p->arena, struct table_ref);
    *ref = (struct table_ref){ .node = n, .table = table, .name = slice_cstr(table->name) };
    *s = (struct scope){ .refs = ref, .count = 1, .queue_count = 1, .outer = p->scope };
    p->scope = s;
    p->untied = p->unpatterned = true;
}

/* TABLE t is SELECT * FROM t. */
static enum err_code visit_table_statement(struct planner *p, const struct node *n)
{
    struct text t = { .arena = p->arena };
    struct shape *shape = arena_new(p->arena, struct shape);
    const struct catalog_table *table;
    enum name_meaning meaning;
    enum err_code code = names_resolve(p, n->child->child, &meaning, &table);
    p->shape = NULL;
    if (!code && table)
        code = hints_visit(p, table, n->child);
    if (code || !table)
        return code;
    if (p->inserted_key >= 0 && !p->inner)
        return reject(p, MQ_PARTITION_KEY, "TABLE in an INSERT; select the columns by name");
    names_count(p, table, "WHERE clause");
    open_table(p, n->child, table);
    qualified_result(p, p->scope, NULL);
    text_add(&t, "SELECT ");
    code = star_selected(p, NULL, false, table, slice_of("", 0), &t);
    struct slice where = plan_tenant_where(p);
    *shape = (struct shape){ .table = table };
    p->shape = shape;
    if (!code)
        code = plan_edit(p, EDIT_BEFORE, n->first, n->first, text_slice(&t));
    if (!code)
        code = plan_edit(p, EDIT_REPLACE, n->first, n->first, SLICE_LIT(" FROM"));
    if (!code)
        code = locks_table(p, &(struct scope){ .refs = NULL },
                           &(struct table_ref){ .node = n, .table = table });
    return code ? code : plan_edit(p, EDIT_AFTER, n->last, n->last, where);
}

static enum err_code visit_body(struct planner *p, const struct node *body);

/* What ORDER BY sees behind several queries, or behind one in parentheses. */
static void close_body(struct planner *p, const struct node *body, struct scope *outer)
{
    if (body->kind == N_BLOCK || body->kind == N_TABLE_STMT)
        return;
    struct scope *s = arena_new(p->arena, struct scope);
    *s = (struct scope){ .outer = outer,
                         .united = body->kind != N_QUERY_PAREN,
                         .open = body->kind == N_QUERY_PAREN };
    p->scope = s;
}

static enum err_code visit_branches(struct planner *p, const struct node *body)
{
    struct scope *outer = p->scope;
    enum branch united = p->united;
    enum err_code doubt = vitess_check(p, body);
    if (doubt)
        return doubt;
    /* a UNION b UNION c … leans to the left, like AND. */
    for (; body->kind == N_SET_OP; body = body->child) {
        if (++p->depth > 2 * NESTING_MAX)
            return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
        p->united = BRANCH_LATER;
        enum err_code code = visit_body(p, body->child->next);
        p->scope = outer;
        p->united = united;
        p->depth--;
        if (code)
            return code;
    }
    if (p->scatter && body->kind != N_BLOCK && body->kind != N_QUERY_PAREN)
        return scatter_refuse_body(p);
    switch ((enum node_kind)body->kind) {
    case N_BLOCK:
        return visit_block(p, body);
    case N_QUERY_PAREN:
        return query_visit(p, body->child);
    case N_TABLE_STMT:
        return visit_table_statement(p, body);
    default:
        p->shape = NULL;
        return visit(p, body);
    }
}

static enum err_code visit_body(struct planner *p, const struct node *body)
{
    struct scope *outer = p->scope;
    enum branch united = p->united;
    if (body->kind == N_SET_OP && united == BRANCH_NONE)
        p->united = BRANCH_FIRST;
    enum err_code code = visit_branches(p, body);
    p->united = united;
    close_body(p, body, outer);
    return code;
}

/* Visible at one place: each table's name is compared with all of them. */
enum { CTES_MAX = 100 };

static size_t ctes_visible(const struct planner *p)
{
    return p->ctes ? p->ctes->visible : 0;
}

static enum err_code reject_ctes(struct planner *p)
{
    return reject(p, MQ_TOO_COMPLEX, "WITH gives more than %d names", CTES_MAX);
}

static struct cte_name *push_name(struct planner *p, const struct node *cte, bool doubtful)
{
    struct cte_name *c = arena_new(p->arena, struct cte_name);
    *c = (struct cte_name){ .name = plan_name(p, cte),
                            .columns = node_find(cte, N_COLUMNS),
                            .doubtful = doubtful,
                            .visible = ctes_visible(p) + 1,
                            .outer = p->ctes };
    p->ctes = c;
    return c;
}

static bool is_body(const struct node *n)
{
    return n->kind == N_BLOCK || n->kind == N_SET_OP || n->kind == N_QUERY_PAREN ||
           n->kind == N_VALUES_ROWS || n->kind == N_TABLE_STMT;
}

/* MySQL 9.7 finds the queries that a branch in parentheses names with WITH from what is around it
 * as well: (WITH q AS … SELECT …) INTERSECT SELECT … FROM q. */
static enum err_code doubt_names(struct planner *p, const struct node *branch)
{
    enum err_code code = MQ_OK;
    if (branch->kind == N_SET_OP)
        code = doubt_names(p, branch->child->next);
    if (branch->kind == N_SET_OP && !code)
        return doubt_names(p, branch->child);
    for (const struct node *c = branch->kind == N_QUERY_PAREN ? branch->child->child : NULL;
         c && !code; c = c->next) {
        if (c->kind == N_WITH && node_children(c) > CTES_MAX - ctes_visible(p))
            return reject_ctes(p);
        for (const struct node *cte = c->kind == N_WITH ? c->child : NULL; cte; cte = cte->next)
            push_name(p, cte, true);
        if (is_body(c))
            code = doubt_names(p, c);
    }
    return code;
}

/* MariaDB loses rows of a DISTINCT that is ordered by an expression it also lists, behind something
 * else, when two character sets meet in it: ASCII identifiers have met none in the legacy schema.
 * What is in COALESCE() is to the server no expression of the list, and the same value. */
static bool loses_rows(const struct planner *p)
{
    const struct node *block = p->scope ? p->scope->block : NULL;
    return p->dialect->flavour == FLAVOUR_MARIADB && !p->scatter && block &&
           block->flags & NODE_F_DISTINCT && !node_find(block, N_GROUP_BY);
}

static bool is_plain(const struct node *n)
{
    return n->kind == N_COLUMN || n->kind == N_LITERAL || n->kind == N_PARAM;
}

/* What is edited at one token comes out in the order of the edits: this one is around the others. */
static enum err_code visit_order(struct planner *p, const struct node *order)
{
    bool hides = loses_rows(p);
    enum err_code code = MQ_OK;
    for (const struct node *c = hides ? order->child : NULL; c && !code; c = c->next)
        if (!is_plain(c->child))
            code = plan_edit(p, EDIT_BEFORE, c->child->first, c->child->first,
                             SLICE_LIT("COALESCE("));
    if (!code)
        code = qualified_order_by(p, order);
    for (const struct node *c = hides ? order->child : NULL; c && !code; c = c->next)
        if (!is_plain(c->child))
            code = plan_edit(p, EDIT_AFTER, c->child->last, c->child->last, SLICE_LIT(")"));
    return code;
}

static enum err_code visit_part(struct planner *p, const struct node *n)
{
    if (n->kind == N_WITH)
        return query_with(p, n);
    if (is_body(n)) {
        enum err_code code = doubt_names(p, n);
        if (!code)
            code = visit_body(p, n);
        return !code && p->scatter && p->scatter->united == n ? scatter_united(p) : code;
    }
    if (n->kind == N_LOCKING)
        p->t->locks = true;
    if (is_elsewhere(p, n))
        return MQ_OK;
    return n->kind == N_ORDER_BY ? visit_order(p, n) : visit(p, n);
}

/* The shape is that of the first branch, which names the columns. */
enum err_code query_visit(struct planner *p, const struct node *query)
{
    const struct cte_name *outer = p->ctes;
    struct scope *scope = p->scope;
    bool locked = p->locked;
    if (++p->depth > 2 * NESTING_MAX)
        return reject(p, MQ_TOO_COMPLEX, "the statement is nested too deeply");
    enum err_code code = vitess_check(p, query);
    p->locked |= node_find(query, N_LOCKING) != NULL;
    for (const struct node *c = query->child; c && !code; c = c->next)
        code = visit_part(p, c);
    p->depth--;
    p->ctes = outer;
    p->scope = scope;
    p->locked = locked;
    return code;
}

/* A lock of the outer query does not reach into it. */
enum err_code query_visit_inner(struct planner *p, const struct node *query)
{
    bool locked = p->locked;
    enum branch united = p->united;
    p->locked = false;
    p->united = BRANCH_NONE;
    bool naming = p->naming;
    uint32_t aggregated = p->aggregated;
    p->aggregated = 0;
    p->naming = false;
    p->inner++;
    struct scatter_query around;
    enum err_code code = p->scatter ? scatter_query_begin(p, query, &around) : MQ_OK;
    if (!code)
        code = query_visit(p, query);
    if (p->scatter)
        code = scatter_query_end(p, query, code, &around);
    p->inner--;
    p->aggregated = aggregated;
    p->naming = naming;
    p->locked = locked;
    p->united = united;
    return code;
}

static enum err_code visit_cte(struct planner *p, const struct node *cte)
{
    enum err_code code = MQ_OK;
    p->shape = NULL;
    if (p->scatter)
        p->scatter->use = SCATTER_ROWS;
    for (const struct node *c = cte->child; c && !code; c = c->next)
        code = c->kind == N_QUERY ? query_visit_inner(p, c) : visit(p, c);
    return code;
}

/* Without RECURSIVE a query sees the names before its own; with it its own as well, and
 * servers differ about those behind. */
enum err_code query_with(struct planner *p, const struct node *with)
{
    bool recursive = with->op == KW_RECURSIVE;
    size_t count = node_children(with), i = 0;
    if (count > CTES_MAX - ctes_visible(p))
        return reject_ctes(p);
    enum err_code code = p->scatter ? scatter_with(p, with) : MQ_OK;
    if (code)
        return code;
    struct cte_name **names = arena_array(p->arena, struct cte_name *, count + 1);
    if (recursive)
        for (const struct node *c = with->child; c; c = c->next)
            names[i++] = push_name(p, c, true);
    i = 0;
    for (const struct node *c = with->child; c; c = c->next) {
        if (recursive)
            names[i++]->doubtful = false;
        if ((code = visit_cte(p, c)))
            return code;
        const struct shape *shape = p->shape;
        (recursive ? names[i - 1] : push_name(p, c, false))->shape = shape;
    }
    return MQ_OK;
}
