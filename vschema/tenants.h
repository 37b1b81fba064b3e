/* The tenants this sidecar serves and where each lives: an immutable map, built by the
 * placement thread or from the vindex function, shared by all workers, freed with its last
 * reference. */
#ifndef MQ_VSCHEMA_TENANTS_H
#define MQ_VSCHEMA_TENANTS_H

#include "vschema/keyrange.h"

/* Keyspace ids that the map keeps; every served vindex but `binary` makes 8 or 16 bytes. */
enum { TENANT_ID_MAX = 16 };

enum tenant_state { TENANT_SERVING, TENANT_PREPARING, TENANT_MOVING, TENANT_RETIRED };

struct tenant {
    const char *name; /* NUL-terminated, owned by the map */
    uint16_t name_len;
    uint8_t state;  /* enum tenant_state */
    bool placed;    /* keyspace_id and shard are known */
    uint32_t shard; /* index into the topology's shards */
    uint64_t version;
    uint8_t id_len;
    uint8_t id[TENANT_ID_MAX];
};

struct tenant_map; /* opaque, reference-counted */

/* A builder: add, then build. Adding a name again replaces it. */
struct tenant_map_builder;
struct tenant_map_builder *tenant_map_builder_create(void);
void tenant_map_builder_destroy(struct tenant_map_builder *b);
/* id may be NULL: listed, but not placed. So is one whose id exceeds TENANT_ID_MAX.
 * A name of more than 255 bytes is no tenant's and is ignored. */
void tenant_map_builder_add(struct tenant_map_builder *b, struct slice name,
                            const struct keyspace_id *id, uint32_t shard, enum tenant_state state,
                            uint64_t version);
/* Takes the builder's contents and leaves it empty (destroy it all the same); the map starts
 * with one reference. `confirmed_ms` is the monotonic time at which the vindex table confirmed
 * it, UINT64_MAX for a function. */
struct tenant_map *tenant_map_build(struct tenant_map_builder *b, uint64_t confirmed_ms,
                                    uint64_t version);

struct tenant_map *tenant_map_acquire(struct tenant_map *m); /* thread-safe */
void tenant_map_release(struct tenant_map *m);               /* NULL is fine */
/* NULL when the tenant is not listed. Well under a microsecond at a million tenants. */
const struct tenant *tenant_map_find(const struct tenant_map *m, struct slice name);
size_t tenant_map_count(const struct tenant_map *m);
/* In byte order of the names. */
const struct tenant *tenant_map_at(const struct tenant_map *m, size_t index);
uint64_t tenant_map_version(const struct tenant_map *m);
/* Notes that the table still says what the map says. */
void tenant_map_confirm(struct tenant_map *m, uint64_t confirmed_ms); /* atomic */
uint64_t tenant_map_confirmed_ms(const struct tenant_map *m);

#endif
