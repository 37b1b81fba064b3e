/* Aggregates over several tenants: the shards give one row for each of their groups, sorted by the
 * group, and what belongs together is put together here.
 *
 *   SUM, COUNT, MIN, MAX   of what the shards gave for the same column
 *   AVG(x)                 SUM(x) and COUNT(x), which the shards give besides
 *   COUNT(DISTINCT x)      the shards group by x as well; each x counts once
 *
 * With qualified partition keys a group that contains the partition key is one tenant's alone, and
 * the shards' rows are the answer's. */
#include "routing/scatter_int.h"

enum { KIND_NONE = 255 };

/* ---- aggregate functions ---- */

struct aggregate_function {
    const char *name;
    uint8_t kind; /* enum merge_aggregate_kind or KIND_NONE */
};

static const struct aggregate_function *find_function(const struct planner *p, const struct node *n)
{
    enum { MERGE_NONE = KIND_NONE };
    static const struct aggregate_function functions[] = {
#define AGGREGATE_ROW(name, how) { #name, MERGE_##how },
#include "routing/aggregates.def"
#undef AGGREGATE_ROW
    };
    if (n->kind != N_FUNCTION || (n->flags & NODE_F_WINDOW))
        return NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (slice_ieq_cstr(token_text(p->l, n->first), functions[i].name))
            return &functions[i];
    return NULL;
}

bool scatter_is_aggregate(const struct planner *p, const struct node *n)
{
    return find_function(p, n) != NULL;
}

bool scatter_has_aggregate(const struct planner *p, const struct node *n)
{
    if (n && scatter_is_aggregate(p, n))
        return true;
    if (n && n->kind == N_SUBQUERY) /* whose aggregates are its own: scatter_query.c */
        return false;
    for (const struct node *c = n ? n->child : NULL; c; c = c->next)
        if (scatter_has_aggregate(p, c))
            return true;
    return false;
}

bool scatter_has_groups(struct planner *p, const struct node *block)
{
    return node_find(block, N_GROUP_BY) || node_find(block, N_HAVING) ||
           scatter_has_aggregate(p, node_find(block, N_SELECT_LIST)) ||
           scatter_has_aggregate(p, node_find(p->scatter->query, N_ORDER_BY));
}

static enum err_code refuse_call(struct planner *p, const struct node *call, const char *why)
{
    return scatter_refuse(p, "%.*s() %s", NAME_FORMAT(token_text(p->l, call->first)), why);
}

/* ---- calls ---- */

/* What a call is over. */
struct call {
    const struct node *node;
    const struct aggregate_function *function;
    struct scatter_column argument; /* ref NULL: rows, or an expression */
    uint8_t compare;                /* of the argument */
    bool distinct;
};

static enum err_code read_call(struct planner *p, const struct node *n, struct call *ret)
{
    const struct node *argument = n->child;
    while (argument && argument->kind == N_PAREN)
        argument = argument->child;
    *ret = (struct call){ .node = n,
                          .function = find_function(p, n),
                          .compare = COMPARE_NONE,
                          .distinct = n->flags & NODE_F_DISTINCT };
    if (ret->function->kind == KIND_NONE)
        return refuse_call(p, n, "is not merged; use COUNT, SUM, MIN, MAX or AVG");
    if (n->child && n->child->next)
        return refuse_call(p, n, "of several columns is not merged; give it one");
    if (argument && argument->kind == N_COLUMN && scatter_find_column(p, argument, &ret->argument))
        ret->compare = scatter_compare(p, &ret->argument);
    return MQ_OK;
}

static bool is_number(uint8_t compare)
{
    return compare == MERGE_AS_INTEGER || compare == MERGE_AS_DECIMAL;
}

static enum err_code check_call(struct planner *p, const struct call *c)
{
    uint8_t kind = c->function->kind;
    if (kind == MERGE_COUNT && !c->distinct)
        return MQ_OK;
    if (c->compare == COMPARE_NONE)
        return refuse_call(
            p, c->node,
            "of anything but a column that is compared exactly here; give an integer, "
            "a decimal or a short text of a _bin collation");
    if ((kind == MERGE_SUM || kind == MERGE_AVG) && (c->distinct || !is_number(c->compare)))
        return refuse_call(p, c->node, "of a text or with DISTINCT is not added up here");
    if (kind == MERGE_COUNT && scatter_is_counter(&c->argument))
        return refuse_call(p, c->node,
                           "would take the same offset of two tenants for one; leave DISTINCT out");
    return MQ_OK;
}

