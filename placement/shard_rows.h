/* What a shard's queue tables hold, for `mqgate tenants check`: which tenants have rows, and keys
 * that could be read two ways. Blocking; each query is of bounded size. */
#ifndef MQ_PLACEMENT_SHARD_ROWS_H
#define MQ_PLACEMENT_SHARD_ROWS_H

#include "placement/database.h"

/* Return false to stop. The tenant is valid during the call only. */
typedef bool shard_tenant_seen(void *context, struct slice tenant);

/* Every tenant that has rows in the table, in order of their names. A table that the shard lacks
 * has none. */
enum err_code shard_rows_tenants(struct database *d, const char *table, shard_tenant_seen *seen,
                                 void *context, struct err *reterr);
/* *ret_key becomes a partition key of the tenant that contains the separator, or empty. */
enum err_code shard_rows_find_key(struct database *d, const char *table, struct slice tenant,
                                  struct slice separator, struct buf *ret_key, struct err *reterr);

#endif
