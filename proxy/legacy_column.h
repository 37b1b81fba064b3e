/* What a server with the legacy schema tells of a queue table's column in its definition. */
#ifndef MQ_PROXY_LEGACY_COLUMN_H
#define MQ_PROXY_LEGACY_COLUMN_H

#include "routing/plan.h"
#include "wire/response.h"

/* Makes the definition that a shard gave of the key's expression that of the table's column. False
 * where it cannot be: the definition stays as it is. */
bool legacy_key_define(const struct result_key *key, struct slice database,
                       enum flavour flavour, struct column_def *column);
/* Of any column: the keys that it is part of are those of the legacy table. False: nothing changes. */
bool legacy_column_flags(const struct catalog *catalog, struct column_def *column);

#endif
