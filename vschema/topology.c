#include "vschema/topology.h"

#include "base/check.h"
#include "base/memory.h"
#include "config/file.h"
#include "config/suggest.h"
#include "vschema/vschema_shown.h"

enum { VSCHEMA_FILE_MAX = 64 << 20 };

static void topology_destroy(struct topology *t)
{
    mem_free(t->shards);
    mem_free(t->ranges);
    mem_free(t->shard_order);
    mem_free(t->vitess_ranges);
    mem_free(t->vitess_order);
    vschema_destroy(t->vschema);
    vschema_destroy(t->cluster_vschema);
    catalog_destroy(t->catalog);
    config_destroy(t->config);
    mem_free(t);
}

/* What a VSchema of the whole cluster says about the other keyspace. */
static enum err_code check_unsharded(const struct topology *t, struct slice json,
                                     struct err *reterr)
{
    const struct unsharded_config *unsharded = &t->config->unsharded;
    return unsharded->configured
               ? vschema_check_unsharded(json, unsharded->server.name, t->catalog, reterr)
               : MQ_OK;
}

static enum err_code read_vschema(struct topology *t, struct err *reterr)
{
    const char *path = t->config->vschema_path;
    if (!path) {
        t->vschema = t->cluster_vschema ? NULL : vschema_default(t->catalog);
        return MQ_OK;
    }
    struct err err = { 0 };
    struct buf json;
    buf_init(&json);
    enum err_code code = file_read(path, VSCHEMA_FILE_MAX, &json, &err);
    if (code != MQ_OK)
        err_set(reterr, code, "%s %s", path, err.text);
    else if ((code = vschema_parse(buf_slice(&json), t->config->keyspace, &t->vschema, &err)) ||
             (code = check_unsharded(t, buf_slice(&json), &err)))
        err_set(reterr, code, "%s: %s", path, err.text);
    buf_fini(&json);
    return code;
}

static enum err_code check_cluster(struct topology *t, struct err *reterr)
{
    struct err err;
    enum err_code code = vschema_check_shown(t->cluster_vschema, t->vschema, t->catalog,
                                             &t->config->vindex_table, &t->vindex, &err);
    return code ? err_set(reterr, code, "the cluster's VSchema: %s", err.text) : MQ_OK;
}

static enum err_code settle_vschema(struct topology *t, struct err *reterr)
{
    enum err_code code = read_vschema(t, reterr);
    if (code == MQ_OK && t->vschema)
        code = vschema_check(t->vschema, t->catalog, &t->config->vindex_table, &t->vindex, reterr);
    return code == MQ_OK && t->cluster_vschema ? check_cluster(t, reterr) : code;
}

/* Reads the ranges and their order. They have to cover everything. */
static enum err_code read_ranges(const char *const *names, uint32_t count, struct key_range *ranges,
                                 uint32_t *order, struct err *reterr)
{
    enum err_code code = MQ_OK;
    for (uint32_t i = 0; i < count && !code; i++)
        code = key_range_parse(slice_cstr(names[i]), &ranges[i], reterr);
    return code ? code : key_ranges_check(ranges, names, count, order, reterr);
}

static void add_servers(struct topology *t)
{
    t->shard_count = (uint32_t)t->config->shard_count;
    t->has_unsharded = t->config->unsharded.configured;
    t->shards = mem_array(topology_server_count(t), sizeof *t->shards);
    for (uint32_t i = 0; i < t->shard_count; i++)
        t->shards[i].config = &t->config->shards[i];
    if (t->has_unsharded)
        t->shards[topology_unsharded(t)].config = &t->config->unsharded.server;
}

/* vtgates serve all of the keyspace. */
static const char *range_name(const struct topology *t, uint32_t shard)
{
    return config_is_vitess(t->config) ? "-" : t->shards[shard].config->name;
}

static enum err_code build_shards(struct topology *t, struct err *reterr)
{
    add_servers(t);
    const char **names = mem_array(t->shard_count, sizeof *names);
    t->ranges = mem_array(t->shard_count, sizeof *t->ranges);
    t->shard_order = mem_array(t->shard_count, sizeof *t->shard_order);
    for (uint32_t i = 0; i < t->shard_count; i++)
        names[i] = range_name(t, i);
    enum err_code code = read_ranges(names, t->shard_count, t->ranges, t->shard_order, reterr);
    for (uint32_t i = 0; i < t->shard_count && !code; i++)
        t->shards[i].range = t->ranges[i];
    mem_free(names);
    return code;
}

static enum err_code read_vitess_shards(struct topology *t, struct err *reterr)
{
    const struct string_list *shards = &t->config->vitess.shards;
    if (!shards->count)
        return MQ_OK;
    t->vitess_ranges = mem_array(shards->count, sizeof *t->vitess_ranges);
    t->vitess_order = mem_array(shards->count, sizeof *t->vitess_order);
    return read_ranges((const char *const *)shards->items, (uint32_t)shards->count,
                       t->vitess_ranges, t->vitess_order, reterr);
}

