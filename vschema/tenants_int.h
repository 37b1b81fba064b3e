/* The layers that maps of tenants consist of. For this folder. */
#ifndef MQ_VSCHEMA_TENANTS_INT_H
#define MQ_VSCHEMA_TENANTS_INT_H

#include <stdatomic.h>

#include "vschema/tenants.h"

/* A place of the hash table: empty, or a record's number + 1 and bits of its hash, so that most
 * collisions are told without touching the record. */
struct tenant_place {
    uint32_t record;
    uint32_t tag;
};

/* Tenants with a hash table over them. Immutable and counted. A record is known by where it stands
 * in the block, in units of its alignment. */
struct tenant_layer {
    atomic_uint references;
    char *records;
    uint32_t *order; /* the records in byte order of the names */
    size_t count;
    size_t preparing;            /* of them */
    struct tenant_place *places; /* a power of two, at least half of them empty */
    size_t mask;                 /* places - 1 */
};

enum { TENANT_ALIGNMENT = 8 };

static inline const struct tenant *tenant_layer_record(const struct tenant_layer *l,
                                                       uint32_t record)
{
    return (const struct tenant *)(const void *)(l->records + (size_t)record * TENANT_ALIGNMENT);
}
static inline const struct tenant *tenant_layer_at(const struct tenant_layer *l, size_t index)
{
    return tenant_layer_record(l, l->order[index]);
}
/* The bytes of a record, a multiple of the alignment. */
static inline size_t tenant_record_size(size_t name_len, size_t id_len)
{
    size_t size = sizeof(struct tenant) + name_len + 1 + id_len;
    return (size + TENANT_ALIGNMENT - 1) / TENANT_ALIGNMENT * TENANT_ALIGNMENT;
}

/* Takes the builder's contents; of equal names the one added last. */
struct tenant_layer *tenant_layer_build(struct tenant_map_builder *b);
/* What base says, but for the entries of over; none of those that are gone. */
struct tenant_layer *tenant_layer_merge(const struct tenant_layer *base,
                                        const struct tenant_layer *over);
struct tenant_layer *tenant_layer_acquire(struct tenant_layer *l);
void tenant_layer_release(struct tenant_layer *l); /* NULL is fine */
/* Makes the hash table over the records, and counts. */
void tenant_layer_index(struct tenant_layer *l);

const struct tenant *tenant_layer_find(const struct tenant_layer *l, struct slice name,
                                       uint64_t hash);
/* The first, from `from` on, whose name is not below this one; count when there is none. */
size_t tenant_layer_lower(const struct tenant_layer *l, size_t from, struct slice name);

/* Adds all of a layer, those that are gone as well. */
void tenant_map_builder_add_layer(struct tenant_map_builder *b, const struct tenant_layer *l);
/* Puts what `more` has behind b's; more is left empty. */
void tenant_map_builder_append(struct tenant_map_builder *b, struct tenant_map_builder *more);

#endif
