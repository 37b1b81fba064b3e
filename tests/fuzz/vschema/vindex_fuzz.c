/* Any bytes through every vindex: the id stays within its bounds, is the same each time, and is
 * one that a text of it leads back to. */
#include <stdint.h>
#include <stdlib.h>

#include "vschema/vindex_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = {
#define VINDEX_ROW(name, unique, lookup, reach, map) name,
#include "vschema/vindex_types.def"
#undef VINDEX_ROW
};

static void check_id(const struct vindex_type *type, struct slice value,
                     const struct keyspace_id *id)
{
    struct keyspace_id again, parsed;
    struct buf text;
    buf_init(&text);
    keyspace_id_print(id, &text);
    if (!type->map(value, &again) || again.len != id->len ||
        memcmp(again.bytes, id->bytes, id->len) != 0 ||
        !keyspace_id_parse(buf_slice(&text), &parsed) || keyspace_id_cmp(&parsed, id) != 0)
        abort();
    buf_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice value = slice_of(data, size);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct vindex_type *type = vindex_find(slice_cstr(types[i]));
        struct keyspace_id id;
        if (type && type->map && type->map(value, &id))
            check_id(type, value, &id);
    }
    return 0;
}
