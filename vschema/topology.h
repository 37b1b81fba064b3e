/* What does not change between reloads: configuration, catalogue, VSchema, shards. One
 * reference-counted object, so that a worker holds all of it with one pointer. */
#ifndef MQ_VSCHEMA_TOPOLOGY_H
#define MQ_VSCHEMA_TOPOLOGY_H

#include "vschema/tenants.h"
#include "vschema/vschema.h"

struct shard {
    const struct shard_config *config; /* name, address, database */
    struct key_range range;
};

struct topology {
    struct config *config;            /* owned */
    struct catalog *catalog;          /* owned */
    struct vschema *vschema;          /* owned; NULL: the cluster's */
    struct vschema *cluster_vschema;  /* owned; NULL: not asked */
    const struct vindex_type *vindex; /* primary vindex of the queue tables */
    struct shard *shards; /* as in the configuration, then the unsharded keyspace's server */
    uint32_t shard_count; /* without it */
    bool has_unsharded;
    struct key_range *ranges; /* of the shards, for key_ranges_find */
    uint32_t *shard_order;    /* by key range */
    struct key_range *vitess_ranges; /* the same of Vitess' own shards, as far as they are named */
    uint32_t *vitess_order;
    uint32_t references;      /* private, atomic */
};

/* Takes the configuration (also on failure) and reads the VSchema file. Fails with
 * MQ_VSCHEMA_INVALID, MQ_SHARDS_INCOMPLETE, MQ_CONFIG_UNREADABLE. */
enum err_code topology_create(struct config *config, struct topology **ret, struct err *reterr);
/* The same beside the VSchema of a Vitess cluster, which is taken as well: it is used where no file
 * is configured; one that is has to agree with it, else MQ_VSCHEMA_CLUSTER. */
enum err_code topology_create_beside(struct config *config, struct vschema *cluster,
                                     struct topology **ret, struct err *reterr);
struct topology *topology_acquire(struct topology *t); /* thread-safe */
void topology_release(struct topology *t);

/* The number of the unsharded keyspace's server among the shards; only if there is one. */
static inline uint32_t topology_unsharded(const struct topology *t)
{
    return t->shard_count;
}
/* Servers that statements are sent to: the shards, and that one. */
static inline uint32_t topology_server_count(const struct topology *t)
{
    return t->shard_count + t->has_unsharded;
}

/* The shard that owns the id. */
uint32_t topology_shard_of(const struct topology *t, const struct keyspace_id *id);
/* What the shard that owns the id is called: of vtgates Vitess' own, if it is named. */
const char *topology_shard_name(const struct topology *t, uint32_t shard,
                                const struct keyspace_id *id);
/* Whether the vindex function can place a tenant on the shard at all: `binary` uses the first
 * half of the ids only, since tenants are ASCII. */
bool topology_shard_in_reach(const struct topology *t, uint32_t shard);
/* The shard of a name; -1 when there is none. */
int topology_shard_find(const struct topology *t, struct slice name);
/* Without a vindex table: the function places every listed tenant. Fails with
 * MQ_TENANTS_EMPTY, MQ_TENANT_INVALID or MQ_VINDEX_NO_SHARD. */
enum err_code topology_hash_tenants(const struct topology *t, struct tenant_map **ret,
                                    struct err *reterr);

#endif
