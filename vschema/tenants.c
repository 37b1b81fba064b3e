#include "vschema/tenants.h"

#include "base/check.h"
#include "base/memory.h"
#include "vschema/tenants_int.h"

/* Changes are merged into a new base when they are more than this, and more than an eighth of it.
 */
enum { CHANGES_KEPT = 1024, BASE_SHARE = 8 };

/* Where an entry of `over` stands among all tenants. */
struct standing {
    size_t rank;    /* how many are before it */
    size_t base_at; /* the first of base that is not */
    bool replaces;  /* that one has its name */
};

struct tenant_map {
    atomic_uint references;
    _Atomic uint64_t confirmed_ms;
    uint64_t version;
    struct tenant_layer *base, *over;
    struct standing *standings; /* one for each entry of over */
    size_t count, preparing;
};

/* Takes both layers. */
static struct tenant_map *create(struct tenant_layer *base, struct tenant_layer *over,
                                 uint64_t confirmed_ms, uint64_t version)
{
    struct tenant_map *m = mem_new(struct tenant_map);
    atomic_init(&m->references, 1);
    atomic_init(&m->confirmed_ms, confirmed_ms);
    m->version = version;
    m->base = base;
    m->over = over;
    m->count = base->count;
    m->preparing = base->preparing + over->preparing;
    m->standings = mem_array(over->count, sizeof *m->standings);
    for (size_t i = 0, at = 0; i < over->count; i++) {
        const struct tenant *t = tenant_layer_at(over, i), *replaced;
        struct standing *s = &m->standings[i];
        at = tenant_layer_lower(base, at, tenant_name(t));
        s->base_at = at;
        s->rank = at + m->count - base->count;
        replaced = at < base->count ? tenant_layer_at(base, at) : NULL;
        s->replaces = replaced && slice_eq(tenant_name(replaced), tenant_name(t));
        m->preparing -= s->replaces && replaced->state == TENANT_PREPARING;
        m->count += !t->gone;
        m->count -= s->replaces;
    }
    return m;
}

static struct tenant_layer *nothing(void)
{
    struct tenant_map_builder *b = tenant_map_builder_create();
    struct tenant_layer *l = tenant_layer_build(b);
    tenant_map_builder_destroy(b);
    return l;
}

static struct tenant_map *create_merged(const struct tenant_layer *base, struct tenant_layer *over,
                                        uint64_t confirmed_ms, uint64_t version)
{
    struct tenant_layer *merged = tenant_layer_merge(base, over);
    tenant_layer_release(over);
    return create(merged, nothing(), confirmed_ms, version);
}

struct tenant_map *tenant_map_build(struct tenant_map_builder *b, uint64_t confirmed_ms,
                                    uint64_t version)
{
    return create(tenant_layer_build(b), nothing(), confirmed_ms, version);
}

/* The changes so far with more of them over them. */
static struct tenant_layer *change_layer(const struct tenant_layer *so_far,
                                         struct tenant_map_builder *more)
{
    if (so_far->count == 0)
        return tenant_layer_build(more);
    struct tenant_map_builder *b = tenant_map_builder_create();
    tenant_map_builder_add_layer(b, so_far);
    tenant_map_builder_append(b, more);
    struct tenant_layer *l = tenant_layer_build(b);
    tenant_map_builder_destroy(b);
    return l;
}

struct tenant_map *tenant_map_change(const struct tenant_map *under, struct tenant_map_builder *b,
                                     uint64_t confirmed_ms, uint64_t version)
{
    struct tenant_layer *over = change_layer(under->over, b);
    if (over->count > CHANGES_KEPT && over->count > under->base->count / BASE_SHARE)
        return create_merged(under->base, over, confirmed_ms, version);
    return create(tenant_layer_acquire(under->base), over, confirmed_ms, version);
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
    tenant_layer_release(m->base);
    tenant_layer_release(m->over);
    mem_free(m->standings);
    mem_free(m);
}

const struct tenant *tenant_map_find(const struct tenant_map *m, struct slice name)
{
    uint64_t hash = tenant_hash(name);
    const struct tenant *t = m->over->count ? tenant_layer_find(m->over, name, hash) : NULL;
    if (!t)
        return tenant_layer_find(m->base, name, hash);
    return t->gone ? NULL : t;
}

size_t tenant_map_count(const struct tenant_map *m)
{
    return m->count;
}

size_t tenant_map_preparing(const struct tenant_map *m)
{
    return m->preparing;
}

/* How many of the changes stand at this index or before it. */
static size_t changes_until(const struct tenant_map *m, size_t index)
{
    size_t from = 0, to = m->over->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (m->standings[middle].rank <= index)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const struct tenant *tenant_map_at(const struct tenant_map *m, size_t index)
{
    CHECK(index < m->count);
    size_t changes = changes_until(m, index);
    if (changes == 0)
        return tenant_layer_at(m->base, index);
    const struct tenant *last = tenant_layer_at(m->over, changes - 1);
    const struct standing *s = &m->standings[changes - 1];
    if (!last->gone && s->rank == index)
        return last;
    return tenant_layer_at(m->base, s->base_at + s->replaces + (index - s->rank) - !last->gone);
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
