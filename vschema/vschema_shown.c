#define _GNU_SOURCE
#include "vschema/vschema_shown.h"

#include "vschema/vschema_int.h"

struct vschema *vschema_create_shown(bool sharded, size_t tables)
{
    struct vschema *v = vschema_create();
    v->sharded = sharded;
    v->vindexes = arena_array(&v->arena, struct vindex, tables);
    v->tables = arena_array(&v->arena, struct vschema_table, tables);
    return v;
}

/* --- a row --------------------------------------------------------------------------- */

/* Takes what stands before the separator, or all, off the front; false at the end, which has no
 * data. */
static bool next_item(struct slice *rest, struct slice separator, struct slice *ret)
{
    if (!rest->data)
        return false;
    const char *end = separator.len <= rest->len
                          ? memmem(rest->data, rest->len, separator.data, separator.len)
                          : NULL;
    size_t len = end ? (size_t)(end - rest->data) : rest->len;
    *ret = slice_of(rest->data, len);
    *rest =
        end ? slice_of(end + separator.len, rest->len - len - separator.len) : (struct slice){ 0 };
    return true;
}

static void split_columns(struct arena *arena, struct slice columns, struct column_vindex *ret)
{
    struct slice separator = SLICE_LIT(", "), rest, column;
    if (!columns.data)
        columns = SLICE_LIT("");
    rest = columns;
    while (next_item(&rest, separator, &column))
        ret->column_count++;
    ret->columns = arena_array(arena, const char *, ret->column_count);
    rest = columns;
    for (size_t i = 0; next_item(&rest, separator, &column); i++)
        ret->columns[i] = arena_copy(arena, column).data;
}

/* The field of a lookup's param; NULL when mqgate has no use for it. */
static const char **param_field(struct vindex *v, struct slice name)
{
    return slice_eq(name, SLICE_LIT("table"))        ? &v->lookup.table
           : slice_eq(name, SLICE_LIT("from"))       ? &v->lookup.from
           : slice_eq(name, SLICE_LIT("to"))         ? &v->lookup.to
           : slice_eq(name, SLICE_LIT("read_lock"))  ? &v->lookup.read_lock
           : slice_eq(name, SLICE_LIT("write_only")) ? &v->lookup.write_only
                                                     : NULL;
}

/* Values are not quoted: one that contains the separator may look like a further param, which is
 * then there twice. */
static enum err_code read_params(struct arena *arena, struct slice params, struct vindex *v,
                                 struct err *reterr)
{
    static const char absent[] = "";
    struct slice item, name;
    v->lookup.table = v->lookup.from = v->lookup.to = absent;
    v->lookup.read_lock = v->lookup.write_only = absent;
    while (next_item(&params, SLICE_LIT("; "), &item)) {
        struct slice value = item;
        next_item(&value, SLICE_LIT("="), &name);
        const char **field = param_field(v, name);
        if (field && *field != absent)
            return err_set(reterr, MQ_VSCHEMA_CLUSTER, "vindex %s has the param %.*s twice",
                           v->name, (int)name.len, name.data);
        if (field)
            *field = arena_copy(arena, value).data;
    }
    return MQ_OK;
}

static enum err_code read_vindex(struct arena *arena, const struct vindex_shown *shown,
                                 const char *table, struct vindex *ret, struct err *reterr)
{
    ret->name = arena_copy(arena, shown->name).data;
    ret->owner = "";
    ret->type = vindex_known(shown->type);
    if (!ret->type)
        return vindex_refuse_type(MQ_VSCHEMA_CLUSTER, ret->name, table,
                                  arena_copy(arena, shown->type).data, reterr);
    return read_params(arena, shown->params, ret, reterr);
}

enum err_code vschema_add_shown(struct vschema *v, const char *table,
                                const struct vindex_shown *primary, struct err *reterr)
{
    struct vschema_table *t = &v->tables[v->table_count++];
    t->name = arena_copy(&v->arena, slice_cstr(table)).data;
    t->type = "";
    if (!primary)
        return MQ_OK;
    struct vindex *vindex = &v->vindexes[v->vindex_count++];
    t->column_vindexes = arena_new(&v->arena, struct column_vindex);
    t->column_vindex_count = 1;
    t->column_vindexes->vindex = vindex;
    split_columns(&v->arena, primary->columns, t->column_vindexes);
    return read_vindex(&v->arena, primary, table, vindex, reterr);
}

/* --- the check ----------------------------------------------------------------------- */

/* While a transaction is open, vtgate locks what it looks up for a write, at first on one
 * connection and then, for an INSERT, on another, which waits for the first. */
static enum err_code check_reading(const struct vindex *v, struct err *reterr)
{
    if (strcmp(v->lookup.read_lock, "none") != 0)
        return err_set(reterr, MQ_VSCHEMA_CLUSTER,
                       "vindex %s locks the tenant's row for each write of a transaction, which "
                       "then waits for itself or for others; give it the param read_lock: none",
                       v->name);
    if (strcmp(v->lookup.write_only, "true") == 0)
        return err_set(reterr, MQ_VSCHEMA_CLUSTER,
                       "vindex %s is write_only, so vtgate asks every shard; take the param away",
                       v->name);
    return MQ_OK;
}

static const struct vindex *primary_of(const struct vschema *v, const char *table)
{
    return vschema_table_find(v, table)->column_vindexes[0].vindex;
}

/* Both have been checked, so each table has a primary vindex. */
static enum err_code check_table(const struct vschema *cluster, const struct vschema *configured,
                                 const char *table, struct err *reterr)
{
    const struct vindex *there = primary_of(cluster, table);
    const struct vindex *here = configured ? primary_of(configured, table) : there;
    if (there->type != here->type)
        return err_set(reterr, MQ_VSCHEMA_CLUSTER,
                       "table %s is sharded by %s in the cluster, but by %s in keyspace.vschema",
                       table, there->type->name, here->type->name);
    return there->type->is_lookup ? check_reading(there, reterr) : MQ_OK;
}

enum err_code vschema_check_shown(const struct vschema *cluster, const struct vschema *configured,
                                  const struct catalog *catalog,
                                  const struct vindex_table_config *lookup_table,
                                  const struct vindex_type **ret_vindex, struct err *reterr)
{
    struct err err;
    if (vschema_check(cluster, catalog, lookup_table, ret_vindex, &err) != MQ_OK)
        return err_set(reterr, MQ_VSCHEMA_CLUSTER, "%s", err.text);
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < catalog->table_count && code == MQ_OK; i++)
        code = check_table(cluster, configured, catalog->tables[i]->name, reterr);
    return code;
}
