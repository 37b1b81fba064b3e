/* Connections of the command line to a shard. Blocking. */
#ifndef MQ_PLACEMENT_SHARD_DATABASE_H
#define MQ_PLACEMENT_SHARD_DATABASE_H

#include "placement/database.h"
#include "vschema/topology.h"

/* As the backend of the first account. Fails, as does what is then asked, with MQ_SHARD_DOWN. */
enum err_code shard_database_open(const struct topology *topology, uint32_t shard,
                                  struct database **ret, struct err *reterr);

#endif
