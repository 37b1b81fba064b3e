#include <xxhash.h>

#include "base/memory.h"
#include "vschema/tenants_int.h"

uint64_t tenant_hash(struct slice name)
{
    return XXH3_64bits(name.data, name.len);
}

void tenant_layer_index(struct tenant_layer *l)
{
    size_t size = 8;
    while (size < l->count * 2)
        size *= 2;
    l->places = mem_array(size, sizeof *l->places);
    l->mask = size - 1;
    for (size_t i = 0; i < l->count; i++) {
        const struct tenant *t = tenant_layer_at(l, i);
        uint64_t hash = tenant_hash(tenant_name(t));
        size_t at = (size_t)hash & l->mask;
        while (l->places[at].record)
            at = (at + 1) & l->mask;
        l->places[at] = (struct tenant_place){ l->order[i] + 1, (uint32_t)(hash >> 32) };
        l->preparing += t->state == TENANT_PREPARING;
    }
}

struct tenant_layer *tenant_layer_acquire(struct tenant_layer *l)
{
    atomic_fetch_add_explicit(&l->references, 1, memory_order_relaxed);
    return l;
}

void tenant_layer_release(struct tenant_layer *l)
{
    if (!l || atomic_fetch_sub_explicit(&l->references, 1, memory_order_acq_rel) != 1)
        return;
    mem_free(l->records);
    mem_free(l->order);
    mem_free(l->places);
    mem_free(l);
}

const struct tenant *tenant_layer_find(const struct tenant_layer *l, struct slice name,
                                       uint64_t hash)
{
    for (size_t at = (size_t)hash & l->mask; l->places[at].record; at = (at + 1) & l->mask) {
        if (l->places[at].tag != (uint32_t)(hash >> 32))
            continue;
        const struct tenant *t = tenant_layer_record(l, l->places[at].record - 1);
        if (slice_eq(tenant_name(t), name))
            return t;
    }
    return NULL;
}

size_t tenant_layer_lower(const struct tenant_layer *l, size_t from, struct slice name)
{
    size_t to = l->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (slice_cmp(tenant_name(tenant_layer_at(l, middle)), name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* --- merging ------------------------------------------------------------------------- */

struct merge {
    const struct tenant_layer *base, *over;
    size_t i, j; /* next of each */
};

/* The next tenant in order, NULL at the end. */
static const struct tenant *next(struct merge *m)
{
    while (m->i < m->base->count || m->j < m->over->count) {
        const struct tenant *b = m->i < m->base->count ? tenant_layer_at(m->base, m->i) : NULL;
        const struct tenant *o = m->j < m->over->count ? tenant_layer_at(m->over, m->j) : NULL;
        int c = !b ? 1 : !o ? -1 : slice_cmp(tenant_name(b), tenant_name(o));
        m->i += c <= 0;
        m->j += c >= 0;
        const struct tenant *t = c < 0 ? b : o;
        if (!t->gone)
            return t;
    }
    return NULL;
}

struct tenant_layer *tenant_layer_merge(const struct tenant_layer *base,
                                        const struct tenant_layer *over)
{
    struct tenant_layer *l = mem_new(struct tenant_layer);
    size_t bytes = 0, at = 0;
    atomic_init(&l->references, 1);
    struct merge counting = { .base = base, .over = over }, copying = counting;
    for (const struct tenant *t; (t = next(&counting)); l->count++)
        bytes += tenant_record_size(t->name_len, t->id_len);
    l->records = mem_alloc(bytes);
    l->order = mem_array(l->count, sizeof *l->order);
    for (size_t i = 0; i < l->count; i++) {
        const struct tenant *t = next(&copying);
        size_t size = tenant_record_size(t->name_len, t->id_len);
        memcpy(l->records + at, t, size);
        l->order[i] = (uint32_t)(at / TENANT_ALIGNMENT);
        at += size;
    }
    tenant_layer_index(l);
    return l;
}
