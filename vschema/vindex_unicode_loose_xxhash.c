/* `unicode_loose_xxhash`: the XXH64 of the value's collation weights
 * (go/vt/vtgate/vindexes/unicodeloosexxhash.go). */
#include "vschema/vindex_int.h"

bool vindex_unicode_loose_xxhash(struct slice value, struct keyspace_id *ret)
{
    struct loose_weights w;
    return loose_weights(value, &w) && vindex_xxhash(slice_of(w.bytes, w.len), ret);
}
