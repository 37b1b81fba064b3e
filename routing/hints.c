/* Index hints name the legacy table's indexes. A hint changes no result, only its cost: one
 * whose index has a counterpart under the tenant is mapped, others are dropped. None may take
 * the keys away that lead with the tenant, or name the one that does not: a locking statement
 * would then lock the rows of every tenant of its shard. */
#include "routing/plan_int.h"

static const struct catalog_key *find_key(const struct catalog_key *keys, size_t count,
                                          struct slice name)
{
    for (size_t i = 0; i < count; i++)
        if (slice_ieq_cstr(name, keys[i].name ? keys[i].name : "PRIMARY"))
            return &keys[i];
    return NULL;
}

/* The tenant key with the same columns behind the tenant. */
static const struct catalog_key *counterpart(const struct catalog_table *t,
                                             const struct catalog_key *legacy)
{
    static const char lead[] = "tenant, ";
    for (size_t i = 0; i < t->tenant_key_count; i++) {
        const char *columns = t->tenant_keys[i].columns;
        if (strncmp(columns, lead, sizeof lead - 1) == 0 &&
            strcmp(columns + sizeof lead - 1, legacy->columns) == 0)
            return &t->tenant_keys[i];
    }
    return NULL;
}

/* Appends what becomes of one index; *ret_same stays true when that is the index itself. */
static enum err_code map_index(struct planner *p, const struct catalog_table *t,
                               const struct node *ident, struct text *out, bool *ret_same)
{
    struct slice name = token_ident(p->l, ident->first, p->arena);
    const struct catalog_key *legacy = find_key(t->legacy_keys, t->legacy_key_count, name);
    if (!legacy)
        return reject(p, MQ_INDEX_UNKNOWN, "Key '%.*s' doesn't exist in table '%s'",
                      NAME_FORMAT(name), t->name);
    const struct catalog_key *key = counterpart(t, legacy);
    if (!key) {
        *ret_same = false;
        return MQ_OK;
    }
    struct slice mapped = slice_cstr(key->name ? key->name : "PRIMARY");
    if (out->len)
        text_add(out, ", ");
    text_ident(out, mapped);
    *ret_same &= slice_ieq(mapped, name);
    return MQ_OK;
}

static enum err_code map_hint(struct planner *p, const struct catalog_table *t,
                              const struct node *hint)
{
    struct text names = { .arena = p->arena };
    const struct node *last = plan_last_ident(hint);
    bool same = true;
    if (token_is_op(&p->l->tokens[hint->first - 1], OP_COMMA))
        return reject(p, MQ_NOT_UNDERSTOOD, "a comma between index hints; leave it out");
    for (const struct node *c = hint->child; c; c = c->next) {
        enum err_code code = map_index(p, t, c, &names, &same);
        if (code)
            return code;
    }
    if (!names.len || hint->op == KW_IGNORE) /* USE INDEX () uses none */
        return plan_edit(p, EDIT_REPLACE, hint->first, hint->last, slice_of("", 0));
    if (same)
        return MQ_OK;
    return plan_edit(p, EDIT_REPLACE, hint->child->first, last->last, text_slice(&names));
}

enum err_code hints_visit(struct planner *p, const struct catalog_table *table,
                          const struct node *table_node)
{
    if (node_find(table_node, N_PARTITION))
        return reject(p, MQ_PARTITION_UNKNOWN, "PARTITION () clause on non partitioned table %s",
                      table->name);
    for (const struct node *c = table_node->child; c; c = c->next) {
        enum err_code code = c->kind == N_INDEX_HINT ? map_hint(p, table, c) : MQ_OK;
        if (code)
            return code;
    }
    return MQ_OK;
}
