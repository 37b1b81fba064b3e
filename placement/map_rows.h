/* Rows of the tenant vindex table made into maps: a `base` map says which tenants are known
 * before any row is (those listed, none of them placed; or nobody, if the table itself is
 * the list), and changes are laid over it or over a later map. */
#ifndef MQ_PLACEMENT_MAP_ROWS_H
#define MQ_PLACEMENT_MAP_ROWS_H

#include "placement/vindex_table.h"

/* The base of a topology. */
struct tenant_map *map_base(const struct topology *topology);

/* Rows being gathered. */
struct row_set {
    const struct topology *topology; /* says which shard owns an id */
    const struct tenant_map *base;
    struct tenant_map_builder *builder;
    size_t count; /* rows that concern this sidecar */
};

void row_set_init(struct row_set *s, const struct topology *topology,
                  const struct tenant_map *base);
void row_set_fini(struct row_set *s);
/* A vindex_row_seen; the context is the row set. Rows of tenants that are not listed are
 * left out; a row that names no shard or is a tombstone leaves its tenant unplaced. */
bool row_set_add(void *context, const struct vindex_row *row);
/* All placed tenants of a map, their shards found anew. */
void row_set_add_map(struct row_set *s, const struct tenant_map *map);

/* A new map: `under` with the set's rows over it. The set is empty afterwards. */
struct tenant_map *map_overlay(const struct tenant_map *under, struct row_set *s,
                               uint64_t confirmed_ms, uint64_t version);

#endif
