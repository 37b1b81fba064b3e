/* Tables of which every tenant has a copy (heartbeats): the client's table has one row for each key
 * of the legacy table, the copy with the highest version. So the shards are asked by the key alone,
 * and give key and version besides; the other conditions are for the row that was chosen.
 *
 *   SELECT subscriber_name FROM h WHERE topic = 'a' AND heartbeat_at > 5
 *   SELECT subscriber_name, consumer_group, topic, heartbeat_at FROM h
 *     WHERE tenant IN (…) AND (topic = 'a' AND TRUE) ORDER BY 2, 3, 1     heartbeat_at > 5: here
 *
 * Where groups are asked for, the shards group by their own key: each group is one row, so that
 * COUNT, SUM and the like are what that row adds. */
#include "routing/scatter_int.h"

static struct slice legacy_key(const struct catalog_table *table)
{
    for (size_t i = 0; i < table->legacy_key_count; i++)
        if (!table->legacy_keys[i].name)
            return slice_cstr(table->legacy_keys[i].columns);
    return slice_of("", 0);
}

bool scatter_is_legacy_key(const struct catalog_table *table, const struct catalog_column *column)
{
    struct slice rest = legacy_key(table), name;
    while (catalog_key_next(&rest, &name))
        if (slice_ieq_cstr(name, column->name))
            return true;
    return false;
}

static struct scatter_column column_of(struct planner *p, struct slice name)
{
    const struct table_ref *r = p->scatter->scope->refs;
    return (struct scatter_column){ r, &r->table->columns[catalog_column_index(r->table, name)] };
}

/* ---- conditions ---- */

static bool is_of_key(struct planner *p, const struct node *n)
{
    struct scatter_column column = { NULL, NULL };
    if (n->kind == N_COLUMN)
        return column_is_tenant(p, n) ||
               (scatter_find_column(p, n, &column) &&
                scatter_is_legacy_key(p->scatter->replicated, column.column));
    for (const struct node *c = n->child; c; c = c->next)
        if (!is_of_key(p, c))
            return false;
    return true;
}

/* Conditions of the merge so far AND one more. */
static void add_filter(struct planner *p, int32_t condition)
{
    struct merge_recipe *m = &p->scatter->recipe;
    const struct merge_expr *exprs = p->scatter->exprs.items;
    struct merge_expr both[2];
    if (m->filter < 0) {
        m->filter = condition;
        return;
    }
    both[0] = exprs[m->filter];
    both[1] = exprs[condition];
    struct merge_expr e = { .op = MERGE_AND, .compare = MERGE_AS_INTEGER, .operand_count = 2 };
    e.first_operand = (uint32_t)scatter_expr_add(p, &both[0]);
    scatter_expr_add(p, &both[1]);
    m->filter = scatter_expr_add(p, &e);
}

static enum err_code take_condition(struct planner *p, const struct node *n)
{
    int32_t condition;
    if (is_of_key(p, n))
        return MQ_OK;
    enum err_code code = scatter_expr(p, n, false, &condition, NULL);
    if (code)
        return code;
    add_filter(p, condition);
    return scatter_cut(p, n, SLICE_LIT(" TRUE "));
}

/* The AND-ed parts one by one. */
static enum err_code take_conditions(struct planner *p, const struct node *n)
{
    if (n->kind == N_PAREN)
        return take_conditions(p, n->child);
    if (n->kind != N_AND)
        return take_condition(p, n);
    enum err_code code = MQ_OK;
    for (const struct node *c = n->child; c && !code; c = c->next)
        code = take_conditions(p, c);
    return code;
}

enum err_code scatter_replicated_where(struct planner *p)
{
    const struct node *where = p->scatter->scope->where;
    return where ? take_conditions(p, where->child) : MQ_OK;
}

/* ---- keys ---- */

/* " GROUP BY tenant, topic, …": each row by itself. */
static enum err_code group_rows(struct planner *p)
{
    struct scatter *x = p->scatter;
    struct slice rest = legacy_key(x->replicated), name;
    const struct node *group = node_find(x->block, N_GROUP_BY);
    struct text t = { .arena = p->arena };
    text_add(&t, group ? "GROUP BY " : " GROUP BY ");
    if (x->scope->refs->has_alias) {
        text_ident(&t, x->scope->refs->name);
        text_add(&t, ".");
    }
    text_add(&t, "tenant");
    while (catalog_key_next(&rest, &name)) {
        struct scatter_column column = column_of(p, name);
        text_add(&t, ", ");
        scatter_column_text(p, &column, &t);
    }
    if (group)
        return scatter_cut(p, group, text_slice(&t));
    x->grouping = t;
    return MQ_OK;
}

