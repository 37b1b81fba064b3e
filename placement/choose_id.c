#include "placement/choose_id.h"

#include "base/check.h"

static const struct vindex_type *function_of(const struct topology *topology)
{
    return topology->vindex->is_lookup ? vindex_find(SLICE_LIT("xxhash")) : topology->vindex;
}

enum err_code choose_id(const struct topology *topology, struct slice tenant,
                        struct keyspace_id *ret, struct err *reterr)
{
    const struct vindex_type *function = function_of(topology);
    if (!function->map(tenant, ret))
        return err_set(reterr, MQ_VINDEX_NO_SHARD, "%s(\"%.*s\") has no value", function->name,
                       (int)tenant.len, tenant.data);
    return MQ_OK;
}

/* The first eight bytes of an id as a number; a shorter one is continued by zeros. */
static uint64_t id_number(const struct keyspace_id *id)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 8; i++)
        n = n << 8 | (i < id->len ? id->bytes[i] : 0);
    return n;
}

static struct keyspace_id id_of_number(uint64_t n)
{
    struct keyspace_id id = { .len = 8 };
    for (unsigned i = 0; i < 8; i++)
        id.bytes[i] = (uint8_t)(n >> (56 - 8 * i));
    return id;
}

/* Bounds of more than eight bytes leave only the start. Unsigned arithmetic makes the width
 * right for an open end, too; a width of 0 is everything. */
static struct keyspace_id spread(const struct key_range *range, uint64_t hash)
{
    uint64_t start = id_number(&range->start), width = id_number(&range->end) - start;
    struct keyspace_id id = id_of_number(start + (width ? hash % width : hash));
    return key_range_contains(range, &id) ? id : range->start;
}

enum err_code choose_id_on_shard(const struct topology *topology, struct slice tenant,
                                 struct slice shard, struct keyspace_id *ret, struct err *reterr)
{
    int index = topology_shard_find(topology, shard);
    if (index < 0)
        return err_set(reterr, MQ_USAGE, "there is no shard \"%.*s\"", (int)shard.len, shard.data);
    const struct key_range *range = &topology->shards[index].range;
    struct keyspace_id by_function, hash;
    if (choose_id(topology, tenant, &by_function, NULL) == MQ_OK &&
        key_range_contains(range, &by_function)) {
        *ret = by_function;
        return MQ_OK;
    }
    bool hashed = vindex_find(SLICE_LIT("xxhash"))->map(tenant, &hash);
    CHECK(hashed);
    *ret = spread(range, hashed ? id_number(&hash) : 0);
    return MQ_OK;
}
