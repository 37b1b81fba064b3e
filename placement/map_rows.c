#include "placement/map_rows.h"

#include "base/log.h"

struct tenant_map *map_base(const struct topology *topology)
{
    const struct config *config = topology->config;
    struct tenant_map_builder *b = tenant_map_builder_create();
    if (config->tenants_mode == TENANTS_LIST)
        for (size_t i = 0; i < config->tenants.count; i++)
            tenant_map_builder_add(b, slice_cstr(config->tenants.items[i]), NULL, 0, TENANT_SERVING,
                                   0);
    struct tenant_map *base = tenant_map_build(b, 0, 0);
    tenant_map_builder_destroy(b);
    return base;
}

void row_set_init(struct row_set *s, const struct topology *topology, const struct tenant_map *base)
{
    *s = (struct row_set){ .topology = topology, .base = base };
    s->builder = tenant_map_builder_create();
}

void row_set_fini(struct row_set *s)
{
    tenant_map_builder_destroy(s->builder);
    s->builder = NULL;
}

static bool is_list(const struct topology *topology)
{
    return topology->config->tenants_mode == TENANTS_LIST;
}

static bool concerns_us(const struct row_set *s, struct slice tenant)
{
    if (is_list(s->topology))
        return tenant_map_find(s->base, tenant) != NULL;
    if (tenant_check(tenant, NULL) == MQ_OK)
        return true;
    log_warning("placement", "the tenant vindex table names a tenant that is not allowed");
    return false;
}

/* Where the table is the list, a tenant that it no longer places is gone. */
bool row_set_add(void *context, const struct vindex_row *row)
{
    struct row_set *s = context;
    if (!concerns_us(s, row->tenant))
        return true;
    bool placed = !row->tombstone && row->id.len > 0;
    uint32_t shard = placed ? topology_shard_of(s->topology, &row->id) : 0;
    if (placed || is_list(s->topology))
        tenant_map_builder_add(s->builder, row->tenant, placed ? &row->id : NULL, shard, row->state,
                               row->version);
    else
        tenant_map_builder_remove(s->builder, row->tenant);
    s->count++;
    return true;
}

void row_set_add_map(struct row_set *s, const struct tenant_map *map)
{
    for (size_t i = 0; i < tenant_map_count(map); i++) {
        const struct tenant *t = tenant_map_at(map, i);
        if (!t->placed)
            continue;
        struct vindex_row row = { .tenant = tenant_name(t),
                                  .id = tenant_id(t),
                                  .state = (enum tenant_state)t->state,
                                  .version = t->version };
        row_set_add(s, &row);
    }
}

struct tenant_map *map_overlay(const struct tenant_map *under, struct row_set *s,
                               uint64_t confirmed_ms, uint64_t version)
{
    s->count = 0;
    return tenant_map_change(under, s->builder, confirmed_ms, version);
}
