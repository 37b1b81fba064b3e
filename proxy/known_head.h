/* The head of a result set, a column count and as many definitions, as it was told before: answers
 * to one statement begin with the same bytes, which then need not be read and made anew. What comes
 * is compared byte by byte; DDL therefore needs no word. */
#ifndef MQ_PROXY_KNOWN_HEAD_H
#define MQ_PROXY_KNOWN_HEAD_H

#include "base/slice.h"

#include <stdint.h>

/* What the client's form depends on besides the shard's. */
struct head_form {
    uint64_t client, server; /* capabilities */
    const char *database, *server_database;
};

struct known_head {
    struct known_head *next;
    struct head_form form; /* with names of its own */
    uint64_t columns;
    uint64_t columns_hash; /* hash_column() of them all */
    struct slice came;     /* from the shard: packets, the first one's number is 1 */
    struct slice told;     /* to the client, the same; data is that of came if nothing differs */
};

/* The head with which data begins; NULL: that is none of the list. */
const struct known_head *known_head_find(const struct known_head *list, const struct head_form *form,
                                         struct slice data);
/* Keeps a copy in front of the list, which forgets the oldest, unless it is too large. */
void known_head_keep(struct known_head **list, const struct known_head *head);
/* Memory that they take. */
size_t known_heads_bytes(const struct known_head *list);
void known_heads_free(struct known_head *list);

#endif