static bool same_call(const struct call *a, const struct call *b)
{
    bool rows = (a->node->flags & b->node->flags & NODE_F_STAR) != 0;
    return a->function == b->function && a->distinct == b->distinct &&
           (rows || scatter_same_column(&a->argument, &b->argument));
}

/* The column that is the same call, or a hidden one that is made. */
static uint32_t place_call(struct planner *p, const struct call *c, const char *text)
{
    struct scatter *x = p->scatter;
    for (size_t i = 0; i < x->items.count; i++) {
        const struct node *known = scatter_item(x, i)->call;
        struct call other;
        if (known && !read_call(p, known, &other) && same_call(&other, c))
            return (uint32_t)i;
    }
    uint32_t place = scatter_place_call(p, text, c->argument.ref ? &c->argument : NULL);
    scatter_item(x, place)->call = c->node;
    return place;
}

static const char *call_text(const struct planner *p, const struct call *c)
{
    return arena_printf(p->arena, "%s(%s", c->function->name, c->distinct ? "DISTINCT " : "");
}

/* Each value is one tenant's, so that no two shards count the same one. */
static bool never_meets(const struct planner *p, const struct call *c)
{
    return scatter_is_qualified(p) && scatter_is_partition_key(&c->argument);
}

/* COUNT(DISTINCT x): all such calls of a statement count one column. */
static enum err_code count_distinct(struct planner *p, const struct call *c,
                                    struct merge_aggregate *ret)
{
    struct scatter *x = p->scatter;
    if (x->counts_keys || (x->counted.ref && !scatter_same_column(&x->counted, &c->argument)))
        return refuse_call(p, c->node, "of another column than the first; ask for one at a time");
    if (x->replicated && !scatter_is_legacy_key(x->replicated, c->argument.column))
        return refuse_call(p, c->node, "of a column outside the table's key");
    x->counted = c->argument;
    *ret = (struct merge_aggregate){ .kind = MERGE_COUNT_DISTINCT,
                                     .compare = c->compare,
                                     .column = scatter_place(p, &c->argument) };
    return MQ_OK;
}

/* An expression cannot be written again, since its literals are the statement's. */
static enum err_code check_repeated(struct planner *p, const struct call *c, int32_t item)
{
    bool column = c->argument.ref || (c->node->flags & NODE_F_STAR);
    if (column || (item >= 0 && c->function->kind != MERGE_AVG))
        return MQ_OK;
    return refuse_call(p, c->node, "of an expression has to stand alone in the select list");
}

static enum err_code make_aggregate(struct planner *p, const struct call *c, int32_t item,
                                    struct merge_aggregate *ret)
{
    enum err_code code = check_call(p, c);
    if (!code)
        code = check_repeated(p, c, item);
    if (code)
        return code;
    if (c->function->kind == MERGE_COUNT && c->distinct &&
        (!never_meets(p, c) || p->scatter->counted.ref))
        return count_distinct(p, c, ret);
    p->scatter->counts_keys |= c->function->kind == MERGE_COUNT && c->distinct;
    *ret = (struct merge_aggregate){ .kind = c->function->kind, .compare = c->compare };
    if (c->function->kind == MERGE_AVG) {
        ret->column = scatter_place_call(p, "SUM(", &c->argument);
        ret->count_column = scatter_place_call(p, "COUNT(", &c->argument);
    } else {
        ret->column = item >= 0 ? (uint32_t)item : place_call(p, c, call_text(p, c));
    }
    return MQ_OK;
}

static uint8_t result_compare(const struct call *c)
{
    switch (c->function->kind) {
    case MERGE_COUNT:
        return MERGE_AS_INTEGER;
    case MERGE_SUM:
    case MERGE_AVG:
        return MERGE_AS_DECIMAL;
    default:
        return c->compare;
    }
}

