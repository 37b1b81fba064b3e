/* `reverse_bits`: an integer with its bits in reverse order, as 8 bytes big-endian
 * (go/vt/vtgate/vindexes/reverse_bits.go). */
#include "vschema/vindex_int.h"

bool vindex_reverse_bits(struct slice value, struct keyspace_id *ret)
{
    unsigned long long number;
    uint64_t reversed = 0;
    if (!slice_to_u64(value, &number))
        return false;
    for (int i = 0; i < 64; i++)
        reversed |= (uint64_t)(number >> i & 1) << (63 - i);
    vindex_store_big_endian(reversed, ret);
    return true;
}
