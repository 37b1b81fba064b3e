#include "vschema/tenants.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"

enum { NAME_MAX_LEN = 255 };

/* A place of the table: empty, or an entry's index + 1 and bits of its hash, so that most
 * collisions are told without touching the entry. */
struct place {
    uint32_t entry;
    uint32_t tag;
};

struct tenant_map {
    atomic_uint references;
    _Atomic uint64_t confirmed_ms;
    uint64_t version;
    struct tenant *entries; /* in byte order of the names */
    size_t count;
    char *names;          /* one block, each NUL-terminated */
    struct place *places; /* a power of two, at least half of them empty */
    size_t mask;          /* places - 1 */
};

struct tenant_map_builder {
    struct tenant *entries; /* in the order they were added */
    size_t count, capacity;
    struct arena names;
};

struct tenant_map_builder *tenant_map_builder_create(void)
{
    struct tenant_map_builder *b = mem_new(struct tenant_map_builder);
    arena_init(&b->names);
    return b;
}

void tenant_map_builder_destroy(struct tenant_map_builder *b)
{
    if (!b)
        return;
    arena_fini(&b->names);
    mem_free(b->entries);
    mem_free(b);
}

void tenant_map_builder_add(struct tenant_map_builder *b, struct slice name,
                            const struct keyspace_id *id, uint32_t shard, enum tenant_state state,
                            uint64_t version)
{
    if (name.len > NAME_MAX_LEN)
        return;
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? b->capacity * 2 : 64;
        b->entries = mem_resize(b->entries, b->capacity, sizeof *b->entries);
    }
    struct tenant *t = &b->entries[b->count++];
    *t = (struct tenant){ .state = (uint8_t)state, .version = version };
    t->name_len = (uint16_t)name.len;
    t->name = arena_copy(&b->names, name).data;
    if (id && id->len <= TENANT_ID_MAX) {
        t->placed = true;
        t->shard = shard;
        t->id_len = id->len;
        memcpy(t->id, id->bytes, id->len);
    }
}

static struct slice name_of(const struct tenant *t)
{
    return slice_of(t->name, t->name_len);
}

/* By name, then in the order they were added (both point into one array). */
static int compare(const void *a, const void *b)
{
    const struct tenant *x = *(const struct tenant *const *)a;
    const struct tenant *y = *(const struct tenant *const *)b;
    int c = slice_cmp(name_of(x), name_of(y));
    return c ? c : x < y ? -1 : x > y;
}

/* The entries in order; of equal names only the one added last. *ret_count is their number. */
static const struct tenant **order_entries(const struct tenant_map_builder *b, size_t *ret_count)
{
    const struct tenant **order = mem_array(b->count, sizeof *order);
    bool in_order = true;
    for (size_t i = 0; i < b->count; i++) {
        order[i] = &b->entries[i];
        in_order = in_order && (i == 0 || compare(&order[i - 1], &order[i]) < 0);
    }
    if (!in_order)
        qsort(order, b->count, sizeof *order, compare);
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) {
        if (n && slice_eq(name_of(order[n - 1]), name_of(order[i])))
            n--;
        order[n++] = order[i];
    }
    *ret_count = n;
    return order;
}

static void copy_entries(struct tenant_map *m, const struct tenant *const *order, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += (size_t)order[i]->name_len + 1;
    m->names = mem_alloc(bytes);
    m->entries = mem_array(count, sizeof *m->entries);
    m->count = count;
    char *name = m->names;
    for (size_t i = 0; i < count; i++) {
        m->entries[i] = *order[i];
        m->entries[i].name = name;
        memcpy(name, order[i]->name, (size_t)order[i]->name_len + 1);
        name += (size_t)order[i]->name_len + 1;
    }
}

static uint64_t hash_of(struct slice name)
{
    return XXH3_64bits(name.data, name.len);
}

static void make_places(struct tenant_map *m)
{
    size_t size = 8;
    while (size < m->count * 2)
        size *= 2;
    m->places = mem_array(size, sizeof *m->places);
    m->mask = size - 1;
    for (size_t i = 0; i < m->count; i++) {
        uint64_t hash = hash_of(name_of(&m->entries[i]));
        size_t at = (size_t)hash & m->mask;
        while (m->places[at].entry)
            at = (at + 1) & m->mask;
        m->places[at] = (struct place){ (uint32_t)(i + 1), (uint32_t)(hash >> 32) };
    }
}

struct tenant_map *tenant_map_build(struct tenant_map_builder *b, uint64_t confirmed_ms,
                                    uint64_t version)
{
    struct tenant_map *m = mem_new(struct tenant_map);
    size_t count;
    const struct tenant **order = order_entries(b, &count);
    atomic_init(&m->references, 1);
    atomic_init(&m->confirmed_ms, confirmed_ms);
    m->version = version;
    copy_entries(m, order, count);
    make_places(m);
    mem_free(order);

    mem_free(b->entries);
    b->entries = NULL;
    b->count = b->capacity = 0;
    arena_fini(&b->names);
    return m;
}

struct tenant_map *tenant_map_acquire(struct tenant_map *m)
{
    atomic_fetch_add_explicit(&m->references, 1, memory_order_relaxed);
    return m;
}

void tenant_map_release(struct tenant_map *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) != 1)
        return;
    mem_free(m->entries);
    mem_free(m->names);
    mem_free(m->places);
    mem_free(m);
}

const struct tenant *tenant_map_find(const struct tenant_map *m, struct slice name)
{
    uint64_t hash = hash_of(name);
    for (size_t at = (size_t)hash & m->mask; m->places[at].entry; at = (at + 1) & m->mask) {
        const struct tenant *t = &m->entries[m->places[at].entry - 1];
        if (m->places[at].tag == (uint32_t)(hash >> 32) && slice_eq(name_of(t), name))
            return t;
    }
    return NULL;
}

size_t tenant_map_count(const struct tenant_map *m)
{
    return m->count;
}

const struct tenant *tenant_map_at(const struct tenant_map *m, size_t index)
{
    CHECK(index < m->count);
    return &m->entries[index];
}

uint64_t tenant_map_version(const struct tenant_map *m)
{
    return m->version;
}

void tenant_map_confirm(struct tenant_map *m, uint64_t confirmed_ms)
{
    atomic_store_explicit(&m->confirmed_ms, confirmed_ms, memory_order_release);
}

uint64_t tenant_map_confirmed_ms(const struct tenant_map *m)
{
    return atomic_load_explicit(&m->confirmed_ms, memory_order_acquire);
}