static bool same_aggregate(const struct merge_aggregate *a, const struct merge_aggregate *b)
{
    return a->kind == b->kind && a->column == b->column && a->count_column == b->count_column;
}

enum err_code scatter_aggregate(struct planner *p, const struct node *call, int32_t item,
                                struct merge_expr *ret)
{
    struct vector *all = &p->scatter->aggregates;
    struct merge_aggregate made = { .kind = KIND_NONE };
    struct call c;
    enum err_code code = read_call(p, call, &c);
    if (!code)
        code = make_aggregate(p, &c, item, &made);
    if (code)
        return code;
    const struct merge_aggregate *known = all->items;
    uint32_t i = 0;
    while (i < all->count && !same_aggregate(&known[i], &made))
        i++;
    if (i == all->count)
        *(struct merge_aggregate *)vector_add(all, p->arena, sizeof made) = made;
    *ret = (struct merge_expr){ .op = MERGE_AGGREGATE, .compare = result_compare(&c), .number = i };
    return MQ_OK;
}

/* ---- GROUP BY ---- */

bool scatter_is_group(struct planner *p, const struct scatter_column *column)
{
    const struct merge_key *groups = p->scatter->groups.items;
    for (size_t i = 0; i < p->scatter->groups.count; i++)
        if (scatter_same_column(&scatter_item(p->scatter, groups[i].column)->column, column))
            return true;
    return false;
}

static enum err_code add_group(struct planner *p, const struct node *n)
{
    struct scatter *x = p->scatter;
    const struct node *expr = n->kind == N_ORDER_ITEM ? n->child : n;
    struct scatter_column column;
    int32_t item;
    if ((n->kind == N_ORDER_ITEM && n->op) || expr->kind != N_COLUMN)
        return scatter_refuse(p, "GROUP BY anything but columns, named as such");
    enum err_code code = scatter_resolve(p, expr, &item, &column);
    if (code)
        return code;
    uint8_t compare = scatter_compare(p, &column);
    if (compare == COMPARE_NONE)
        return scatter_refuse_compare(p, "GROUP BY", expr);
    if (x->replicated && !scatter_is_legacy_key(x->replicated, column.column))
        return scatter_refuse(p, "GROUP BY `%s`, which is not of the key of %s",
                              column.column->name, x->replicated->name);
    if (scatter_is_group(p, &column))
        return MQ_OK;
    struct merge_key *key = vector_add(&x->groups, p->arena, sizeof *key);
    *key = (struct merge_key){ .column = scatter_place(p, &column), .compare = compare };
    return MQ_OK;
}

static bool groups_hold(struct scatter *x, bool (*is_it)(const struct scatter_column *))
{
    const struct merge_key *groups = x->groups.items;
    for (size_t i = 0; i < x->groups.count; i++)
        if (is_it(&scatter_item(x, groups[i].column)->column))
            return true;
    return false;
}

static enum err_code group_by(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *group = node_find(x->block, N_GROUP_BY);
    enum err_code code = MQ_OK;
    if (group && group->op == KW_ROLLUP)
        return scatter_refuse(p, "WITH ROLLUP is not merged; leave it out");
    for (const struct node *c = group ? group->child : NULL; c && !code; c = c->next)
        code = add_group(p, c);
    if (!code && groups_hold(x, scatter_is_counter) && !groups_hold(x, scatter_is_partition_key))
        return scatter_refuse(p, "GROUP BY would take messages of two tenants with one offset for "
                                 "one; add the partition_key");
    return code;
}

/* ---- the select list ---- */

/* All columns below are GROUP BY's, so that every row of a group has the same. */
static bool is_of_group(struct planner *p, const struct node *n)
{
    struct scatter_column column = { NULL, NULL };
    if (n->kind == N_COLUMN)
        return scatter_find_column(p, n, &column) && scatter_is_group(p, &column);
    for (const struct node *c = n->child; c; c = c->next)
        if (!is_of_group(p, c))
            return false;
    return true;
}

/* Without GROUP BY there is a row where no shard gave one. */
static bool may_lack_rows(const struct scatter *x)
{
    return !x->groups.count && (x->replicated || x->counted.ref);
}

