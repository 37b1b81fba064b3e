/* The catalogue's tables as CREATE TABLE statements. */
#include "vschema/catalog.h"

const char catalog_tenant_type[] = "VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin";

static void print_column(const char *name, const char *type, const char *options, struct buf *out)
{
    buf_printf(out, "    `%s` %s%s%s,\n", name, type, *options ? " " : "", options);
}

static void print_key(const struct catalog_key *key, struct buf *out)
{
    struct slice rest = slice_cstr(key->columns), column;
    const char *separator = "";
    if (key->name)
        buf_printf(out, "    %sKEY `%s` (", key->unique ? "UNIQUE " : "", key->name);
    else
        buf_append_cstr(out, "    PRIMARY KEY (");
    while (catalog_key_next(&rest, &column)) {
        buf_printf(out, "%s`%.*s`", separator, (int)column.len, column.data);
        separator = ", ";
    }
    buf_append_byte(out, ')');
}

static void print_head(const struct catalog_table *t, bool if_not_exists, struct buf *out)
{
    buf_printf(out, "CREATE TABLE %s`%s` (\n", if_not_exists ? "IF NOT EXISTS " : "", t->name);
}

static void print_tail(const struct catalog_key *keys, size_t count, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        print_key(&keys[i], out);
        buf_append_cstr(out, i + 1 < count ? ",\n" : "\n");
    }
    buf_append_cstr(out, ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin");
}

void catalog_legacy_ddl(const struct catalog_table *t, bool if_not_exists, struct buf *out)
{
    print_head(t, if_not_exists, out);
    for (size_t i = 0; i < t->column_count; i++)
        print_column(t->columns[i].name, t->columns[i].legacy_type, t->columns[i].options, out);
    print_tail(t->legacy_keys, t->legacy_key_count, out);
}

void catalog_tenant_ddl(const struct catalog_table *t, bool if_not_exists, struct buf *out)
{
    print_head(t, if_not_exists, out);
    print_column("tenant", catalog_tenant_type, "NOT NULL", out);
    for (size_t i = 0; i < t->column_count; i++)
        print_column(t->columns[i].name, t->columns[i].tenant_type, t->columns[i].options, out);
    print_tail(t->tenant_keys, t->tenant_key_count, out);
}
