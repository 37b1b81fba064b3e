/* The legacy tables' DDL. CREATE TABLE is compared with the catalogue and becomes the tenant
 * schema's on every shard; DROP TABLE and TRUNCATE are for administrators. */
#include "routing/ddl.h"

#include "base/memory.h"

/* Replaces the whole statement by the tenant schema's DDL. */
static enum err_code replace_statement(struct planner *p, const struct node *create,
                                       const struct catalog_table *table, bool qualified)
{
    struct buf ddl;
    buf_init(&ddl);
    catalog_tenant_ddl(table, p->t->if_exists, &ddl);
    struct slice text = arena_copy(p->arena, buf_slice(&ddl));
    buf_fini(&ddl);
    size_t name = (size_t)((const char *)memchr(text.data, '`', text.len) - text.data);
    const char *database = qualified ? (const char[]){ EDIT_DATABASE, '.', 0 } : "";
    char *whole =
        arena_printf(p->arena, "%.*s%s%s", (int)name, text.data, database, text.data + name);
    return plan_edit(p, EDIT_REPLACE, create->first, create->last, slice_cstr(whole));
}

static enum err_code check_kind(struct planner *p, const struct node *create,
                                const struct catalog_table *table)
{
    const struct node *options = node_find(create, N_TABLE_OPTIONS);
    if (!p->topology->config->allow_create_table)
        return reject(p, MQ_STATEMENT_NOT_ALLOWED,
                      "CREATE TABLE is switched off by `allow_create_table`");
    if (options && (options->op == KW_SELECT || options->op == KW_LIKE))
        return reject(p, MQ_STATEMENT_NOT_ALLOWED, "CREATE TABLE %s … %s is not served",
                      table->name, keyword_text((enum keyword)options->op));
    return MQ_OK;
}

enum err_code ddl_create(struct planner *p, const struct node *create)
{
    if (create->flags & NODE_F_TEMPORARY)
        return temporary_create(p, create);
    const struct node *name = node_find(create, N_TABLE)->child;
    const struct catalog_table *table;
    size_t splices = p->edits.count;
    enum err_code code = names_queue_table(p, name, &table);
    if (!code)
        code = check_kind(p, create, table);
    if (!code)
        code = ddl_compare(p, create, table);
    if (code)
        return code;
    p->edits.count = splices; /* the name goes with the statement */
    names_count(p, table, "definition");
    p->t->if_exists = create->flags & NODE_F_IF_EXISTS;
    p->t->writes = p->t->implicit_commit = true;
    p->t->verdict = VERDICT_EVERY_SHARD;
    return replace_statement(p, create, table, name->child->next != NULL);
}

enum err_code ddl_drop(struct planner *p, const struct node *drop)
{
    if (drop->flags & NODE_F_TEMPORARY)
        return temporary_drop(p, drop);
    for (const struct node *c = drop->child; c; c = c->next) {
        const struct catalog_table *table;
        enum err_code code = names_queue_table(p, c->child, &table);
        if (code)
            return code;
        names_count(p, table, "definition");
    }
    p->t->if_exists = drop->flags & NODE_F_IF_EXISTS;
    p->t->writes = p->t->implicit_commit = p->t->needs_administrator = true;
    p->t->verdict = VERDICT_EVERY_SHARD;
    return MQ_OK;
}

/* The table is other tenants' as well: TRUNCATE deletes the rows of one. */
enum err_code ddl_truncate(struct planner *p, const struct node *truncate)
{
    const struct node *name = truncate->child->child;
    const struct catalog_table *table;
    enum err_code code = names_queue_table(p, name, &table);
    if (code)
        return code;
    names_count(p, table, "text");
    p->t->writes = p->t->needs_administrator = true;
    char *where = arena_printf(p->arena, " WHERE tenant = %c", EDIT_TENANT);
    code = plan_edit(p, EDIT_REPLACE, truncate->first, name->first - 1, SLICE_LIT("DELETE FROM"));
    if (!code)
        code = plan_edit(p, EDIT_AFTER, name->last, name->last, slice_cstr(where));
    return code ? code : plan_settle(p);
}