enum err_code scatter_replicated_order(struct planner *p)
{
    struct scatter *x = p->scatter;
    struct slice rest = legacy_key(x->replicated), name;
    while (catalog_key_next(&rest, &name)) {
        struct scatter_column column = column_of(p, name);
        uint8_t compare = scatter_compare(p, &column);
        if (compare == COMPARE_NONE)
            return scatter_refuse(p, "the key of %s cannot be compared here", x->replicated->name);
        scatter_add_key(p, scatter_place(p, &column), compare, false);
        x->recipe.unique++;
    }
    struct scatter_column version = column_of(p, slice_cstr(x->replicated->version));
    x->recipe.version = (int32_t)(x->grouped ? scatter_place_call(p, "MAX(", &version)
                                             : scatter_place(p, &version));
    return x->grouped ? group_rows(p) : MQ_OK;
}

/* ---- rows ---- */

static bool orders_by_key(struct planner *p, const struct node *order)
{
    struct scatter_column column;
    int32_t item;
    for (const struct node *c = order->child; c; c = c->next)
        if (c->child->kind != N_COLUMN || scatter_resolve(p, c->child, &item, &column) ||
            !column.ref || !scatter_is_legacy_key(p->scatter->replicated, column.column))
            return false;
    return true;
}

/* The shards' order is the key's; the client's is made of the rows that are left. */
static enum err_code sort_rows(struct planner *p, const struct node *order)
{
    struct scatter *x = p->scatter;
    for (const struct node *c = order->child; c; c = c->next) {
        struct scatter_column column;
        int32_t item;
        if (c->child->kind != N_COLUMN)
            return scatter_refuse_compare(p, "ORDER BY", c->child);
        enum err_code code = scatter_resolve(p, c->child, &item, &column);
        if (code)
            return code;
        uint8_t compare = scatter_compare(p, &column);
        if (compare == COMPARE_NONE)
            return scatter_refuse_compare(p, "ORDER BY", c->child);
        struct merge_expr e = { .op = MERGE_COLUMN,
                                .compare = compare,
                                .number = scatter_place(p, &column) };
        struct merge_sort_key *key = vector_add(&x->sort, p->arena, sizeof *key);
        *key = (struct merge_sort_key){ .expr = (uint32_t)scatter_expr_add(p, &e),
                                        .compare = compare,
                                        .descending = c->op == KW_DESC };
    }
    return scatter_cut(p, order, slice_of("", 0));
}

/* Rows that the client sees alike may come of different keys: a group for each. */
static enum err_code distinct_rows(struct planner *p)
{
    struct scatter *x = p->scatter;
    int32_t *columns = arena_array(p->arena, int32_t, x->recipe.shown);
    for (uint32_t i = 0; i < x->recipe.shown; i++) {
        const struct scatter_column *column = &scatter_item(x, i)->column;
        uint8_t compare = scatter_compare(p, column);
        if (compare == COMPARE_NONE || !scatter_is_legacy_key(x->replicated, column->column))
            return scatter_refuse(p, "DISTINCT of columns outside the key of %s; leave it out",
                                  x->replicated->name);
        struct merge_expr e = { .op = MERGE_COLUMN, .compare = compare, .number = i };
        columns[i] = scatter_expr_add(p, &e);
        scatter_add_key(p, scatter_place(p, column), compare, false);
    }
    x->recipe.grouped = true;
    x->recipe.group = x->order.count;
    x->recipe.columns = columns;
    for (uint32_t i = x->block->first + 1; i < node_find(x->block, N_SELECT_LIST)->first; i++)
        if (token_is_keyword(&p->l->tokens[i], KW_DISTINCT) ||
            token_is_keyword(&p->l->tokens[i], KW_DISTINCTROW))
            return plan_edit(p, EDIT_REPLACE, i, i, slice_of("", 0));
    return MQ_OK;
}

enum err_code scatter_replicated_rows(struct planner *p)
{
    struct scatter *x = p->scatter;
    const struct node *order = node_find(x->query, N_ORDER_BY);
    bool distinct = x->block->flags & NODE_F_DISTINCT;
    enum err_code code = MQ_OK;
    if (order && !distinct && orders_by_key(p, order))
        code = scatter_order_by(p, false);
    else if (order)
        code = sort_rows(p, order);
    if (!code && distinct)
        code = distinct_rows(p);
    return code ? code : scatter_replicated_order(p);
}
