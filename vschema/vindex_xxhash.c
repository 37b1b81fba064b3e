/* `xxhash`: XXH64 with seed 0 of the value's bytes, 8 bytes little-endian
 * (go/vt/vtgate/vindexes/xxhash.go). */
#include "vschema/vindex_int.h"

#include <xxhash.h>

bool vindex_xxhash(struct slice value, struct keyspace_id *ret)
{
    uint64_t hash = XXH64(value.data, value.len, 0);
    for (int i = 0; i < 8; i++)
        ret->bytes[i] = (uint8_t)(hash >> (8 * i));
    ret->len = 8;
    return true;
}
