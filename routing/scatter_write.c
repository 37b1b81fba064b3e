/* Changes that name no tenant. Served are
 *
 *   INSERT … ON DUPLICATE KEY UPDATE, UPDATE and DELETE of a table of which every tenant has a
 *   copy: one statement for each tenant, and the largest count is the client's; a DELETE that does
 *   not name one row by its key may meet copies of rows that others lack, so its rows are counted
 *   before
 *
 *   DELETE of rows that are older than a value (stale leases), UPDATE and DELETE of the tables that
 *   `scatter_writes` names: one statement for each shard, whose counts add up
 *
 * They are not atomic over the shards. */
#include "routing/scatter_int.h"

static bool has_query(const struct node *n)
{
    if (n->kind == N_SUBQUERY)
        return true;
    for (const struct node *c = n->child; c; c = c->next)
        if (has_query(c))
            return true;
    return false;
}

/* Changes of several tables, or with rows of others. */
static enum err_code check_shape(struct planner *p, const struct node *root)
{
    const struct node *from = node_find(root, N_FROM);
    if (node_find(root, N_WITH) || node_find(root, N_TARGETS) || node_find(root, N_RETURNING) ||
        (from && (from->child->kind != N_TABLE || from->child->next)))
        return scatter_refuse(p, "a change of several tables or with RETURNING; change one table "
                                 "at a time");
    if (node_find(root, N_LIMIT))
        return scatter_refuse(p, "LIMIT would change so many rows of each tenant; leave it out");
    if (has_query(root))
        return scatter_refuse(p, "a sub-query in a change; ask for its rows first");
    return scatter_check_nodes(p, root);
}

static const struct catalog_table *changed_table(struct planner *p, const struct node *root)
{
    const struct node *from = node_find(root, N_FROM);
    const struct node *table = from ? from->child : node_find(root, N_TABLE);
    return table->kind == N_TABLE ? catalog_find(p->topology->catalog, plan_name(p, table->child))
                                  : NULL;
}

/* ---- rows that are old ---- */

static const struct node *bare(const struct node *n)
{
    while (n->kind == N_PAREN)
        n = n->child;
    return n;
}

/* column < value, value > column; also with = . */
static bool is_older(struct planner *p, const struct node *n, const char *column)
{
    const struct node *left = n->kind == N_COMPARE ? bare(n->child) : NULL;
    const struct node *right = left ? bare(n->child->next) : NULL;
    bool less = n->op == OP_LESS || n->op == OP_LESS_EQ;
    bool greater = n->op == OP_GREATER || n->op == OP_GREATER_EQ;
    const struct node *older = less ? left : right, *value = less ? right : left;
    return left && (less || greater) && older->kind == N_COLUMN &&
           slice_ieq_cstr(plan_name(p, older), column) &&
           (value->kind == N_LITERAL || value->kind == N_PARAM);
}

/* Is it a part of the condition that nothing can bypass? */
static bool asks_older(struct planner *p, const struct node *n, const char *column)
{
    if (n->kind == N_PAREN)
        return asks_older(p, n->child, column);
    if (n->kind == N_AND)
        return asks_older(p, n->child, column) || asks_older(p, n->child->next, column);
    return is_older(p, n, column);
}

static bool is_purge(struct planner *p, const struct node *root, const struct catalog_table *table)
{
    const struct node *where = node_find(root, N_WHERE);
    return root->kind == N_DELETE && table->aged_by && where &&
           asks_older(p, where->child, table->aged_by);
}

/* ---- tables that every tenant has a copy of ---- */

static bool names_tenant(struct planner *p, const struct node *n)
{
    if (n->kind == N_COLUMN && column_is_tenant(p, n))
        return true;
    for (const struct node *c = n->child; c; c = c->next)
        if (names_tenant(p, c))
            return true;
    return false;
}

/* No column but those of the legacy key, which all copies share. */
static bool is_of_key(struct planner *p, const struct node *n, const struct catalog_table *table)
{
    int index = n->kind == N_COLUMN ? catalog_column_index(table, plan_name(p, n)) : -1;
    if (n->kind == N_COLUMN)
        return index >= 0 && scatter_is_legacy_key(table, &table->columns[index]);
    for (const struct node *c = n->child; c; c = c->next)
        if (!is_of_key(p, c, table))
            return false;
    return true;
}

