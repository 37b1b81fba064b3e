/* What the verbs of `mqgate tenants` read, and the two that do nothing else: list and where. */
#include "cli/tenants.h"

#include <stdio.h>

#include "cli/commands.h"

bool tenants_is_listed(const struct tenants *s, struct slice name)
{
    return s->topology->config->tenants_mode == TENANTS_TABLE || tenant_map_find(s->listed, name);
}

bool tenants_check_names(const struct tenants *s)
{
    const struct arguments *names = &s->options->names;
    struct err err;
    for (int i = 0; i < names->count; i++)
        if (tenant_check(slice_cstr(names->items[i]), &err) != MQ_OK) {
            fprintf(stderr, "mqgate tenants: \"%s\": %s\n", names->items[i], err.text);
            return false;
        }
    return true;
}

/* --- the table ----------------------------------------------------------------------- */

struct reading {
    struct tenants *session;
    struct tenant_map_builder *builder;
};

static bool add_row(void *context, const struct vindex_row *row)
{
    struct reading *r = context;
    if (!row->tombstone)
        tenant_map_builder_add(r->builder, row->tenant, &row->id,
                               topology_shard_of(r->session->topology, &row->id), row->state,
                               row->version);
    return true;
}

enum err_code tenants_read_map(struct tenants *s, struct tenant_map **ret, struct err *reterr)
{
    if (!s->table)
        return topology_hash_tenants(s->topology, ret, reterr);
    struct reading r = { .session = s, .builder = tenant_map_builder_create() };
    const struct string_list *listed = &s->topology->config->tenants;
    for (size_t i = 0; i < listed->count; i++)
        tenant_map_builder_add(r.builder, slice_cstr(listed->items[i]), NULL, 0, TENANT_SERVING, 0);
    uint64_t version;
    enum err_code code = vindex_table_read(s->table, 0, add_row, &r, &version, reterr);
    if (!code)
        *ret = tenant_map_build(r.builder, 0, version);
    tenant_map_builder_destroy(r.builder);
    return code;
}

static bool keep_row(void *context, const struct vindex_row *row)
{
    *(struct vindex_row *)context = *row;
    return true;
}

enum err_code tenants_find_row(struct tenants *s, const char *name, struct vindex_row *ret,
                               struct err *reterr)
{
    char *names[] = { (char *)name };
    struct string_list list = { .items = names, .count = 1 };
    uint64_t version;
    *ret = (struct vindex_row){ .tombstone = true };
    enum err_code code =
        vindex_table_read_tenants(s->table, &list, keep_row, ret, &version, reterr);
    if (!code && ret->tombstone)
        code = err_set(reterr, MQ_TENANT_UNPLACED, "\"%s\" has no row", name);
    return code;
}

/* --- list ---------------------------------------------------------------------------- */

static void print_tenant(struct tenants *s, const struct tenant *t)
{
    struct tenants_line l = { .tenant = t->name, .shard = -1, .version = t->version };
    l.state = t->placed ? tenant_state_name((enum tenant_state)t->state) : "unplaced";
    if (t->placed) {
        l.shard = (int)t->shard;
        l.id = tenant_id(t);
    }
    tenants_print(s, &l);
}

int tenants_list(struct tenants *s)
{
    struct tenant_map *map;
    struct err err;
    if (tenants_read_map(s, &map, &err) != MQ_OK)
        return tenants_complain(&err);
    tenants_print_head(s, s->table ? "STATE      VERSION" : "STATE");
    for (size_t i = 0; i < tenant_map_count(map); i++)
        print_tenant(s, tenant_map_at(map, i));
    tenant_map_release(map);
    return EXIT_DONE;
}

/* --- where --------------------------------------------------------------------------- */

static enum err_code find_by_function(struct tenants *s, struct slice name,
                                      struct tenants_line *ret, struct err *reterr)
{
    const struct vindex_type *vindex = s->topology->vindex;
    ret->source = vindex->name;
    ret->state = "serving";
    return vindex->map(name, &ret->id)
               ? MQ_OK
               : err_set(reterr, MQ_VINDEX_NO_SHARD, "%s(\"%.*s\") has no value", vindex->name,
                         (int)name.len, name.data);
}

static enum err_code find_in_table(struct tenants *s, const char *name, struct tenants_line *ret,
                                   struct err *reterr)
{
    struct vindex_row row;
    enum err_code code = tenants_find_row(s, name, &row, reterr);
    ret->source = "table";
    ret->id = row.id;
    ret->version = row.version;
    ret->state = tenant_state_name(row.state);
    return code;
}

static enum err_code where_one(struct tenants *s, const char *name, struct err *reterr)
{
    struct tenants_line l = { .tenant = name };
    enum err_code code = s->table ? find_in_table(s, name, &l, reterr)
                                  : find_by_function(s, slice_cstr(name), &l, reterr);
    if (code)
        return code;
    l.shard = (int)topology_shard_of(s->topology, &l.id);
    if (!tenants_is_listed(s, slice_cstr(name)))
        l.state = "unlisted";
    tenants_print(s, &l);
    return MQ_OK;
}

int tenants_where(struct tenants *s)
{
    struct err err;
    int status = EXIT_DONE;
    if (!tenants_check_names(s))
        return EXIT_USAGE;
    tenants_print_head(s, s->table ? "STATE      VERSION SOURCE" : "STATE      SOURCE");
    for (int i = 0; i < s->options->names.count; i++)
        if (where_one(s, s->options->names.items[i], &err) != MQ_OK)
            status = tenants_complain(&err);
    return status;
}
