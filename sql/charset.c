/* The servers' character sets and collations, by name and by number. */
#include "sql/dialect.h"

enum charset {
#define CHARSET_ROW(name, collation, id, safe) CHARSET_##name,
#define COLLATION_ROW(id, charset, name)
#include "sql/charsets.def"
#undef CHARSET_ROW
#undef COLLATION_ROW
    CHARSET_COUNT
};

static const struct charset_info charsets[CHARSET_COUNT] = {
#define CHARSET_ROW(name, collation, id, safe) [CHARSET_##name] = { #name, collation, id, safe },
#define COLLATION_ROW(id, charset, name)
#include "sql/charsets.def"
#undef CHARSET_ROW
#undef COLLATION_ROW
};

/* Ascending by id; of two with the same id the first is MySQL's. */
static const struct collation {
    uint16_t id;
    uint16_t charset; /* enum charset */
    const char *name;
} collations[] = {
#define CHARSET_ROW(name, collation, id, safe)
#define COLLATION_ROW(id, charset, name) { id, CHARSET_##charset, name },
#include "sql/charsets.def"
#undef CHARSET_ROW
#undef COLLATION_ROW
};

enum { COLLATIONS = sizeof collations / sizeof *collations };

const struct charset_info *charset_find(struct slice name)
{
    if (slice_ieq_cstr(name, "utf8"))
        return &charsets[CHARSET_utf8mb3];
    for (size_t i = 0; i < CHARSET_COUNT; i++)
        if (slice_ieq_cstr(name, charsets[i].name))
            return &charsets[i];
    return NULL;
}

static const struct collation *collation_of_id(uint32_t id)
{
    size_t low = 0, high = COLLATIONS;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (collations[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COLLATIONS && collations[low].id == id ? &collations[low] : NULL;
}

const struct charset_info *charset_of_collation_id(uint32_t id)
{
    const struct collation *c = collation_of_id(id);
    return c ? &charsets[c->charset] : NULL;
}

const char *collation_name(uint32_t id)
{
    const struct collation *c = collation_of_id(id);
    return c ? c->name : NULL;
}

/* Servers before MySQL 8.0.30 and MariaDB 10.6 wrote utf8_… for utf8mb3_…. */
static bool is_old_utf8_name(struct slice name, const char *now)
{
    static const char old[] = "utf8_", new[] = "utf8mb3_";
    enum { OLD = sizeof old - 1, NEW = sizeof new - 1 };
    return name.len > OLD && strncmp(now, new, NEW) == 0 &&
           slice_ieq(slice_of(name.data, OLD), SLICE_LIT("utf8_")) &&
           slice_ieq_cstr(slice_of(name.data + OLD, name.len - OLD), now + NEW);
}

const struct charset_info *charset_of_collation(struct slice name)
{
    for (size_t i = 0; i < COLLATIONS; i++)
        if (slice_ieq_cstr(name, collations[i].name) || is_old_utf8_name(name, collations[i].name))
            return &charsets[collations[i].charset];
    return NULL;
}
