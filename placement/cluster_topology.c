#include "placement/cluster_topology.h"

#include "base/log.h"
#include "base/memory.h"
#include "config/string_list.h"
#include "config/vitess_split.h"
#include "placement/vitess_cluster.h"

/* Whether the names are key ranges that cover everything. */
static enum err_code check_names(const struct string_list *names, struct err *reterr)
{
    struct key_range *ranges = mem_array(names->count, sizeof *ranges);
    uint32_t *order = mem_array(names->count, sizeof *order);
    enum err_code code = MQ_OK;
    for (size_t i = 0; i < names->count && !code; i++)
        code = key_range_parse(slice_cstr(names->items[i]), &ranges[i], reterr);
    if (!code)
        code = key_ranges_check(ranges, (const char *const *)names->items, names->count, order,
                                reterr);
    mem_free(order);
    mem_free(ranges);
    return code;
}

static bool same_names(const struct string_list *a, const struct string_list *b)
{
    const char **sorted = string_list_sorted(a);
    bool same = a->count == b->count;
    for (size_t i = 0; i < b->count && same; i++)
        same = string_sorted_has(sorted, a->count, b->items[i]);
    mem_free(sorted);
    return same;
}

/* The cluster's list counts, so that a split of shards needs no change of the configuration. */
static enum err_code use_shards(struct config *config, struct string_list *shards,
                                struct err *reterr)
{
    struct string_list *configured = &config->vitess.shards;
    enum err_code code = check_names(shards, reterr);
    if (code)
        return code;
    if (configured->count && !same_names(configured, shards))
        log_warning("server", "vitess.shards is not what the cluster says, which is used");
    string_list_fini(configured);
    *configured = *shards;
    *shards = (struct string_list){ 0 };
    return MQ_OK;
}

/* Changes the configuration to what the cluster says, and hands over its VSchema. */
static enum err_code ask_cluster(struct config *config, enum cluster_view view,
                                 struct vschema **ret, struct err *reterr)
{
    struct vitess_cluster cluster = { 0 };
    struct catalog *catalog = catalog_create(config);
    enum err_code code = catalog_check(catalog, reterr);
    if (!code)
        code = vitess_cluster_read(config, catalog, &cluster, reterr);
    if (!code)
        code = use_shards(config, &cluster.shards, reterr);
    if (!code && view == CLUSTER_SHARDS)
        config_split_vitess(config, cluster.gate);
    if (!code) {
        *ret = cluster.vschema;
        cluster.vschema = NULL;
    }
    vitess_cluster_fini(&cluster);
    catalog_destroy(catalog);
    return code;
}

enum err_code cluster_topology_create(struct config *config, enum cluster_view view,
                                      struct topology **ret, struct err *reterr)
{
    struct vschema *cluster = NULL;
    enum err_code code =
        config_is_vitess(config) ? ask_cluster(config, view, &cluster, reterr) : MQ_OK;
    if (!code)
        return topology_create_beside(config, cluster, ret, reterr);
    config_destroy(config);
    return code;
}
