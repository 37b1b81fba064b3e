/* Queries inside a statement of several tenants. A shard has some of the tenants, so what such a
 * query finds there has to be what it would find among all of them:
 *
 *   anchored   its tables are tied to the row around it by equal partition keys. All its rows are
 * of that row's tenant, whatever it makes of them: a value, EXISTS, groups, LIMIT loose      its
 * rows are made of one tenant's rows each (scatter_join.c). As a table of FROM, or as what a
 * partition key is looked for IN, the rows of other tenants do not meet those of the row around it;
 * but nothing may count, order or compare them
 *
 * Everything else would see the rows of one shard only. */
#include "routing/scatter_int.h"

#include "routing/qualified.h"

/* ---- what it is to the statement ---- */

enum err_code scatter_derived(struct planner *p, const struct node *derived)
{
    if (derived->flags & NODE_F_LATERAL)
        return scatter_refuse(p, "LATERAL is not merged; write a join");
    p->scatter->use = SCATTER_ROWS;
    return MQ_OK;
}

enum err_code scatter_with(struct planner *p, const struct node *with)
{
    return with->op != KW_RECURSIVE
               ? MQ_OK
               : scatter_refuse(p, "WITH RECURSIVE is not merged; name its rows otherwise");
}

static const struct node *bare(const struct node *n)
{
    while (n->kind == N_PAREN)
        n = n->child;
    return n;
}

static bool is_plain(const struct node *n)
{
    return n->kind == N_COLUMN || n->kind == N_LITERAL || n->kind == N_PARAM;
}

void scatter_in(struct planner *p, const struct node *in)
{
    const struct node *left = bare(in->child), *right = in->child->next;
    const struct scope *s = p->scope;
    if (!right || right->kind != N_SUBQUERY || !s || s->having)
        return;
    bool row = left->kind == N_ROW_EXPR, found = false;
    size_t member = 0;
    for (const struct node *c = row ? left->child : left; c; c = row ? c->next : NULL) {
        if (!is_plain(bare(c)))
            return; /* it may have a query of its own */
        found = found || scatter_is_sure_key(p, s, bare(c));
        member += !found;
    }
    p->scatter->use = found ? SCATTER_KEYS : SCATTER_VALUE;
    p->scatter->member = member;
}

/* ---- its blocks ---- */

/* Is all that is aggregated of the block's own tables? What is not, a server aggregates over the
 * rows around the query. */
static bool is_own(struct planner *p, const struct scope *s, const struct node *n)
{
    if (n->kind == N_COLUMN)
        return qualified_found(p, s, n) != NULL;
    if (n->kind == N_SUBQUERY)
        return false;
    for (const struct node *c = n->child; c; c = c->next)
        if (!is_own(p, s, c))
            return false;
    return true;
}

static enum err_code check_aggregates(struct planner *p, const struct scope *s,
                                      const struct node *n)
{
    if (scatter_is_aggregate(p, n) && !is_own(p, s, n))
        return scatter_refuse(p,
                              "%.*s() in a sub-query may be over the rows around it; qualify "
                              "its column by a table of the sub-query",
                              NAME_FORMAT(token_text(p->l, n->first)));
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next)
        if (c->kind != N_SUBQUERY && c->kind != N_FROM)
            code = check_aggregates(p, s, c);
    return code;
}

static enum err_code refuse_value(struct planner *p)
{
    return scatter_refuse(p, "a sub-query in it would see the rows of one shard only; set the "
                             "partition key of its tables equal to one of the row around it, or "
                             "ask for its rows first");
}

static enum err_code check_loose(struct planner *p, struct scope *s, const struct node *block)
{
    enum err_code code = scatter_tables(p, s);
    p->scatter->recipe.joined |= s->count > 1;
    if (!code)
        code = scatter_check_counter(p, s);
    return code ? code : scatter_check_groups(p, s, block, true);
}

enum err_code scatter_inner(struct planner *p, struct scope *s, const struct node *block)
{
    struct scatter_query *q = &p->scatter->inner;
    struct scatter_branch *b = vector_add(&q->branches, p->arena, sizeof *b);
    bool constant = !s->count && q->use == SCATTER_VALUE;
    *b = (struct scatter_branch){ .list = node_find(block, N_SELECT_LIST), .scope = s };
    enum err_code code = scatter_check_options(p, block);
    if (!code)
        code = check_aggregates(p, s, block);
    if (code || s->anchored || constant)
        return code;
    if (q->use == SCATTER_VALUE)
        return refuse_value(p);
    q->loose = true;
    return check_loose(p, s, block);
}

/* ---- the query as a whole ---- */

static const struct node *body_of(const struct node *query)
{
    return query->child->kind == N_WITH ? query->child->next : query->child;
}

