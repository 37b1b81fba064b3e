/* Collation weights for `unicode_loose_md5` and `unicode_loose_xxhash`
 * (go/vt/vtgate/vindexes/unicode.go). ASCII only: a tenant is nothing else, and what is refused
 * cannot be hashed otherwise than Vitess does. */
#include "vschema/vindex_int.h"

/* Primary weights of the root collation; 0: the character counts for nothing. */
static const uint16_t ascii_weights[128] = {
#include "vschema/ascii_weights.def"
};

bool loose_weights(struct slice value, struct loose_weights *ret)
{
    ret->len = 0;
    while (value.len && value.data[value.len - 1] == ' ')
        value.len--;
    if (value.len > LOOSE_VALUE_MAX)
        return false;
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (c > 127)
            return false;
        if (!ascii_weights[c])
            continue;
        ret->bytes[ret->len++] = (uint8_t)(ascii_weights[c] >> 8);
        ret->bytes[ret->len++] = (uint8_t)ascii_weights[c];
    }
    return true;
}
