/* The unique lookup vindexes: what the VSchema says of their table must be what the configuration
 * says of the tenant vindex table, since vtgate and mqgate would else read different ones. */
#include "vschema/vschema_int.h"

static enum err_code refuse(const struct vindex *v, const char *param, struct slice value,
                            const char *want, struct err *reterr)
{
    if (value.len == 0)
        return err_set(reterr, MQ_VSCHEMA_INVALID, "vindex %s lacks the param %s, which must be %s",
                       v->name, param, want);
    return err_set(reterr, MQ_VSCHEMA_INVALID, "the param %s of vindex %s is %.*s; it must be %s",
                   param, v->name, (int)(value.len > 64 ? 64 : value.len), value.data, want);
}

/* "table", or "keyspace.table" where the keyspace is the table's database. */
static bool names_table(struct slice name, const struct vindex_table_config *table)
{
    size_t database = strlen(table->database);
    if (name.len > database && name.data[database] == '.' &&
        memcmp(name.data, table->database, database) == 0)
        name = slice_of(name.data + database + 1, name.len - database - 1);
    return slice_eq(name, slice_cstr(table->table));
}

static enum err_code check_table(const struct vindex *v, const struct vindex_table_config *table,
                                 struct err *reterr)
{
    struct slice name = slice_cstr(v->lookup.table);
    if (names_table(name, table))
        return MQ_OK;
    struct buf want;
    buf_init(&want);
    buf_printf(&want, "%s.%s", table->database, table->table);
    enum err_code code = refuse(v, "table", name, buf_cstr(&want), reterr);
    buf_fini(&want);
    return code;
}

enum err_code lookup_check(const struct vindex *v, const struct vindex_table_config *table,
                           struct err *reterr)
{
    if (!table || !table->configured)
        return err_set(reterr, MQ_VSCHEMA_INVALID,
                       "the vindex type %s needs the section tenant_vindex of the configuration",
                       v->type->name);
    if (strcmp(v->lookup.from, "tenant") != 0)
        return refuse(v, "from", slice_cstr(v->lookup.from), "tenant", reterr);
    if (strcmp(v->lookup.to, "keyspace_id") != 0)
        return refuse(v, "to", slice_cstr(v->lookup.to), "keyspace_id", reterr);
    return check_table(v, table, reterr);
}