bool scatter_set_compares(const struct node *body)
{
    if (body->kind == N_QUERY_PAREN)
        return scatter_set_compares(body_of(body->child));
    for (; body->kind == N_SET_OP; body = body->child)
        if (body->op != KW_UNION || !(body->flags & NODE_F_ALL) ||
            scatter_set_compares(body->child->next))
            return true;
    return false;
}

/* Does it, or a query in parentheses that it is made of, sort or cut its rows? */
static bool sorts_or_cuts(const struct node *query)
{
    const struct node *body = body_of(query);
    if (node_find(query, N_ORDER_BY) || node_find(query, N_LIMIT))
        return true;
    for (; body->kind == N_SET_OP; body = body->child)
        if (body->child->next->kind == N_QUERY_PAREN && sorts_or_cuts(body->child->next->child))
            return true;
    return body->kind == N_QUERY_PAREN && sorts_or_cuts(body->child);
}

/* The next items of the lists, one of each; NULL behind the end of one, and at a star. */
static bool is_key_of_all(struct planner *p, const struct scatter_branch *branches, size_t count,
                          const struct node *const *items)
{
    for (size_t i = 0; i < count; i++)
        if (!scatter_is_sure_key(p, branches[i].scope, items[i]->child))
            return false;
    return true;
}

const struct node *scatter_shared_key(struct planner *p, const struct vector *branches)
{
    const struct scatter_branch *b = branches->items;
    const struct node **items = arena_array(p->arena, const struct node *, branches->count + 1);
    for (size_t i = 0; i < branches->count; i++)
        items[i] = b[i].list->child;
    for (;;) {
        for (size_t i = 0; i < branches->count; i++)
            if (!items[i] || items[i]->kind == N_STAR)
                return NULL;
        if (is_key_of_all(p, b, branches->count, items))
            return items[branches->count - 1]; /* the first branch is visited last */
        for (size_t i = 0; i < branches->count; i++)
            items[i] = items[i]->next;
    }
}

static bool lists_key_at(struct planner *p, const struct scatter_branch *b, size_t member)
{
    const struct node *item = b->list->child;
    while (item && item->kind != N_STAR && member-- > 0)
        item = item->next;
    return item && item->kind != N_STAR && scatter_is_sure_key(p, b->scope, item->child);
}

static enum err_code check_keys(struct planner *p, const struct scatter_query *q)
{
    const struct scatter_branch *branches = q->branches.items;
    for (size_t i = 0; i < q->branches.count; i++)
        if (!lists_key_at(p, &branches[i], q->member))
            return refuse_value(p);
    return MQ_OK;
}

/* What its columns are is what all its branches say. */
static const struct node *unite(struct planner *p, const struct vector *branches)
{
    const struct node *shared = scatter_shared_key(p, branches);
    if (p->shape) {
        struct shape *shape = arena_new(p->arena, struct shape);
        *shape = *p->shape;
        shape->united = true;
        shape->shared = shared;
        p->shape = shape;
    }
    return shared;
}

static enum err_code check_whole(struct planner *p, const struct node *query)
{
    const struct scatter_query *q = &p->scatter->inner;
    bool united = q->branches.count > 1;
    const struct node *shared = united ? unite(p, &q->branches) : NULL;
    p->scatter->recipe.nested = true;
    if (!q->loose)
        return MQ_OK;
    if (sorts_or_cuts(query))
        return scatter_refuse(p, "ORDER BY or LIMIT in a query in it would be over the rows of one "
                                 "shard only; leave them out");
    if (united && !shared && scatter_set_compares(body_of(query)))
        return scatter_refuse(p, "rows of different tenants could be alike in a query in it; write "
                                 "UNION ALL, or show the partition key in each of its SELECTs");
    return q->use == SCATTER_KEYS ? check_keys(p, q) : MQ_OK;
}

enum err_code scatter_query_begin(struct planner *p, const struct node *query,
                                  struct scatter_query *ret_around)
{
    struct scatter *x = p->scatter;
    *ret_around = x->inner;
    x->inner = (struct scatter_query){ .use = x->use, .member = x->member };
    x->use = SCATTER_VALUE;
    if (node_find(query, N_LOCKING))
        return scatter_refuse(p, "its locks would be held on several shards; read without FOR "
                                 "UPDATE");
    const struct node *order = node_find(query, N_ORDER_BY);
    return !scatter_has_aggregate(p, order)
               ? MQ_OK
               : scatter_refuse(p, "a query in it is ordered by an aggregate; leave ORDER BY out");
}

enum err_code scatter_query_end(struct planner *p, const struct node *query, enum err_code code,
                                const struct scatter_query *around)
{
    if (!code)
        code = check_whole(p, query);
    p->scatter->inner = *around;
    return code;
}