static enum err_code plain_item(struct planner *p, uint32_t item, struct merge_expr *ret)
{
    const struct scatter_item *shown = scatter_item(p->scatter, item);
    bool fits = shown->expr ? is_of_group(p, shown->expr) : scatter_is_group(p, &shown->column);
    if (!fits)
        return scatter_refuse(
            p,
            "`%.*s` in the select list is neither of GROUP BY's columns nor an "
            "aggregate",
            NAME_FORMAT(shown->expr ? token_text(p->l, shown->expr->first) : shown->name));
    *ret = (struct merge_expr){ .op = MERGE_COLUMN, .compare = COMPARE_NONE, .number = item };
    return MQ_OK;
}

static enum err_code make_item(struct planner *p, uint32_t item, int32_t *ret)
{
    const struct scatter_item *shown = scatter_item(p->scatter, item);
    struct merge_expr e;
    if (shown->expr && !shown->call && scatter_has_aggregate(p, shown->expr))
        return scatter_expr(p, shown->expr, true, ret, NULL);
    enum err_code code = shown->call ? scatter_aggregate(p, shown->call, (int32_t)item, &e)
                                     : plain_item(p, item, &e);
    if (!code)
        *ret = scatter_expr_add(p, &e);
    return code;
}

static void find_calls(struct planner *p)
{
    struct scatter *x = p->scatter;
    for (size_t i = 0; i < x->recipe.shown; i++) {
        struct scatter_item *item = scatter_item(x, i);
        if (item->expr && scatter_is_aggregate(p, item->expr))
            item->call = item->expr;
    }
}

static enum err_code make_items(struct planner *p)
{
    struct scatter *x = p->scatter;
    int32_t *columns = arena_array(p->arena, int32_t, x->recipe.shown);
    enum err_code code = MQ_OK;
    bool plain = false;
    for (uint32_t i = 0; i < x->recipe.shown && !code; i++) {
        plain |= !scatter_item(x, i)->expr || !scatter_has_aggregate(p, scatter_item(x, i)->expr);
        code = make_item(p, i, &columns[i]);
    }
    if (!code && plain && may_lack_rows(x))
        return scatter_refuse(p, "the select list has something beside its aggregates; leave it "
                                 "out");
    x->recipe.columns = columns;
    return code;
}

/* ---- HAVING, ORDER BY ---- */

static enum err_code having(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *n = node_find(x->block, N_HAVING);
    x->recipe.having = -1;
    if (!n)
        return MQ_OK;
    if (!x->groups.count && !x->aggregates.count)
        return scatter_refuse(p, "HAVING without GROUP BY and aggregates; write WHERE");
    enum err_code code = scatter_expr(p, n->child, true, &x->recipe.having, NULL);
    return code ? code : scatter_cut(p, n, slice_of("", 0));
}

/* The group's column that an ORDER BY's item names, or NULL. */
static const struct merge_key *ordered_group(struct planner *p, const struct node *item)
{
    struct scatter *x = p->scatter;
    const struct merge_key *groups = x->groups.items;
    struct scatter_column column;
    int32_t shown;
    if (item->child->kind != N_COLUMN || scatter_resolve(p, item->child, &shown, &column))
        return NULL;
    for (size_t i = 0; i < x->groups.count; i++)
        if (scatter_same_column(&scatter_item(x, groups[i].column)->column, &column))
            return &groups[i];
    return NULL;
}

static bool orders_groups(struct planner *p, const struct node *order)
{
    for (const struct node *c = order->child; c; c = c->next)
        if (!ordered_group(p, c))
            return false;
    return true;
}

static enum err_code sort_keys(struct planner *p, const struct node *order)
{
    struct scatter *x = p->scatter;
    for (const struct node *c = order->child; c; c = c->next) {
        int32_t expr;
        uint8_t compare;
        if (c->child->kind == N_LITERAL)
            return scatter_refuse(p, "ORDER BY a number; name the column");
        enum err_code code = scatter_expr(p, c->child, true, &expr, &compare);
        if (code)
            return code;
        struct merge_sort_key *key = vector_add(&x->sort, p->arena, sizeof *key);
        *key = (struct merge_sort_key){ .expr = (uint32_t)expr,
                                        .compare = compare,
                                        .descending = c->op == KW_DESC };
    }
    return scatter_cut(p, order, slice_of("", 0));
}

