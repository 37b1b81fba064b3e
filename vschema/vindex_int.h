/* The vindex functions, one file each, and the table of all types. For this folder. */
#ifndef MQ_VSCHEMA_VINDEX_INT_H
#define MQ_VSCHEMA_VINDEX_INT_H

#include "vschema/vindex.h"

bool vindex_xxhash(struct slice value, struct keyspace_id *ret);
bool vindex_binary(struct slice value, struct keyspace_id *ret);
bool vindex_binary_md5(struct slice value, struct keyspace_id *ret);
bool vindex_numeric(struct slice value, struct keyspace_id *ret);
bool vindex_reverse_bits(struct slice value, struct keyspace_id *ret);
bool vindex_null(struct slice value, struct keyspace_id *ret);

/* Any type that Vitess knows, served or not; NULL when it knows none of that name. */
const struct vindex_type *vindex_known(struct slice name);
/* Whether it may shard the queue tables. */
bool vindex_is_served(const struct vindex_type *t);
/* Appends "xxhash, binary, …": the types that are served. */
void vindex_print_served(struct buf *out);

#endif
