#include "routing/describe.h"

enum {
    MYSQL_WITHOUT_WIDTHS = 80019, /* int(11) became int */
};

static bool is_mariadb(const struct dialect *d)
{
    return d->flavour == FLAVOUR_MARIADB;
}

static bool has_widths(const struct dialect *d)
{
    return is_mariadb(d) || d->version_min < MYSQL_WITHOUT_WIDTHS;
}

static void add_number(struct text *out, uint64_t n)
{
    text_add(out, arena_printf(out->arena, "%llu", (unsigned long long)n));
}

static void add_quoted(struct text *out, struct slice s)
{
    text_add(out, "'");
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '\'')
            text_add(out, "'");
        text_slice_add(out, slice_of(s.data + i, 1));
    }
    text_add(out, "'");
}

static bool is_json_text(const struct column_definition *c, const struct dialect *d)
{
    return c->type->kind == COLUMN_JSON && is_mariadb(d);
}

/* ---- types ---- */

/* Without widths only tinyint(1), by which drivers know a boolean, and ZEROFILL keep theirs. */
static uint64_t display_width(const struct column_definition *c, const struct dialect *d)
{
    uint64_t usual = c->is_unsigned ? c->type->unsigned_size : c->type->size;
    uint64_t width = c->type->kind == COLUMN_BOOLEAN ? 1 : c->has_first ? c->first : usual;
    bool is_bool = width == 1 && !c->is_unsigned && strcmp(c->type->name, "tinyint") == 0;
    return has_widths(d) || is_bool || c->zerofill ? width : 0;
}

static void add_arguments(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    uint64_t first = c->first;
    if (c->type->kind == COLUMN_INTEGER || c->type->kind == COLUMN_BOOLEAN)
        first = display_width(c, d);
    else if (c->type->kind == COLUMN_YEAR)
        first = has_widths(d) ? 4 : 0;
    if (!first && c->type->kind != COLUMN_CHAR && c->type->kind != COLUMN_BINARY)
        return;
    text_add(out, "(");
    add_number(out, first);
    if (c->type->kind == COLUMN_DECIMAL) {
        text_add(out, ",");
        add_number(out, c->second);
    }
    text_add(out, ")");
}

const char *describe_data_type(const struct column_definition *c, const struct dialect *d)
{
    return is_json_text(c, d) ? "longtext" : c->type->name;
}

void describe_type(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    text_add(out, describe_data_type(c, d));
    add_arguments(c, d, out);
    if (c->is_unsigned)
        text_add(out, " unsigned");
    if (c->zerofill)
        text_add(out, " zerofill");
}

bool describe_charset(const struct column_definition *c, const struct dialect *d,
                      struct slice *ret_charset, struct slice *ret_collation)
{
    bool json = is_json_text(c, d);
    *ret_charset = json ? slice_cstr(table_charset) : c->charset;
    *ret_collation = json ? slice_cstr(table_collation) : c->collation;
    return ret_charset->len != 0;
}

bool describe_length(const struct column_definition *c, const struct dialect *d, uint64_t *ret_length,
                     uint64_t *ret_bytes)
{
    *ret_length = *ret_bytes = c->type->size;
    if (is_json_text(c, d))
        *ret_length = *ret_bytes = UINT32_MAX;
    else if (c->type->kind == COLUMN_CHAR || c->type->kind == COLUMN_BINARY)
        *ret_length = *ret_bytes = c->first;
    if (c->type->kind == COLUMN_CHAR)
        *ret_bytes *= c->charset_bytes;
    return (c->type->kind >= COLUMN_CHAR && c->type->kind <= COLUMN_BLOB) || is_json_text(c, d);
}

/* An unsigned type may hold one digit more. */
bool describe_precision(const struct column_definition *c, const struct dialect *d, uint64_t *ret)
{
    bool longer = strcmp(c->type->name, "bigint") == 0 ||
                  (is_mariadb(d) && strcmp(c->type->name, "mediumint") == 0);
    *ret = c->type->kind == COLUMN_DECIMAL ? c->first
                                           : c->type->digits + (longer && c->is_unsigned);
    return c->type->kind <= COLUMN_APPROXIMATE;
}

bool describe_scale(const struct column_definition *c, uint64_t *ret)
{
    *ret = c->type->kind == COLUMN_DECIMAL ? c->second : 0;
    return c->type->kind < COLUMN_APPROXIMATE;
}

bool describe_fraction(const struct column_definition *c, uint64_t *ret)
{
    *ret = c->first;
    return c->type->kind == COLUMN_TIME;
}

/* ---- defaults ---- */

static void add_now(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    text_add(out, is_mariadb(d) ? "current_timestamp" : "CURRENT_TIMESTAMP");
    if (!c->first && !is_mariadb(d))
        return;
    text_add(out, "(");
    if (c->first)
        add_number(out, c->first);
    text_add(out, ")");
}

bool describe_default(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    if (c->default_kind == DEFAULT_NONE || c->default_kind == DEFAULT_NULL)
        return false;
    if (c->default_kind == DEFAULT_NOW)
        add_now(c, d, out);
    else
        text_slice_add(out, c->default_text);
    return true;
}

