#include "vschema/vindex_int.h"

static const struct vindex_type types[] = {
#define VINDEX_ROW(name, unique, lookup, reach, map) { name, unique, map, lookup, reach },
#include "vschema/vindex_types.def"
#undef VINDEX_ROW
};

enum { TYPES = sizeof types / sizeof *types };

const struct vindex_type *vindex_known(struct slice name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (slice_eq(slice_cstr(types[i].name), name))
            return &types[i];
    return NULL;
}

bool vindex_is_served(const struct vindex_type *t)
{
    /* The lookups behind a hash hold numbers, not keyspace ids. */
    static const char *const by_table[] = { "lookup_unique", "consistent_lookup_unique" };
    return t->map || strcmp(t->name, by_table[0]) == 0 || strcmp(t->name, by_table[1]) == 0;
}

const struct vindex_type *vindex_find(struct slice name)
{
    const struct vindex_type *t = vindex_known(name);
    return t && vindex_is_served(t) ? t : NULL;
}

void vindex_print_served(struct buf *out)
{
    const char *separator = "";
    for (size_t i = 0; i < TYPES; i++) {
        if (!vindex_is_served(&types[i]))
            continue;
        buf_printf(out, "%s%s", separator, types[i].name);
        separator = ", ";
    }
}
