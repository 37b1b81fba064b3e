/* What every change to the tenant vindex table writes: its version, and its rows. */
#include "placement/vindex_table_int.h"

static enum err_code bump_counter(struct vindex_table *t, uint64_t *ret_changed, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, "UPDATE %s SET version = LAST_INSERT_ID(version + 1) WHERE tenant = ''",
               t->name);
    enum err_code code = vindex_table_run(t, &sql, ret_changed, reterr);
    buf_fini(&sql);
    return code;
}

/* A table that was made by hand gets its counter with the first change. */
enum err_code vindex_take_version(struct vindex_table *t, uint64_t *ret, struct err *reterr)
{
    uint64_t changed = 0;
    enum err_code code = bump_counter(t, &changed, reterr);
    if (!code && changed == 0) {
        code = vindex_table_add_counter(t, reterr);
        if (!code)
            code = bump_counter(t, &changed, reterr);
    }
    if (!code && changed != 1)
        code = err_set(reterr, MQ_VINDEX_TABLE_UNAVAILABLE, "%s has no counter row", t->name);
    *ret = database_insert_id(t->database);
    return code;
}

void vindex_replace_begin(const struct vindex_table *t, struct buf *out)
{
    buf_printf(out, "REPLACE INTO %s (tenant, keyspace_id, state, version) VALUES ", t->name);
}

void vindex_replace_row(struct vindex_table *t, struct slice tenant, const struct keyspace_id *id,
                        const char *state, uint64_t version, struct buf *out)
{
    buf_append_byte(out, '(');
    database_quote(t->database, tenant, out);
    buf_append_byte(out, ',');
    database_quote_bytes(slice_of(id->bytes, id->len), out);
    buf_printf(out, ",'%s',%llu)", state, (unsigned long long)version);
}
