/* Tenants being gathered, and the layer that comes of them. */
#include <stdlib.h>

#include "base/memory.h"
#include "vschema/tenants_int.h"

enum { NAME_MAX_LEN = 255 };

struct tenant_map_builder {
    char *records; /* as a layer has them, in the order they were added */
    size_t used, size;
    size_t count;
};

struct tenant_map_builder *tenant_map_builder_create(void)
{
    return mem_new(struct tenant_map_builder);
}

static void clear(struct tenant_map_builder *b)
{
    mem_free(b->records);
    *b = (struct tenant_map_builder){ 0 };
}

void tenant_map_builder_destroy(struct tenant_map_builder *b)
{
    if (!b)
        return;
    clear(b);
    mem_free(b);
}

static struct tenant *record_at(const struct tenant_map_builder *b, size_t at)
{
    return (struct tenant *)(void *)(b->records + at);
}

/* A zeroed record behind the others. */
static struct tenant *new_record(struct tenant_map_builder *b, size_t size)
{
    if (b->size - b->used < size) {
        b->size = (b->size + size) * 2;
        b->records = mem_resize(b->records, b->size, 1);
    }
    struct tenant *t = memset(b->records + b->used, 0, size);
    b->used += size;
    b->count++;
    return t;
}

static struct tenant *add(struct tenant_map_builder *b, struct slice name, struct slice id)
{
    struct tenant *t = new_record(b, tenant_record_size(name.len, id.len));
    t->name_len = (uint8_t)name.len;
    t->id_len = (uint8_t)id.len;
    if (name.len)
        memcpy(t->name, name.data, name.len);
    if (id.len)
        memcpy(t->name + name.len + 1, id.data, id.len);
    return t;
}

void tenant_map_builder_add(struct tenant_map_builder *b, struct slice name,
                            const struct keyspace_id *id, uint32_t shard, enum tenant_state state,
                            uint64_t version)
{
    if (name.len > NAME_MAX_LEN)
        return;
    struct tenant *t = add(b, name, id ? slice_of(id->bytes, id->len) : slice_of("", 0));
    t->version = version;
    t->state = (uint8_t)state;
    t->placed = id != NULL;
    t->shard = id ? shard : 0;
}

void tenant_map_builder_remove(struct tenant_map_builder *b, struct slice name)
{
    if (name.len <= NAME_MAX_LEN)
        add(b, name, slice_of("", 0))->gone = true;
}

static size_t size_of(const struct tenant *t)
{
    return tenant_record_size(t->name_len, t->id_len);
}

void tenant_map_builder_add_layer(struct tenant_map_builder *b, const struct tenant_layer *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct tenant *t = tenant_layer_at(l, i);
        memcpy(new_record(b, size_of(t)), t, size_of(t));
    }
}

void tenant_map_builder_append(struct tenant_map_builder *b, struct tenant_map_builder *more)
{
    for (size_t at = 0; at < more->used;) {
        const struct tenant *t = record_at(more, at);
        at += size_of(t);
        memcpy(new_record(b, size_of(t)), t, size_of(t));
    }
    clear(more);
}

/* By name, then in the order they were added (both are in one block). */
static int compare(const void *a, const void *b)
{
    const struct tenant *x = *(const struct tenant *const *)a;
    const struct tenant *y = *(const struct tenant *const *)b;
    int c = slice_cmp(tenant_name(x), tenant_name(y));
    return c ? c : x < y ? -1 : x > y;
}

/* The builder's records by name. */
static const struct tenant **sort_records(const struct tenant_map_builder *b)
{
    const struct tenant **sorted = mem_array(b->count, sizeof *sorted);
    bool in_order = true;
    for (size_t i = 0, at = 0; i < b->count; i++) {
        sorted[i] = record_at(b, at);
        at += size_of(sorted[i]);
        in_order = in_order && (i == 0 || compare(&sorted[i - 1], &sorted[i]) < 0);
    }
    if (!in_order)
        qsort(sorted, b->count, sizeof *sorted, compare);
    return sorted;
}

/* Their order, of equal names only the one added last; *ret_count is their number. */
static uint32_t *order_records(const struct tenant_map_builder *b, size_t *ret_count)
{
    const struct tenant **sorted = sort_records(b);
    uint32_t *order = mem_array(b->count, sizeof *order);
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) {
        const char *at = (const char *)sorted[i];
        if (i && slice_eq(tenant_name(sorted[i - 1]), tenant_name(sorted[i])))
            n--;
        order[n++] = (uint32_t)((size_t)(at - b->records) / TENANT_ALIGNMENT);
    }
    mem_free(sorted);
    *ret_count = n;
    return order;
}

struct tenant_layer *tenant_layer_build(struct tenant_map_builder *b)
{
    struct tenant_layer *l = mem_new(struct tenant_layer);
    atomic_init(&l->references, 1);
    l->order = order_records(b, &l->count);
    l->records =
        b->used ? mem_resize(b->records, b->used, 1) : NULL; /* gives back the spare room */
    *b = (struct tenant_map_builder){ 0 };
    tenant_layer_index(l);
    return l;
}
