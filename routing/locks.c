/* Statements that lock rows lock those that they walk over. The index that AUTO_INCREMENT needs
 * does not begin with the tenant: by it, `ORDER BY offset LIMIT 5 FOR UPDATE` would lock the
 * rows of every tenant of its shard. So the servers are told to leave it alone where its first
 * column is mentioned, unless the conditions say what that equals, or what all do that the
 * primary key has in front of its last. Whatever a change reads it locks as well, in INSERT …
 * SELECT and in sub-queries. */
#include "routing/claim.h"

enum { HINTS_SINCE = 80020 }; /* MySQL's NO_INDEX */

static bool is_shared(const struct catalog_key *key)
{
    struct slice rest = slice_cstr(key->columns), first;
    return catalog_key_next(&rest, &first) && !slice_ieq_cstr(first, "tenant");
}

/* All of the primary key's columns but the last one are bound, so no index is more narrow. */
static bool binds_primary(struct planner *p, struct scope *s, const struct table_ref *ref)
{
    for (size_t i = 0; i < ref->table->tenant_key_count; i++) {
        const struct catalog_key *key = &ref->table->tenant_keys[i];
        struct slice rest = slice_cstr(key->columns), column, next;
        if (key->name || !catalog_key_next(&rest, &column))
            continue;
        while (catalog_key_next(&rest, &next)) {
            if (!slice_ieq_cstr(column, "tenant") && !claim_binds(p, s, ref, column))
                return false;
            column = next;
        }
        return true;
    }
    return false;
}

/* What was looked up once in the whole statement, which may lock in many places. */
struct mention {
    const struct catalog_key *key;
    bool found;
};

/* By its name, or by what may stand for it: `*` (with ORDER BY 1), TABLE, NATURAL. */
static bool find_mention(const struct planner *p, struct slice column)
{
    for (uint32_t i = 0; i < p->l->count; i++) {
        const struct token *t = &p->l->tokens[i];
        if (token_is_op(t, OP_STAR) || token_is_keyword(t, KW_TABLE) ||
            token_is_keyword(t, KW_NATURAL))
            return true;
        if ((t->kind == TOKEN_IDENT || t->kind == TOKEN_QUOTED) &&
            slice_ieq(token_ident(p->l, i, p->arena), column))
            return true;
    }
    return false;
}

static bool is_mentioned(struct planner *p, const struct catalog_key *key, struct slice column)
{
    const struct mention *known = p->mentions.items;
    for (size_t i = 0; i < p->mentions.count; i++)
        if (known[i].key == key)
            return known[i].found;
    struct mention *m = vector_add(&p->mentions, p->arena, sizeof *m);
    *m = (struct mention){ .key = key, .found = find_mention(p, column) };
    return m->found;
}

static const struct catalog_key *index_to_avoid(struct planner *p, struct scope *s,
                                                const struct table_ref *ref)
{
    for (size_t i = 0; i < ref->table->tenant_key_count; i++) {
        const struct catalog_key *key = &ref->table->tenant_keys[i];
        struct slice rest = slice_cstr(key->columns), first;
        if (!is_shared(key) || !key->name || !catalog_key_next(&rest, &first))
            continue;
        bool harmless =
            !is_mentioned(p, key, first) || claim_binds(p, s, ref, first) || binds_primary(p, s, ref);
        return harmless ? NULL : key;
    }
    return NULL;
}

enum err_code locks_table(struct planner *p, struct scope *s, const struct table_ref *r)
{
    bool reads_lock = p->locked || p->t->writes;
    const struct catalog_key *key = reads_lock && r->table ? index_to_avoid(p, s, r) : NULL;
    struct text t = { .arena = p->arena };
    if (!key)
        return MQ_OK;
    text_add(&t, " IGNORE INDEX (");
    text_ident(&t, slice_cstr(key->name));
    text_add(&t, ")");
    return plan_edit(p, EDIT_AFTER, r->node->last, r->node->last, text_slice(&t));
}

enum err_code locks_scope(struct planner *p, struct scope *s)
{
    enum err_code code = MQ_OK;
    for (const struct table_ref *r = s->refs; r && !code; r = r->next)
        code = r->wrapped ? MQ_OK : locks_table(p, s, r);
    return code;
}

enum err_code locks_delete(struct planner *p, struct scope *s, const struct node *statement)
{
    const struct table_ref *r = s->refs;
    const struct catalog_key *key = r && r->table ? index_to_avoid(p, s, r) : NULL;
    struct text t = { .arena = p->arena };
    uint32_t verb = statement->first;
    if (!key || p->dialect->flavour != FLAVOUR_MYSQL || p->dialect->version_min < HINTS_SINCE)
        return MQ_OK;
    while (!token_is_keyword(&p->l->tokens[verb], KW_DELETE))
        verb++; /* behind WITH */
    text_add(&t, " /*+ NO_INDEX(");
    text_ident(&t, r->name);
    text_add(&t, " ");
    text_ident(&t, slice_cstr(key->name));
    text_add(&t, ") */");
    return plan_edit(p, EDIT_AFTER, verb, verb, text_slice(&t));
}
