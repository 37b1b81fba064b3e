/* Whether a shard holds rows of a tenant. */
#ifndef MQ_PLACEMENT_OCCUPANCY_H
#define MQ_PLACEMENT_OCCUPANCY_H

#include "vschema/topology.h"

/* *ret_table receives the name of the first queue table of the shard that holds a row of the
 * tenant (the catalogue's), or NULL. Blocking. Fails with MQ_SHARD_DOWN when the shard cannot
 * be asked. */
enum err_code occupancy_find(const struct topology *topology, uint32_t shard, struct slice tenant,
                             const char **ret_table, struct err *reterr);

#endif
