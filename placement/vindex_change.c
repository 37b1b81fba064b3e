/* Changes to the tenant vindex table: one transaction each, which first takes the next
 * version and so holds the counter's lock until it ends. */
#include "placement/vindex_table.h"

#include "placement/vindex_table_int.h"

struct change {
    struct vindex_table *table;
    struct slice tenant;
    uint64_t version; /* of this change */
    struct buf sql;   /* scratch */
    bool exists;      /* a row that is no tombstone was found: */
    struct keyspace_id id;
    enum tenant_state state;
};

static bool on_found(void *context, const struct slice *columns, unsigned count)
{
    struct change *c = context;
    struct vindex_row row;
    if (vindex_row_parse(columns, count, &row) && !row.tombstone) {
        c->exists = true;
        c->id = row.id;
        c->state = row.state;
    }
    return true;
}

static enum err_code find_row(struct change *c, struct err *reterr)
{
    buf_printf(&c->sql, "SELECT tenant, keyspace_id, state, version FROM %s WHERE tenant = ",
               c->table->name);
    database_quote(c->table->database, c->tenant, &c->sql);
    buf_append_cstr(&c->sql, " FOR UPDATE");
    enum err_code code =
        database_select(c->table->database, buf_slice(&c->sql), on_found, c, reterr);
    buf_clear(&c->sql);
    return code;
}

/* Opens the transaction and finds out what the table says of the tenant. */
static enum err_code change_begin(struct change *c, struct vindex_table *t, struct slice tenant,
                                  struct err *reterr)
{
    *c = (struct change){ .table = t, .tenant = tenant };
    buf_init(&c->sql);
    enum err_code code = tenant_check(tenant, reterr);
    if (!code)
        code = database_run(t->database, SLICE_LIT("START TRANSACTION"), NULL, reterr);
    if (!code)
        code = vindex_take_version(t, &c->version, reterr);
    if (!code)
        code = find_row(c, reterr);
    return code;
}

static enum err_code write_row(struct change *c, const struct keyspace_id *id, const char *state,
                               struct err *reterr)
{
    vindex_replace_begin(c->table, &c->sql);
    vindex_replace_row(c->table, c->tenant, id, state, c->version, &c->sql);
    return vindex_table_run(c->table, &c->sql, NULL, reterr);
}

/* Commits what went well and takes back what did not. */
static enum err_code change_end(struct change *c, enum err_code code, struct err *reterr)
{
    if (!code)
        code = database_run(c->table->database, SLICE_LIT("COMMIT"), NULL, reterr);
    else
        database_run(c->table->database, SLICE_LIT("ROLLBACK"), NULL, NULL);
    buf_fini(&c->sql);
    return code;
}

static enum err_code check_not_moving(const struct change *c, struct err *reterr)
{
    if (!c->exists)
        return err_set(reterr, MQ_TENANT_UNPLACED, "\"%.*s\" is not in %s", (int)c->tenant.len,
                       c->tenant.data, c->table->name);
    if (c->state == TENANT_PREPARING || c->state == TENANT_MOVING)
        return err_set(reterr, MQ_USAGE, "\"%.*s\" is being moved (state %s)", (int)c->tenant.len,
                       c->tenant.data, tenant_state_name(c->state));
    return MQ_OK;
}

enum err_code vindex_table_add(struct vindex_table *t, struct slice tenant,
                               const struct keyspace_id *id, struct err *reterr)
{
    struct change c;
    enum err_code code = change_begin(&c, t, tenant, reterr);
    if (!code && c.exists)
        code = err_set(reterr, MQ_USAGE, "\"%.*s\" is in %s already (state %s)", (int)tenant.len,
                       tenant.data, t->name, tenant_state_name(c.state));
    if (!code)
        code = write_row(&c, id, tenant_state_name(TENANT_SERVING), reterr);
    return change_end(&c, code, reterr);
}

enum err_code vindex_table_place(struct vindex_table *t, struct slice tenant,
                                 const struct keyspace_id *id, struct err *reterr)
{
    struct change c;
    enum err_code code = change_begin(&c, t, tenant, reterr);
    if (!code)
        code = check_not_moving(&c, reterr);
    if (!code)
        code = write_row(&c, id, tenant_state_name(TENANT_SERVING), reterr);
    return change_end(&c, code, reterr);
}

enum err_code vindex_table_retire(struct vindex_table *t, struct slice tenant, struct err *reterr)
{
    struct change c;
    enum err_code code = change_begin(&c, t, tenant, reterr);
    if (!code)
        code = check_not_moving(&c, reterr);
    if (!code)
        code = write_row(&c, &c.id, tenant_state_name(TENANT_RETIRED), reterr);
    return change_end(&c, code, reterr);
}

enum err_code vindex_table_remove(struct vindex_table *t, struct slice tenant, struct err *reterr)
{
    struct change c;
    enum err_code code = change_begin(&c, t, tenant, reterr);
    if (!code)
        code = check_not_moving(&c, reterr);
    if (!code && c.state != TENANT_RETIRED)
        code = err_set(reterr, MQ_USAGE, "\"%.*s\" is %s; retire it first", (int)tenant.len,
                       tenant.data, tenant_state_name(c.state));
    if (!code)
        code = write_row(&c, &c.id, STATE_REMOVED, reterr);
    return change_end(&c, code, reterr);
}
