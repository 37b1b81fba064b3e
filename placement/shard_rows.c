#include "placement/shard_rows.h"

enum { TENANTS_PER_QUERY = 500 };

/* One batch of a walk. The tenants are kept, since the callee may ask the shard as well. */
struct batch {
    struct buf names; /* each with a NUL behind it */
    size_t count;
};

static bool keep_name(void *context, const struct slice *columns, unsigned count)
{
    struct batch *b = context;
    if (count != 1 || !columns[0].data)
        return true;
    buf_append_slice(&b->names, columns[0]);
    buf_append_byte(&b->names, 0);
    b->count++;
    return true;
}

/* The tenant leads the primary key, so that the server can jump from one to the next. */
static enum err_code read_batch(struct database *d, const char *table, struct slice after,
                                struct batch *b, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    buf_clear(&b->names);
    b->count = 0;
    buf_append_cstr(&sql, "SELECT DISTINCT tenant FROM ");
    database_quote_name(table, &sql);
    buf_append_cstr(&sql, " WHERE tenant > ");
    database_quote(d, after, &sql);
    buf_printf(&sql, " ORDER BY tenant LIMIT %d", TENANTS_PER_QUERY);
    struct err err;
    enum err_code code = database_select(d, buf_slice(&sql), keep_name, b, &err);
    buf_fini(&sql);
    if (code == MQ_OK || database_table_missing(d))
        return MQ_OK;
    return err_set(reterr, code, "%s", err.text);
}

/* Hands over the batch; *last becomes its last tenant. */
static bool visit(struct batch *b, shard_tenant_seen *seen, void *context, struct buf *last)
{
    bool more = true;
    const char *name = (const char *)buf_begin(&b->names);
    for (size_t i = 0; i < b->count && more; i++, name += strlen(name) + 1) {
        buf_clear(last);
        buf_append_cstr(last, name);
        more = seen(context, slice_cstr(name));
    }
    return more;
}

enum err_code shard_rows_tenants(struct database *d, const char *table, shard_tenant_seen *seen,
                                 void *context, struct err *reterr)
{
    struct batch b = { .count = TENANTS_PER_QUERY };
    struct buf last;
    enum err_code code = MQ_OK;
    bool more = true;
    buf_init(&b.names);
    buf_init(&last);
    while (!code && more && b.count == TENANTS_PER_QUERY) {
        code = read_batch(d, table, buf_slice(&last), &b, reterr);
        if (!code)
            more = visit(&b, seen, context, &last);
    }
    buf_fini(&last);
    buf_fini(&b.names);
    return code;
}

static bool keep_key(void *context, const struct slice *columns, unsigned count)
{
    if (count == 1 && columns[0].data)
        buf_append_slice(context, columns[0]);
    return true;
}

enum err_code shard_rows_find_key(struct database *d, const char *table, struct slice tenant,
                                  struct slice separator, struct buf *ret_key, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    buf_clear(ret_key);
    buf_append_cstr(&sql, "SELECT partition_key FROM ");
    database_quote_name(table, &sql);
    buf_append_cstr(&sql, " WHERE tenant = ");
    database_quote(d, tenant, &sql);
    buf_append_cstr(&sql, " AND LOCATE(");
    database_quote(d, separator, &sql);
    buf_append_cstr(&sql, ", partition_key) > 0 LIMIT 1");
    enum err_code code = database_select(d, buf_slice(&sql), keep_key, ret_key, reterr);
    buf_fini(&sql);
    return code;
}
