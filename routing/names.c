/* Which table a name means: a queue table of the keyspace, a query named by WITH, or a table
 * that is none of ours. Names compare as on a case-sensitive server; where another server
 * could read the name differently, the statement is refused. */
#include "routing/plan_int.h"

bool names_is_keyspace(const struct planner *p, struct slice database)
{
    return config_is_keyspace(p->topology->config, database);
}

void names_note_database(struct planner *p, struct slice name)
{
    const struct slice *known = p->databases.items;
    for (size_t i = 0; i < p->databases.count; i++)
        if (slice_eq(known[i], name))
            return;
    *(struct slice *)vector_add(&p->databases, p->arena, sizeof name) = name;
}

static bool is_system_schema(struct slice database)
{
    static const char *const names[] = { "information_schema", "performance_schema", "mysql",
                                         "sys" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(database, names[i]))
            return true;
    return false;
}

/* Behind a quoted name `.7a` begins a number; the name must be quoted, too. */
static enum err_code quote_digits(struct planner *p, const struct node *ident)
{
    char first = token_text(p->l, ident->first).data[0];
    if (first < '0' || first > '9')
        return MQ_OK;
    enum err_code code = plan_edit(p, EDIT_BEFORE, ident->first, ident->first, SLICE_LIT("`"));
    return code ? code : plan_edit(p, EDIT_AFTER, ident->first, ident->first, SLICE_LIT("`"));
}

static enum err_code replace_database(struct planner *p, const struct node *ident)
{
    static const char database[] = { EDIT_DATABASE, 0 };
    enum err_code code =
        plan_edit(p, EDIT_REPLACE, ident->first, ident->last, slice_cstr(database));
    for (const struct node *c = ident->next; c && c->kind == N_IDENT && !code; c = c->next)
        code = quote_digits(p, c);
    return code;
}

enum err_code names_database(struct planner *p, const struct node *ident)
{
    struct slice name = token_ident(p->l, ident->first, p->arena);
    if (names_is_keyspace(p, name)) {
        names_note_database(p, name);
        return replace_database(p, ident);
    }
    if (is_system_schema(name))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "%.*s is not served: it shows the shard, not the queue, and other tenants "
                      "with it",
                      NAME_FORMAT(name));
    return reject(p, MQ_DATABASE_UNKNOWN, "database %.*s is not %s, which this sidecar serves",
                  NAME_FORMAT(name), p->topology->config->keyspace);
}

static enum err_code find_query(struct planner *p, struct slice name, bool *ret_found)
{
    *ret_found = false;
    for (const struct cte_name *c = p->ctes; c; c = c->outer) {
        if (!slice_ieq(c->name, name))
            continue;
        if (c->doubtful || !slice_eq(c->name, name))
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "servers differ about whether %.*s means the query that WITH names; "
                          "give the query another name",
                          NAME_FORMAT(name));
        if (p->t->writes && catalog_find(p->topology->catalog, name))
            return reject(p, MQ_NOT_UNDERSTOOD,
                          "WITH names a query %.*s, like the queue table, in a statement that "
                          "writes; give the query another name",
                          NAME_FORMAT(name));
        *ret_found = true;
        return MQ_OK;
    }
    return MQ_OK;
}

const struct cte_name *names_query(const struct planner *p, struct slice name)
{
    const struct cte_name *c = p->ctes;
    while (!slice_ieq(c->name, name))
        c = c->outer;
    return c;
}

static void note_other(struct planner *p, struct slice name)
{
    if (!p->has_other)
        p->other_table = name;
    p->has_other = true;
}

/* A name with its database never means a query of WITH. */
static enum err_code resolve_bare(struct planner *p, const struct node *ident, struct slice name,
                                  enum name_meaning *ret_meaning)
{
    bool found;
    if (token_is_keyword(&p->l->tokens[ident->first], KW_DUAL)) {
        *ret_meaning = NAME_DUAL;
        return MQ_OK;
    }
    enum err_code code = find_query(p, name, &found);
    if (!code && found)
        *ret_meaning = NAME_QUERY;
    return code;
}

static bool is_process_list(const struct planner *p, const struct node *database, struct slice table)
{
    return slice_ieq_cstr(table, "PROCESSLIST") &&
           is_system_schema(token_ident(p->l, database->first, p->arena));
}

enum err_code names_resolve(struct planner *p, const struct node *name,
                            enum name_meaning *ret_meaning, const struct catalog_table **ret_table)
{
    const struct node *ident = plan_last_ident(name);
    struct slice table = plan_name(p, name);
    bool qualified = ident != name->child;
    *ret_table = NULL;
    *ret_meaning = NAME_OTHER_TABLE;
    if (qualified && is_process_list(p, name->child, table))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "%.*s.%.*s would show the shard's sessions; SHOW PROCESSLIST shows those of "
                      "this sidecar",
                      NAME_FORMAT(token_ident(p->l, name->child->first, p->arena)),
                      NAME_FORMAT(table));
    enum err_code code =
        qualified ? names_database(p, name->child) : resolve_bare(p, ident, table, ret_meaning);
    if (code || *ret_meaning != NAME_OTHER_TABLE)
        return code;
    p->t->needs_database |= !qualified;
    *ret_table = catalog_find(p->topology->catalog, table);
    if (*ret_table)
        *ret_meaning = NAME_QUEUE_TABLE;
    else
        note_other(p, table);
    if (!*ret_table)
        p->reads_other = true;
    if (!*ret_table && qualified)
        p->names_permanent = true;
    else if (!*ret_table)
        temporary_note(p, table);
    return MQ_OK;
}

enum err_code names_queue_table(struct planner *p, const struct node *name,
                                const struct catalog_table **ret_table)
{
    enum name_meaning meaning;
    enum err_code code = names_resolve(p, name, &meaning, ret_table);
    if (code || meaning == NAME_QUEUE_TABLE)
        return code;
    if (meaning != NAME_OTHER_TABLE)
        note_other(p, plan_name(p, name));
    p->names_permanent = true; /* a temporary one will not do */
    return plan_settle(p);
}

void names_count(struct planner *p, const struct catalog_table *table, const char *clause)
{
    if (p->t->table)
        return;
    p->t->table = table;
    p->t->clause = clause;
}
