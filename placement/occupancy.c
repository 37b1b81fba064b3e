#include "placement/occupancy.h"

#include "placement/shard_database.h"

static bool on_row(void *context, const struct slice *columns, unsigned count)
{
    (void)columns;
    (void)count;
    *(bool *)context = true;
    return true;
}

/* A table that the shard lacks holds nothing. */
static enum err_code look(struct database *d, const char *table, struct slice tenant,
                          bool *ret_holds, struct err *reterr)
{
    *ret_holds = false;
    struct buf sql;
    buf_init(&sql);
    buf_append_cstr(&sql, "SELECT 1 FROM ");
    database_quote_name(table, &sql);
    buf_append_cstr(&sql, " WHERE tenant = ");
    database_quote(d, tenant, &sql);
    buf_append_cstr(&sql, " LIMIT 1");
    enum err_code code = database_select(d, buf_slice(&sql), on_row, ret_holds, reterr);
    if (code && database_table_missing(d))
        code = MQ_OK;
    buf_fini(&sql);
    return code;
}

enum err_code occupancy_find(const struct topology *topology, uint32_t shard, struct slice tenant,
                             const char **ret_table, struct err *reterr)
{
    struct database *d;
    *ret_table = NULL;
    enum err_code code = shard_database_open(topology, shard, &d, reterr);
    if (code)
        return code;
    const struct catalog *catalog = topology->catalog;
    for (size_t i = 0; !code && !*ret_table && i < catalog->table_count; i++) {
        bool holds;
        code = look(d, catalog->tables[i]->name, tenant, &holds, reterr);
        if (holds)
            *ret_table = catalog->tables[i]->name;
    }
    database_close(d);
    return code;
}
