/* See legacy_column.h. Sources: page_protocol_com_query_response_text_resultset_column_definition,
 * group__group__cs__column__definition__flags. */
#include "proxy/legacy_column.h"

#include <stdio.h>

enum { TENANT_LENGTH = 255 }; /* of the column `tenant`, in characters */

static const struct catalog_column *column_of(const struct catalog_table *t)
{
    int index = catalog_column_index(t, slice_cstr(t->partition_key));
    return index < 0 ? NULL : &t->columns[index];
}

/* The shard's expression has room for a tenant and a separator besides, in characters of the
 * connection's character set. */
static bool shorten(const struct catalog_column *c, struct column_def *column)
{
    unsigned length;
    if (column->type != TYPE_VAR_STRING || sscanf(c->legacy_type, "VARCHAR(%u)", &length) != 1)
        return false;
    uint32_t whole = TENANT_LENGTH + 1 + length;
    if (column->length % whole)
        return false;
    column->length = column->length / whole * length;
    return true;
}

/* As servers set them when they open a table. */
static uint16_t flags_of_key(const struct catalog_key *k, struct slice column)
{
    struct slice rest = slice_cstr(k->columns), name;
    size_t count = 0, at = SIZE_MAX;
    for (; catalog_key_next(&rest, &name); count++)
        if (slice_ieq(name, column))
            at = count;
    if (at == SIZE_MAX)
        return 0;
    if (!k->name)
        return COLUMN_PART_KEY | COLUMN_PRIMARY_KEY;
    bool alone = k->unique && count == 1;
    return COLUMN_PART_KEY | (at ? 0 : alone ? COLUMN_UNIQUE_KEY : COLUMN_MULTIPLE_KEY);
}

static uint16_t key_flags(const struct catalog_table *t, struct slice column)
{
    uint16_t flags = 0;
    for (size_t i = 0; i < t->legacy_key_count; i++)
        flags |= flags_of_key(&t->legacy_keys[i], column);
    return flags;
}

/* Columns of a temporary table are part of no key, and stay so. */
bool legacy_column_flags(const struct catalog *catalog, struct column_def *column)
{
    const uint16_t keys =
        COLUMN_PART_KEY | COLUMN_PRIMARY_KEY | COLUMN_UNIQUE_KEY | COLUMN_MULTIPLE_KEY;
    const struct catalog_table *t = catalog_find(catalog, column->org_table);
    if (!t || !(column->flags & COLUMN_PART_KEY) || catalog_column_index(t, column->org_name) < 0)
        return false;
    uint16_t before = column->flags;
    column->flags = (uint16_t)((before & ~keys) | key_flags(t, column->org_name));
    return column->flags != before;
}

static uint16_t null_flags(const struct catalog_column *c, bool nullable)
{
    bool not_null = strstr(c->options, "NOT NULL") != NULL;
    uint16_t no_default = not_null && !strstr(c->options, "DEFAULT") ? COLUMN_NO_DEFAULT : 0;
    return (uint16_t)(no_default | (not_null && !nullable ? COLUMN_NOT_NULL : 0));
}

/* Servers give the column of a derived table the names that the client has given, MySQL but for the
 * table behind it, MariaDB but for the database of a temporary table. */
static void name(const struct result_key *key, struct slice database, bool has_database,
                 struct column_def *column)
{
    struct slice table = slice_cstr(key->table->name);
    if (!key->derived || has_database)
        column->schema = database;
    if (!key->derived || !column->org_table.len)
        column->org_table = table;
    if (key->derived)
        return;
    column->table = key->name;
    column->org_name = slice_cstr(key->table->partition_key);
}

/* Columns of a temporary table, as of DISTINCT and GROUP BY, are part of no key. That there was one
 * is told by the expression's decimals, which it loses there. */
bool legacy_key_define(const struct result_key *key, struct slice database,
                       enum flavour flavour, struct column_def *column)
{
    const struct catalog_column *c = column_of(key->table);
    if (!c || !shorten(c, column))
        return false;
    uint16_t kept = column->flags & COLUMN_BINARY;
    struct slice its_name = slice_cstr(key->table->partition_key);
    bool temporary = !column->decimals;
    uint16_t keys = temporary ? 0 : key_flags(key->table, its_name);
    column->flags = (uint16_t)(kept | keys | null_flags(c, key->nullable));
    column->decimals = 0;
    name(key, database, flavour == FLAVOUR_MYSQL || !temporary, column);
    return true;
}
