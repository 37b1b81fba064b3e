/* Rows of several tenants: concatenated, or merged by ORDER BY and DISTINCT; LIMIT over all. */
#include "routing/scatter_int.h"

enum { COLUMNS_MAX = 4096 }; /* of a select list, the servers' own limit (error 1117) */

/* ---- the select list ---- */

static struct scatter_item *add_item(struct planner *p, struct slice name)
{
    struct scatter_item *item = vector_add(&p->scatter->items, p->arena, sizeof *item);
    *item = (struct scatter_item){ .name = name };
    p->scatter->recipe.shown++;
    return item;
}

static enum err_code add_star(struct planner *p, const struct node *star)
{
    struct vector shown = { NULL, 0, 0 };
    struct scope *s = p->scatter->scope;
    struct slice name = plan_name(p, star);
    bool known = !star->child && shape_scope(p, s, &shown);
    for (const struct table_ref *r = s->refs; r && star->child; r = r->next)
        if (slice_eq(r->name, name))
            known = shape_ref(p, r, &shown);
    if (!known)
        return scatter_refuse(p, "not all columns that `*` means are known; name them");
    const struct shown_column *columns = shown.items;
    for (size_t i = 0; i < shown.count; i++) {
        const struct table_ref *r = columns[i].ref;
        int index = r && r->table ? catalog_column_index(r->table, columns[i].name) : -1;
        struct scatter_item *item = add_item(p, columns[i].name);
        if (index >= 0)
            item->column = (struct scatter_column){ r, &r->table->columns[index] };
    }
    return MQ_OK;
}

static const struct node *bare(const struct node *n)
{
    while (n->kind == N_PAREN)
        n = n->child;
    return n;
}

static enum err_code add_expr(struct planner *p, const struct node *n)
{
    const struct node *alias = node_find(n, N_ALIAS), *expr = bare(n->child);
    struct slice name = alias && alias->child                  ? plan_name(p, alias)
                        : !alias && n->child->kind == N_COLUMN ? plan_name(p, n->child)
                                                               : slice_of("", 0);
    struct scatter_item *item = add_item(p, name);
    item->expr = expr;
    if (expr->kind == N_COLUMN)
        scatter_find_column(p, expr, &item->column);
    return MQ_OK;
}

enum err_code scatter_list(struct planner *p)
{
    enum err_code code = MQ_OK;
    const struct node *list = node_find(p->scatter->block, N_SELECT_LIST);
    for (const struct node *c = list->child; c && !code; c = c->next) {
        code = c->kind == N_STAR ? add_star(p, c) : add_expr(p, c);
        if (!code && p->scatter->recipe.shown > COLUMNS_MAX)
            code = scatter_refuse(p, "it shows more than %d columns, as many as servers do",
                                  COLUMNS_MAX);
    }
    return code;
}

/* ---- keys ---- */

enum err_code scatter_add_key(struct planner *p, uint32_t item, uint8_t compare, bool descending)
{
    struct scatter *x = p->scatter;
    const struct merge_key *keys = x->order.items;
    for (size_t i = 0; i < x->order.count; i++)
        if (keys[i].column == item)
            return MQ_OK;
    struct merge_key *key = vector_add(&x->order, p->arena, sizeof *key);
    *key = (struct merge_key){ .column = item, .compare = compare, .descending = descending };
    return MQ_OK;
}

enum err_code scatter_refuse_compare(struct planner *p, const char *clause, const struct node *expr)
{
    struct slice text = expr ? token_text(p->l, expr->first) : SLICE_LIT("*");
    return scatter_refuse(p,
                          "%s at `%.*s`: only integers, decimals and short texts of a _bin "
                          "collation are compared here as the servers do; name such columns",
                          clause, NAME_FORMAT(text));
}

/* ---- ORDER BY ---- */

