/* The vindex functions, one file each, and the table of all types. For this folder. */
#ifndef MQ_VSCHEMA_VINDEX_INT_H
#define MQ_VSCHEMA_VINDEX_INT_H

#include "vschema/vindex.h"

bool vindex_xxhash(struct slice value, struct keyspace_id *ret);
bool vindex_binary(struct slice value, struct keyspace_id *ret);
bool vindex_binary_md5(struct slice value, struct keyspace_id *ret);
bool vindex_unicode_loose_md5(struct slice value, struct keyspace_id *ret);
bool vindex_unicode_loose_xxhash(struct slice value, struct keyspace_id *ret);
bool vindex_hash(struct slice value, struct keyspace_id *ret);
bool vindex_numeric(struct slice value, struct keyspace_id *ret);
bool vindex_reverse_bits(struct slice value, struct keyspace_id *ret);
bool vindex_null(struct slice value, struct keyspace_id *ret);

/* The number as 8 bytes, the highest first. */
void vindex_store_big_endian(uint64_t number, struct keyspace_id *ret);

/* What the collation of unicode_loose_* compares: no case, no space at the end. The longest value
 * is a tenant's; a weight has two bytes. */
enum { LOOSE_VALUE_MAX = 255 };
struct loose_weights {
    uint8_t bytes[2 * LOOSE_VALUE_MAX];
    size_t len;
};
/* False for what is not ASCII or too long. */
bool loose_weights(struct slice value, struct loose_weights *ret);

/* Any type that Vitess knows, served or not; NULL when it knows none of that name. */
const struct vindex_type *vindex_known(struct slice name);
/* Whether it may shard the queue tables. */
bool vindex_is_served(const struct vindex_type *t);
/* Appends "xxhash, binary, …": the types that are served. */
void vindex_print_served(struct buf *out);

#endif
