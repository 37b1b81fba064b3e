/* `binary`: the value's bytes themselves (go/vt/vtgate/vindexes/binary.go). */
#include "vschema/vindex_int.h"

bool vindex_binary(struct slice value, struct keyspace_id *ret)
{
    if (value.len > KEYSPACE_ID_MAX)
        return false;
    if (value.len)
        memcpy(ret->bytes, value.data, value.len);
    ret->len = (uint8_t)value.len;
    return true;
}