static enum err_code order_key(struct planner *p, const struct node *item, bool distinct)
{
    struct scatter *x = p->scatter;
    const struct node *expr = bare(item->child);
    struct scatter_column column;
    int32_t shown;
    if (expr->kind == N_LITERAL)
        return scatter_refuse(p, "ORDER BY a number; name the column");
    if (expr->kind != N_COLUMN)
        return scatter_refuse_compare(p, "ORDER BY", expr);
    enum err_code code = scatter_resolve(p, expr, &shown, &column);
    if (code)
        return code;
    uint8_t compare = scatter_compare(p, &column);
    if (compare == COMPARE_NONE)
        return scatter_refuse_compare(p, "ORDER BY", expr);
    uint32_t place = scatter_place(p, &column);
    if (distinct && place >= x->recipe.shown)
        return scatter_refuse(p, "ORDER BY a column that SELECT DISTINCT does not show; add it");
    return scatter_add_key(p, place, compare, item->op == KW_DESC);
}

enum err_code scatter_order_by(struct planner *p, bool distinct)
{
    const struct node *order = node_find(p->scatter->query, N_ORDER_BY);
    enum err_code code = MQ_OK;
    for (const struct node *c = order ? order->child : NULL; c && !code; c = c->next)
        code = order_key(p, c, distinct);
    p->scatter->sorted = p->scatter->order.count;
    return code;
}

/* ---- DISTINCT ---- */

/* The counter repeats between tenants: two rows with one value are two messages. */
static bool has_stray_counter(struct scatter *x)
{
    bool counter = false, key = false;
    for (size_t i = 0; i < x->recipe.shown; i++) {
        counter |= scatter_is_counter(&scatter_item(x, i)->column);
        key |= scatter_is_partition_key(&scatter_item(x, i)->column);
    }
    return counter && !key;
}

enum err_code scatter_distinct(struct planner *p)
{
    struct scatter *x = p->scatter;
    if (has_stray_counter(x))
        return scatter_refuse(p, "DISTINCT would take messages of two tenants with one offset for "
                                 "one; add the partition_key");
    for (uint32_t i = 0; i < x->recipe.shown; i++) {
        const struct scatter_item *item = scatter_item(x, i);
        uint8_t compare = scatter_compare(p, &item->column);
        if (compare == COMPARE_NONE)
            return scatter_refuse_compare(p, "DISTINCT", item->expr);
        scatter_add_key(p, i, compare, false);
    }
    x->recipe.unique = x->order.count;
    return MQ_OK;
}

enum err_code scatter_rows(struct planner *p)
{
    struct scatter *x = p->scatter;
    bool distinct = x->block->flags & NODE_F_DISTINCT;
    x->limit_stays = true;
    enum err_code code = scatter_order_by(p, distinct);
    return !code && distinct ? scatter_distinct(p) : code;
}

/* ---- LIMIT ---- */

/* A part gives rows up to the last one that may be shown. */
static struct slice limit_text(struct planner *p)
{
    return p->scatter->limit_stays ? slice_cstr(arena_printf(p->arena, "LIMIT %c", EDIT_LIMIT))
                                   : slice_of("", 0);
}

enum err_code scatter_limit(struct planner *p)
{
    struct merge_recipe *m = &p->scatter->recipe;
    const struct node *limit = node_find(p->scatter->query, N_LIMIT);
    if (!limit)
        return MQ_OK;
    if (limit->op == KW_FETCH)
        return scatter_refuse(p, "FETCH; write LIMIT");
    struct value_ref first = plan_value(p, limit->child);
    struct value_ref second =
        limit->op ? plan_value(p, limit->child->next) : (struct value_ref){ .kind = VALUE_NONE };
    m->limited = true;
    m->most = limit->op == OP_COMMA ? second : first;
    m->skip = limit->op == OP_COMMA ? first : second;
    if (p->scatter->limit_stays && !limit->op)
        return MQ_OK;
    return scatter_cut(p, limit, limit_text(p));
}
