/* A shard's error in the words that the legacy schema would have had. */
#ifndef MQ_ROUTING_LEGACY_ERROR_H
#define MQ_ROUTING_LEGACY_ERROR_H

#include "base/buf.h"
#include "vschema/catalog.h"

enum { ERROR_DUPLICATE_ENTRY = 1062 };

/* The message of a duplicate key without the tenant and with the columns in the legacy key's
 * order: "Duplicate entry 'acme-t-p-g' for key 'queue_offsets.PRIMARY'" becomes 'g-t-p', or
 * 'g-t-acme|p' with the prefix `acme|` of qualified partition keys. False, with nothing appended,
 * when the message does not name the tenant. Where a value holds the separator, the columns cannot
 * be told apart and keep the order of the shard's key. */
bool legacy_duplicate_entry(const struct catalog_table *table, struct slice message,
                            struct slice tenant, struct slice prefix, struct buf *out);

/* The message with the client's name of the database for the shard's, wherever that qualifies a
 * name: "'queue_0.m.id'", "`queue_0`.`m`". False, with nothing appended, when it does not. */
bool legacy_database(struct slice message, struct slice shard, struct slice client,
                     struct buf *out);

/* What the messages of one shard's answers are told in. */
struct legacy_words {
    const struct catalog_table *table; /* that was written; may be NULL */
    struct slice tenant;
    struct slice key_prefix; /* what clients read in front of its partition keys; may be empty */
    struct slice shard_database, database;
};

/* An error's or a warning's message as the legacy schema would have given it. False, with
 * nothing appended, when it is that already. */
bool legacy_message(const struct legacy_words *words, unsigned code, struct slice message,
                    struct buf *out);

#endif