static enum err_code order_groups(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct merge_key *groups = x->groups.items;
    const struct node *order = node_find(x->query, N_ORDER_BY);
    bool kept = order && x->groups.count && !x->replicated && orders_groups(p, order);
    enum err_code code = order && !kept && x->groups.count ? sort_keys(p, order) : MQ_OK;
    if (order && !code && !x->groups.count) /* of one row */
        code = scatter_cut(p, order, slice_of("", 0));
    for (const struct node *c = kept ? order->child : NULL; c; c = c->next) {
        const struct merge_key *group = ordered_group(p, c);
        scatter_add_key(p, group->column, group->compare, c->op == KW_DESC);
    }
    x->sorted = x->order.count;
    for (size_t i = 0; i < x->groups.count; i++)
        scatter_add_key(p, groups[i].column, groups[i].compare, false);
    x->recipe.group = x->groups.count;
    return code;
}

/* ---- what the shards group by besides ---- */

static void regroup(struct planner *p)
{
    struct scatter *x = p->scatter;
    if (!x->counted.ref || scatter_is_group(p, &x->counted))
        return;
    scatter_add_key(p, scatter_place(p, &x->counted), scatter_compare(p, &x->counted), false);
    if (x->replicated)
        return;
    x->grouping.arena = p->arena;
    text_add(&x->grouping, x->groups.count ? ", " : " GROUP BY ");
    scatter_column_text(p, &x->counted, &x->grouping);
}

/* ---- groups that are one tenant's ---- */

static enum err_code disjoint_key(struct planner *p, const struct node *item)
{
    const struct merge_key *group = ordered_group(p, item);
    struct merge_expr e;
    if (group)
        return scatter_add_key(p, group->column, group->compare, item->op == KW_DESC);
    struct scatter_column column;
    int32_t shown = -1;
    const struct node *call = item->child;
    if (call->kind == N_COLUMN) {
        enum err_code code = scatter_resolve(p, call, &shown, &column);
        if (code)
            return code;
        call = shown >= 0 ? scatter_item(p->scatter, (size_t)shown)->call : NULL;
    }
    if (!call || !scatter_is_aggregate(p, call))
        return scatter_refuse_compare(p, "ORDER BY", item->child);
    struct call c;
    enum err_code code = scatter_aggregate(p, call, shown, &e);
    if (!code)
        code = read_call(p, call, &c);
    if (code)
        return code;
    uint32_t place = shown >= 0 ? (uint32_t)shown : place_call(p, &c, call_text(p, &c));
    return scatter_add_key(p, place, e.compare, item->op == KW_DESC);
}

static enum err_code disjoint_groups(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *order = node_find(x->query, N_ORDER_BY);
    enum err_code code = MQ_OK;
    for (const struct node *c = order ? order->child : NULL; c && !code; c = c->next)
        code = disjoint_key(p, c);
    x->aggregates.count = x->exprs.count = x->values.count = 0; /* the shards' are final */
    x->recipe.having = -1;
    x->sorted = x->order.count;
    x->limit_stays = true;
    return code;
}

enum err_code scatter_groups(struct planner *p)
{
    struct scatter *x = p->scatter;
    if (x->block->flags & NODE_F_DISTINCT)
        return scatter_refuse(p, "DISTINCT over aggregates; leave it out, or group by the columns");
    find_calls(p);
    enum err_code code = group_by(p);
    if (!code && scatter_is_qualified(p) && groups_hold(x, scatter_is_partition_key))
        return disjoint_groups(p);
    x->recipe.grouped = true;
    if (!code)
        code = make_items(p);
    if (!code)
        code = having(p);
    if (!code)
        code = order_groups(p);
    if (code)
        return code;
    regroup(p);
    x->limit_stays = x->groups.count && !node_find(x->block, N_HAVING) && !x->sort.count &&
                     !x->grouping.len && !x->replicated;
    return x->replicated ? scatter_replicated_order(p) : MQ_OK;
}
