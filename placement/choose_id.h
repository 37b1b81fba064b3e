/* The keyspace id that a tenant is given when it is placed: by the vindex function, on a
 * chosen shard, or as told. */
#ifndef MQ_PLACEMENT_CHOOSE_ID_H
#define MQ_PLACEMENT_CHOOSE_ID_H

#include "vschema/topology.h"

/* By the function of the VSchema (xxhash if that is a lookup), so that a table starts out
 * equal to it. Fails with MQ_VINDEX_NO_SHARD. */
enum err_code choose_id(const struct topology *topology, struct slice tenant,
                        struct keyspace_id *ret, struct err *reterr);
/* The function's id if the shard owns it, else one that is spread over the shard's range, so
 * that a later split of the shard divides its tenants. Fails with MQ_USAGE when there is no
 * such shard. */
enum err_code choose_id_on_shard(const struct topology *topology, struct slice tenant,
                                 struct slice shard, struct keyspace_id *ret, struct err *reterr);

#endif