/* Does the condition hold for all copies of a row when it holds for the newest, and for none when
 * it does not? An older copy that a DELETE takes is no loss, one that it leaves would show. */
static bool fits_copies(struct planner *p, const struct node *n, const struct catalog_table *table,
                        bool deletes)
{
    if (n->kind == N_PAREN)
        return fits_copies(p, n->child, table, deletes);
    if (n->kind != N_AND)
        return is_of_key(p, n, table) || (deletes && is_older(p, n, table->version));
    for (const struct node *c = n->child; c; c = c->next)
        if (!fits_copies(p, c, table, deletes))
            return false;
    return true;
}

/* column = value, as a part that nothing can bypass. */
static bool binds(struct planner *p, const struct node *n, const char *column)
{
    if (n->kind == N_PAREN)
        return binds(p, n->child, column);
    if (n->kind == N_AND)
        return binds(p, n->child, column) || binds(p, n->child->next, column);
    const struct node *left = n->kind == N_COMPARE ? bare(n->child) : NULL;
    const struct node *right = left ? bare(n->child->next) : NULL;
    return left && n->op == OP_EQ && left->kind == N_COLUMN &&
           slice_ieq_cstr(plan_name(p, left), column) &&
           (right->kind == N_LITERAL || right->kind == N_PARAM);
}

static bool names_one(struct planner *p, const struct node *where, const struct catalog_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (scatter_is_legacy_key(table, &table->columns[i]) &&
            !(where && binds(p, where->child, table->columns[i].name)))
            return false;
    return true;
}

static void count_before(struct planner *p, const struct node *root,
                         const struct catalog_table *table)
{
    struct merge_recipe *m = &p->scatter->recipe;
    const struct node *from = node_find(root, N_FROM), *where = node_find(root, N_WHERE);
    m->counted = root->kind == N_DELETE && from && !names_one(p, where, table);
    m->counted_first = from ? from->first : 0;
    m->counted_last = where ? where->last : from ? from->last : 0;
}

static enum err_code replicated(struct planner *p, const struct node *root,
                                const struct catalog_table *table)
{
    const struct node *where = node_find(root, N_WHERE);
    p->scatter->recipe.kind = MERGE_COUNTS_MAX;
    count_before(p, root, table);
    if (names_tenant(p, root))
        return scatter_refuse(p, "each of them has a copy of the row, and it would change once for "
                                 "each in the list; leave `tenant` out");
    if (root->kind == N_INSERT &&
        (root->op != KW_INSERT || !node_find(root, N_ON_DUPLICATE) || node_find(root, N_QUERY)))
        return scatter_refuse(p,
                              "%s has a copy of the row for each tenant, and not all may lack it; "
                              "write INSERT … VALUES … ON DUPLICATE KEY UPDATE",
                              table->name);
    if (where && !fits_copies(p, where->child, table, root->kind == N_DELETE))
        return scatter_refuse(p,
                              "%s has a copy of the row for each tenant, and the condition may "
                              "hold for some of them only; name rows by their key, or delete those "
                              "whose %s is below a value",
                              table->name, table->version);
    return MQ_OK;
}

/* ---- the statement ---- */

static bool is_allowed(const struct planner *p, const struct catalog_table *table)
{
    const struct string_list *names = &p->topology->config->scatter_writes;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], table->name) == 0)
            return true;
    return false;
}

enum err_code scatter_write(struct planner *p, const struct node *root)
{
    const struct catalog_table *table = changed_table(p, root);
    bool copied = table && table->version;
    bool summed = table && !copied && root->kind != N_INSERT &&
                  (is_allowed(p, table) || is_purge(p, root, table));
    if (!copied && !summed)
        return scatter_missing(p, table, root->kind == N_INSERT ? "column list" : "WHERE clause");
    enum err_code code = check_shape(p, root);
    if (code)
        return code;
    p->scatter->recipe.kind = MERGE_COUNTS_SUM;
    return copied ? replicated(p, root, table) : MQ_OK;
}
