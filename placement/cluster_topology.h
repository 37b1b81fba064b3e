/* A topology of a configuration and, with `backend: vitess`, of what its cluster says. Blocking. */
#ifndef MQ_PLACEMENT_CLUSTER_TOPOLOGY_H
#define MQ_PLACEMENT_CLUSTER_TOPOLOGY_H

#include "vschema/topology.h"

enum cluster_view {
    CLUSTER_GATES, /* as it is served: the vtgates are one shard */
    CLUSTER_SHARDS /* for tools that ask each of Vitess' shards, by config_split_vitess */
};

/* topology_create, and what it fails with; with `backend: vitess` also what vitess_cluster_read
 * fails with. The cluster's own list of shards takes the place of the configured one. */
enum err_code cluster_topology_create(struct config *config, enum cluster_view view,
                                      struct topology **ret, struct err *reterr);

#endif
