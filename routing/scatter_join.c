/* Joins of several tenants, where partition keys are qualified: equal keys are one tenant's, so a
 * row of a join whose references are all tied together by their keys is made of one tenant's rows,
 * which one shard has.
 *
 *   FROM o LEFT JOIN (SELECT topic, partition_key, MAX(x) … GROUP BY topic, partition_key) m
 *          ON o.topic = m.topic AND o.partition_key = m.partition_key
 *
 * The ties are those of qualified_values.c, from the first reference that no outer join can leave
 * out: whatever row is there has an equal key in each of its parts, and a row that an outer join
 * adds finds no partner on any shard, since it could only be the same tenant's. A group or a
 * DISTINCT row of a derived table is one tenant's if the key is part of it. */
#include "routing/scatter_int.h"

#include "routing/name_index.h"
#include "routing/qualified.h"

/* ---- whose key a column is ---- */

static struct slice item_name(struct planner *p, const struct node *item)
{
    const struct node *alias = node_find(item, N_ALIAS);
    bool named = alias || item->child->kind == N_COLUMN;
    return named ? plan_name(p, alias ? alias : item->child) : slice_of("", 0);
}

/* All tenants' NULLs are alike. */
bool scatter_is_sure_key(struct planner *p, const struct scope *s, const struct node *expr)
{
    const struct table_ref *r = expr->kind == N_COLUMN ? scatter_key(p, s, expr) : NULL;
    return r && !r->target;
}

static void index_items(struct planner *p, const struct shape *shape)
{
    for (const struct node *c = shape->list->child; c; c = c->next)
        if (c->kind != N_STAR)
            name_index_add(shape->items, p->arena, item_name(p, c), c);
}

/* Servers refuse two columns of one name. */
static bool query_shows_key(struct planner *p, const struct shape *shape, struct slice name)
{
    if (!shape->items->sorted)
        index_items(p, shape);
    const struct node *item = name.len ? name_index_find(shape->items, name) : NULL;
    return item && (!shape->united || item == shape->shared) &&
           scatter_is_sure_key(p, shape->scope, item->child);
}

bool scatter_shows_key(struct planner *p, const struct table_ref *r, const struct node *column)
{
    struct slice name = plan_name(p, column);
    if (!p->qualified)
        return false;
    if (r->table)
        return !r->wrapped && r->table->partition_key &&
               slice_ieq_cstr(name, r->table->partition_key);
    return r->shape && r->shape->list && !r->columns && query_shows_key(p, r->shape, name);
}

const struct table_ref *scatter_key(struct planner *p, const struct scope *s,
                                    const struct node *column)
{
    const struct table_ref *r = qualified_found(p, s, column);
    return r && scatter_shows_key(p, r, column) ? r : NULL;
}

/* ---- references ---- */

static enum err_code check_joined(struct planner *p, const struct scope *s,
                                  const struct table_ref *r)
{
    if (!p->qualified)
        return scatter_refuse(p, "rows of different tenants could meet in its join; join one "
                                 "tenant's tables at a time");
    if (s->merges)
        return scatter_refuse(p, "NATURAL and USING do not tell tenants apart; write ON");
    if (!r->tied)
        return scatter_refuse(p,
                              "rows of different tenants could meet in its join; set the partition "
                              "key of `%.*s` equal to another's, in the ON that binds it",
                              NAME_FORMAT(r->name));
    return MQ_OK;
}

static enum err_code check_ref(struct planner *p, const struct scope *s, const struct table_ref *r)
{
    bool alone = s->count == 1;
    if (!r->table && r->node->kind != N_DERIVED && !r->shape)
        return scatter_refuse(p, "`%.*s` is no queue table, and every shard would add its rows",
                              NAME_FORMAT(r->name));
    if (r->table && r->table->version && (!alone || p->inner || p->scatter->united))
        return scatter_refuse(p, "every tenant has a copy of %s; ask for it by itself",
                              r->table->name);
    return alone ? MQ_OK : check_joined(p, s, r);
}

enum err_code scatter_tables(struct planner *p, const struct scope *s)
{
    enum err_code code = MQ_OK;
    if (!s->count)
        code = scatter_refuse(p, "a query in it reads no table; every shard would add its rows");
    for (const struct table_ref *r = s->refs; r && !code; r = r->next)
        code = check_ref(p, s, r);
    return code;
}

/* ---- groups ---- */

static bool groups_by_key(struct planner *p, const struct scope *s, const struct node *group)
{
    for (const struct node *c = group->child; c; c = c->next)
        if (scatter_is_sure_key(p, s, c->kind == N_ORDER_ITEM ? c->child : c))
            return group->op != KW_ROLLUP;
    return false;
}

static bool lists_key(struct planner *p, const struct scope *s, const struct node *list)
{
    for (const struct node *c = list->child; c; c = c->next)
        if (c->kind != N_STAR && scatter_is_sure_key(p, s, c->child))
            return true;
    return false;
}

enum err_code scatter_check_groups(struct planner *p, const struct scope *s,
                                   const struct node *block, bool distinct)
{
    const struct node *group = node_find(block, N_GROUP_BY);
    const struct node *list = node_find(block, N_SELECT_LIST);
    bool grouped = group || node_find(block, N_HAVING) || scatter_has_aggregate(p, list);
    if (grouped && !(group && groups_by_key(p, s, group)))
        return scatter_refuse(p, "groups of a query in it would be of several tenants; add the "
                                 "partition key to its GROUP BY");
    if (distinct && block->flags & NODE_F_DISTINCT && !lists_key(p, s, list))
        return scatter_refuse(p, "DISTINCT rows of a query in it would be of several tenants; add "
                                 "the partition key to its columns");
    return MQ_OK;
}
