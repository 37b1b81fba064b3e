/* A shard's error in the words that the legacy schema would have had. */
#ifndef MQ_ROUTING_LEGACY_ERROR_H
#define MQ_ROUTING_LEGACY_ERROR_H

#include "base/buf.h"
#include "vschema/catalog.h"

enum { ERROR_DUPLICATE_ENTRY = 1062 };

/* The message of a duplicate key without the tenant and with the columns in the legacy key's
 * order: "Duplicate entry 'acme-t-p-g' for key 'queue_offsets.PRIMARY'" becomes 'g-t-p'.
 * False, with nothing appended, when the message does not name the tenant. Where a value holds
 * the separator, the columns cannot be told apart and keep the order of the shard's key. */
bool legacy_duplicate_entry(const struct catalog_table *table, struct slice message,
                            struct slice tenant, struct buf *out);

#endif
