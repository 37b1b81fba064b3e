/* The tenants this sidecar serves and where each lives: an immutable map, built by the
 * placement thread or from the vindex function, shared by all workers, freed with its last
 * reference.
 *
 *   base   nearly all tenants; shared by all maps that were changed from it
 *   over   what changed since: a few tenants, each in place of the base's, or saying it is gone
 *
 * So a change of one tenant among a million costs as much as the changes since the base, and no
 * more memory. When those are many, they and the base become a new base. */
#ifndef MQ_VSCHEMA_TENANTS_H
#define MQ_VSCHEMA_TENANTS_H

#include "vschema/keyrange.h"

/* A tenant that is about to be moved may be used for so long after the table was last seen to say
 * so; sidecars look this often while there is one. */
enum { TENANT_LEASE_MS = 5000, TENANT_CONFIRM_MS = 1000 };

enum tenant_state { TENANT_SERVING, TENANT_PREPARING, TENANT_MOVING, TENANT_RETIRED };

struct tenant {
    uint64_t version;
    uint32_t shard; /* index into the topology's shards */
    uint8_t name_len;
    uint8_t id_len;
    uint8_t state;   /* enum tenant_state */
    bool placed : 1; /* keyspace id and shard are known */
    bool gone : 1;   /* never seen outside of the map */
    char name[];     /* and a NUL, and the keyspace id: one record, so that one look tells all */
};

static inline struct slice tenant_name(const struct tenant *t)
{
    return slice_of(t->name, t->name_len);
}
/* Of one that is placed. */
static inline struct keyspace_id tenant_id(const struct tenant *t)
{
    struct keyspace_id id = { .len = t->id_len };
    memcpy(id.bytes, t->name + t->name_len + 1, t->id_len);
    return id;
}

/* For tables in memory. */
uint64_t tenant_hash(struct slice name);

struct tenant_map; /* opaque, reference-counted */

/* A builder: add, then build. Adding a name again replaces it. */
struct tenant_map_builder;
struct tenant_map_builder *tenant_map_builder_create(void);
void tenant_map_builder_destroy(struct tenant_map_builder *b);
/* id may be NULL: listed, but not placed. A name of more than 255 bytes is no tenant's and is
 * ignored. */
void tenant_map_builder_add(struct tenant_map_builder *b, struct slice name,
                            const struct keyspace_id *id, uint32_t shard, enum tenant_state state,
                            uint64_t version);
/* For a change: the tenant is no longer known. */
void tenant_map_builder_remove(struct tenant_map_builder *b, struct slice name);
/* Takes the builder's contents and leaves it empty (destroy it all the same); the map starts
 * with one reference. `confirmed_ms` is the monotonic time at which the vindex table confirmed
 * it, UINT64_MAX for a function. */
struct tenant_map *tenant_map_build(struct tenant_map_builder *b, uint64_t confirmed_ms,
                                    uint64_t version);
/* A new map: `under`, which stays as it is, with the builder's contents over it. */
struct tenant_map *tenant_map_change(const struct tenant_map *under, struct tenant_map_builder *b,
                                     uint64_t confirmed_ms, uint64_t version);

struct tenant_map *tenant_map_acquire(struct tenant_map *m); /* thread-safe */
void tenant_map_release(struct tenant_map *m);               /* NULL is fine */
/* NULL when the tenant is not listed. Well under a microsecond at a million tenants. */
const struct tenant *tenant_map_find(const struct tenant_map *m, struct slice name);
size_t tenant_map_count(const struct tenant_map *m);
/* How many of them are about to be moved (TENANT_PREPARING). */
size_t tenant_map_preparing(const struct tenant_map *m);
/* In byte order of the names. */
const struct tenant *tenant_map_at(const struct tenant_map *m, size_t index);
uint64_t tenant_map_version(const struct tenant_map *m);
/* Notes that the table still says what the map says. */
void tenant_map_confirm(struct tenant_map *m, uint64_t confirmed_ms); /* atomic */
uint64_t tenant_map_confirmed_ms(const struct tenant_map *m);

#endif