/* A table's name that is misspelt would leave out the table that was meant. */
static enum err_code check_scatter_writes(const struct topology *t, struct err *reterr)
{
    const struct string_list *names = &t->config->scatter_writes;
    for (size_t i = 0; i < names->count; i++) {
        struct suggestion meant;
        bool found = false;
        suggest_init(&meant, names->items[i]);
        for (size_t k = 0; k < t->catalog->table_count; k++) {
            found |= strcmp(names->items[i], t->catalog->tables[k]->name) == 0;
            suggest_offer(&meant, t->catalog->tables[k]->name);
        }
        if (!found)
            return err_set(reterr, MQ_CONFIG_INVALID, "scatter_writes: %s is no queue table%s%s%s",
                           names->items[i], meant.best ? " (did you mean " : "",
                           meant.best ? meant.best : "", meant.best ? "?)" : "");
    }
    return MQ_OK;
}

enum err_code topology_create(struct config *config, struct topology **ret, struct err *reterr)
{
    return topology_create_beside(config, NULL, ret, reterr);
}

enum err_code topology_create_beside(struct config *config, struct vschema *cluster,
                                     struct topology **ret, struct err *reterr)
{
    struct topology *t = mem_new(struct topology);
    t->config = config;
    t->cluster_vschema = cluster;
    t->references = 1;
    t->catalog = catalog_create(config);
    enum err_code code = catalog_check(t->catalog, reterr);
    if (code == MQ_OK)
        code = check_scatter_writes(t, reterr);
    if (code == MQ_OK)
        code = settle_vschema(t, reterr);
    if (code == MQ_OK)
        code = build_shards(t, reterr);
    if (code == MQ_OK)
        code = read_vitess_shards(t, reterr);
    if (code == MQ_OK)
        *ret = t;
    else
        topology_destroy(t);
    return code;
}

struct topology *topology_acquire(struct topology *t)
{
    __atomic_fetch_add(&t->references, 1, __ATOMIC_RELAXED);
    return t;
}

void topology_release(struct topology *t)
{
    if (t && __atomic_fetch_sub(&t->references, 1, __ATOMIC_ACQ_REL) == 1)
        topology_destroy(t);
}

uint32_t topology_shard_of(const struct topology *t, const struct keyspace_id *id)
{
    return key_ranges_find(t->ranges, t->shard_order, t->shard_count, id);
}

const char *topology_shard_name(const struct topology *t, uint32_t shard,
                                const struct keyspace_id *id)
{
    const struct string_list *own = &t->config->vitess.shards;
    return t->vitess_ranges ? own->items[key_ranges_find(t->vitess_ranges, t->vitess_order,
                                                         (uint32_t)own->count, id)]
                            : t->shards[shard].config->name;
}

bool topology_shard_in_reach(const struct topology *t, uint32_t shard)
{
    const struct key_range *range = &t->shards[shard].range;
    struct key_range reach = { 0 };
    enum err_code code = key_range_parse(slice_cstr(t->vindex->reach), &reach, NULL);
    CHECK(code == MQ_OK);
    (void)code;
    return (reach.end.len == 0 || keyspace_id_cmp(&range->start, &reach.end) < 0) &&
           (range->end.len == 0 || keyspace_id_cmp(&reach.start, &range->end) < 0);
}

int topology_shard_find(const struct topology *t, struct slice name)
{
    for (uint32_t i = 0; i < t->shard_count; i++)
        if (slice_ieq_cstr(name, t->shards[i].config->name))
            return (int)i;
    return -1;
}

static enum err_code hash_tenant(const struct topology *t, struct slice name,
                                 struct tenant_map_builder *b, struct err *reterr)
{
    struct keyspace_id id;
    enum err_code code = tenant_check(name, reterr);
    if (code != MQ_OK)
        return code;
    if (!t->vindex->map || !t->vindex->map(name, &id))
        return err_set(reterr, MQ_VINDEX_NO_SHARD,
                       "the vindex %s maps the tenant '%.*s' to no keyspace id of 1 to %d bytes",
                       t->vindex->name, (int)name.len, name.data, KEYSPACE_ID_MAX);
    tenant_map_builder_add(b, name, &id, topology_shard_of(t, &id), TENANT_SERVING, 0);
    return MQ_OK;
}

enum err_code topology_hash_tenants(const struct topology *t, struct tenant_map **ret,
                                    struct err *reterr)
{
    const struct string_list *tenants = &t->config->tenants;
    const struct err_info *empty = err_info(MQ_TENANTS_EMPTY);
    if (tenants->count == 0)
        return err_set(reterr, MQ_TENANTS_EMPTY, "%s %s", empty->summary, empty->remedy);
    struct tenant_map_builder *b = tenant_map_builder_create();
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < tenants->count && code == MQ_OK; i++)
        code = hash_tenant(t, slice_cstr(tenants->items[i]), b, reterr);
    if (code == MQ_OK)
        *ret = tenant_map_build(b, UINT64_MAX, 0);
    tenant_map_builder_destroy(b);
    return code;
}
