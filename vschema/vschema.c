#include "vschema/vschema_int.h"

#include "base/check.h"
#include "base/memory.h"

static const char tenant_column[] = "tenant";

struct vschema *vschema_create(void)
{
    struct vschema *v = mem_new(struct vschema);
    arena_init(&v->arena);
    return v;
}

void vschema_destroy(struct vschema *v)
{
    if (!v)
        return;
    arena_fini(&v->arena);
    mem_free(v);
}

const struct vschema_table *vschema_table_find(const struct vschema *v, const char *name)
{
    for (size_t i = 0; i < v->table_count; i++)
        if (strcmp(v->tables[i].name, name) == 0)
            return &v->tables[i];
    return NULL;
}

struct vschema *vschema_default(const struct catalog *catalog)
{
    struct buf json;
    struct vschema *v = NULL;
    buf_init(&json);
    vschema_write(catalog, NULL, &json);
    enum err_code code = vschema_parse(buf_slice(&json), "", &v, NULL);
    CHECK(code == MQ_OK);
    (void)code;
    buf_fini(&json);
    return v;
}

enum err_code vindex_refuse_type(enum err_code code, const char *vindex, const char *table,
                                 const char *type, struct err *reterr)
{
    struct buf served;
    buf_init(&served);
    vindex_print_served(&served);
    err_set(reterr, code, "vindex %s of table %s has the type %.64s; served are %s", vindex, table,
            type, buf_cstr(&served));
    buf_fini(&served);
    return code;
}

/* The vindex that maps the table's tenants. */
static enum err_code primary_vindex(const struct vschema *v, const char *table,
                                    const struct vindex **ret, struct err *reterr)
{
    const struct vschema_table *t = vschema_table_find(v, table);
    if (!t)
        return err_set(reterr, MQ_VSCHEMA_INVALID, "table %s is not in the VSchema", table);
    if (*t->type || t->pinned || t->column_vindex_count == 0)
        return err_set(reterr, MQ_VSCHEMA_INVALID,
                       "table %s is %s; a queue table is sharded by tenant", table,
                       t->pinned  ? "pinned"
                       : *t->type ? t->type
                                  : "not sharded");
    const struct column_vindex *primary = &t->column_vindexes[0];
    if (primary->column_count != 1 ||
        !slice_ieq_cstr(slice_cstr(primary->columns[0]), tenant_column))
        return err_set(reterr, MQ_VSCHEMA_INVALID,
                       "the primary vindex of table %s is on %s%s; it must be on tenant alone",
                       table, primary->columns[0], primary->column_count > 1 ? ", …" : "");
    const struct vindex *vindex = *ret = primary->vindex;
    return vindex_is_served(vindex->type) ? MQ_OK
                                          : vindex_refuse_type(MQ_VSCHEMA_INVALID, vindex->name,
                                                               table, vindex->type->name, reterr);
}

enum err_code vschema_check(const struct vschema *v, const struct catalog *catalog,
                            const struct vindex_table_config *lookup_table,
                            const struct vindex_type **ret_vindex, struct err *reterr)
{
    const struct vindex *first = NULL, *vindex = NULL;
    if (!v->sharded)
        return err_set(reterr, MQ_VSCHEMA_INVALID,
                       "the keyspace is not sharded; `sharded: true` is missing");
    for (size_t i = 0; i < catalog->table_count; i++) {
        const char *table = catalog->tables[i]->name;
        enum err_code code = primary_vindex(v, table, &vindex, reterr);
        if (code == MQ_OK && vindex->type->is_lookup)
            code = lookup_check(vindex, lookup_table, reterr);
        if (code != MQ_OK)
            return code;
        if (first && first->type != vindex->type)
            return err_set(reterr, MQ_VSCHEMA_INVALID,
                           "table %s is sharded by %s but table %s by %s", table,
                           vindex->type->name, catalog->tables[0]->name, first->type->name);
        if (!first)
            first = vindex;
    }
    *ret_vindex = first->type;
    return MQ_OK;
}