bool describe_default_expression(const struct column_definition *c, const struct dialect *d,
                                 struct text *out)
{
    if (!is_mariadb(d) || c->default_kind == DEFAULT_NUMBER || c->default_kind == DEFAULT_NOW)
        return describe_default(c, d, out);
    if (c->default_kind == DEFAULT_STRING)
        add_quoted(out, c->default_text);
    else if (c->nullable)
        text_add(out, "NULL");
    return c->default_kind == DEFAULT_STRING || c->nullable;
}

void describe_extra(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    if (c->auto_increment)
        text_add(out, "auto_increment");
    if (c->default_kind == DEFAULT_NOW && !is_mariadb(d))
        text_add(out, "DEFAULT_GENERATED");
    if (!c->on_update_now)
        return;
    text_add(out, out->len ? " on update " : "on update ");
    add_now(c, d, out);
}

/* ---- keys ---- */

const char *describe_key(const struct table_definition *t, const struct column_definition *c)
{
    const char *key = "";
    for (size_t i = 0; i < t->key_count; i++) {
        const struct key_definition *k = &t->keys[i];
        for (size_t n = 0; n < k->column_count && k->primary; n++)
            if (k->columns[n] == c)
                return "PRI";
        if (k->column_count && k->columns[0] == c && !*key)
            key = k->unique && k->column_count == 1 ? "UNI" : "MUL";
    }
    return key;
}

bool describe_check(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    if (!is_json_text(c, d))
        return false;
    text_add(out, "json_valid(");
    text_ident(out, slice_cstr(c->name));
    text_add(out, ")");
    return true;
}

/* ---- SHOW CREATE TABLE ---- */

/* "ident" under ANSI_QUOTES. */
static void add_ident(struct text *out, const struct dialect *d, const char *name)
{
    const char *quote = d->modes & MODE_ANSI_QUOTES ? "\"" : "`";
    text_add(out, quote);
    for (; *name; name++) {
        if (*name == *quote)
            text_add(out, quote);
        text_slice_add(out, slice_of(name, 1));
    }
    text_add(out, quote);
}

/* MySQL tells every collation that is not its character set's default, and the set if the
 * definition did; MariaDB what differs from the table's. */
static void add_collation(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    bool usual = slice_ieq_cstr(c->collation, table_collation);
    if (!c->charset.len || (usual && is_mariadb(d)))
        return;
    if (!usual || c->names_charset) {
        text_add(out, " CHARACTER SET ");
        text_slice_add(out, c->charset);
    }
    text_add(out, " COLLATE ");
    text_slice_add(out, c->collation);
}

/* MySQL quotes numbers, and leaves DEFAULT NULL out where no other default could stand. */
static void add_default(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    bool text_or_blob = c->type->kind == COLUMN_TEXT || c->type->kind == COLUMN_BLOB;
    if (c->default_kind == DEFAULT_NONE || c->default_kind == DEFAULT_NULL) {
        if (c->nullable && (is_mariadb(d) || !text_or_blob))
            text_add(out, " DEFAULT NULL");
        return;
    }
    text_add(out, " DEFAULT ");
    if (c->default_kind == DEFAULT_NOW)
        add_now(c, d, out);
    else if (c->default_kind == DEFAULT_NUMBER && is_mariadb(d))
        text_slice_add(out, c->default_text);
    else
        add_quoted(out, c->default_text);
}

static void add_column(const struct column_definition *c, const struct dialect *d, struct text *out)
{
    struct text check = { .arena = out->arena };
    text_add(out, "  ");
    add_ident(out, d, c->name);
    text_add(out, " ");
    describe_type(c, d, out);
    add_collation(c, d, out);
    if (!c->nullable)
        text_add(out, " NOT NULL");
    if (!c->auto_increment)
        add_default(c, d, out);
    if (c->on_update_now) {
        text_add(out, " ON UPDATE ");
        add_now(c, d, out);
    }
    if (c->auto_increment)
        text_add(out, " AUTO_INCREMENT");
    if (c->comment.len) {
        text_add(out, " COMMENT ");
        add_quoted(out, c->comment);
    }
    if (describe_check(c, d, &check)) {
        text_add(out, " CHECK (json_valid(");
        add_ident(out, d, c->name);
        text_add(out, "))");
    }
}

static void add_key(const struct key_definition *k, const struct dialect *d, struct text *out)
{
    text_add(out, k->primary ? "  PRIMARY KEY (" : k->unique ? "  UNIQUE KEY " : "  KEY ");
    if (!k->primary) {
        add_ident(out, d, k->name);
        text_add(out, " (");
    }
    for (size_t i = 0; i < k->column_count; i++) {
        text_add(out, i ? "," : "");
        add_ident(out, d, k->columns[i]->name);
    }
    text_add(out, ")");
}

void describe_table(const struct table_definition *t, const struct dialect *d, struct text *out)
{
    text_add(out, "CREATE TABLE ");
    add_ident(out, d, t->name);
    text_add(out, " (\n");
    for (size_t i = 0; i < t->column_count; i++) {
        text_add(out, i ? ",\n" : "");
        add_column(&t->columns[i], d, out);
    }
    for (size_t i = 0; i < t->key_count; i++) {
        text_add(out, ",\n");
        add_key(&t->keys[i], d, out);
    }
    text_add(out, "\n) ENGINE=InnoDB DEFAULT CHARSET=");
    text_add(out, table_charset);
    text_add(out, " COLLATE=");
    text_add(out, table_collation);
}
