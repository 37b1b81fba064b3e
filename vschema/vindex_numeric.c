/* `numeric` and `reverse_bits`: an integer as 8 bytes big-endian, as it is or with its bits
 * reversed (go/vt/vtgate/vindexes/numeric.go, reverse_bits.go). */
#include "vschema/vindex_int.h"

/* Decimal, as Vitess' ToUint64 reads it: negative numbers in two's complement. */
static bool parse_integer(struct slice value, uint64_t *ret)
{
    bool negative = value.len && value.data[0] == '-';
    unsigned long long number;
    if (negative)
        value = slice_of(value.data + 1, value.len - 1);
    if (!slice_to_u64(value, &number) || (negative && number > (uint64_t)1 << 63))
        return false;
    *ret = negative ? 0 - (uint64_t)number : number;
    return true;
}

static void store_big_endian(uint64_t number, struct keyspace_id *ret)
{
    for (int i = 0; i < 8; i++)
        ret->bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    ret->len = 8;
}

bool vindex_numeric(struct slice value, struct keyspace_id *ret)
{
    uint64_t number;
    if (!parse_integer(value, &number))
        return false;
    store_big_endian(number, ret);
    return true;
}

bool vindex_reverse_bits(struct slice value, struct keyspace_id *ret)
{
    uint64_t number, reversed = 0;
    if (!parse_integer(value, &number))
        return false;
    for (int i = 0; i < 64; i++)
        reversed |= (number >> i & 1) << (63 - i);
    store_big_endian(reversed, ret);
    return true;
}
