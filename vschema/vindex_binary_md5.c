/* `binary_md5`: the MD5 of the value's bytes (go/vt/vtgate/vindexes/binarymd5.go). Not for
 * secrecy; a libcrypto without MD5 maps nothing. */
#include "vschema/vindex_int.h"

#include <openssl/evp.h>

bool vindex_binary_md5(struct slice value, struct keyspace_id *ret)
{
    unsigned len = 0;
    if (EVP_Digest(value.data, value.len, ret->bytes, &len, EVP_md5(), NULL) != 1)
        return false;
    ret->len = (uint8_t)len;
    return true;
}
