/* `numeric`: an integer as 8 bytes big-endian (go/vt/vtgate/vindexes/numeric.go). */
#include "vschema/vindex_int.h"

void vindex_store_big_endian(uint64_t number, struct keyspace_id *ret)
{
    for (int i = 0; i < 8; i++)
        ret->bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    ret->len = 8;
}

bool vindex_numeric(struct slice value, struct keyspace_id *ret)
{
    unsigned long long number;
    if (!slice_to_u64(value, &number))
        return false;
    vindex_store_big_endian(number, ret);
    return true;
}
