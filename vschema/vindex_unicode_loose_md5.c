/* `unicode_loose_md5`: the MD5 of the value's collation weights
 * (go/vt/vtgate/vindexes/unicodeloosemd5.go). */
#include "vschema/vindex_int.h"

bool vindex_unicode_loose_md5(struct slice value, struct keyspace_id *ret)
{
    struct loose_weights w;
    return loose_weights(value, &w) && vindex_binary_md5(slice_of(w.bytes, w.len), ret);
}
