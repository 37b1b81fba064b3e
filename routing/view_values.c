#include "routing/view_values.h"

/* ---- kinds of values ---- */

static void add_text(struct text *out, const char *s)
{
    text_literal(out, slice_cstr(s));
}

/* MariaDB makes a decimal out of two integers of which one is signed: numbers, NULL as well,
 * are as unsigned as the servers' own columns. */
static void add_number(struct text *out, uint64_t n)
{
    text_add(out, arena_printf(out->arena, "CAST(%llu AS UNSIGNED)", (unsigned long long)n));
}

static void add_signed(struct text *out, uint64_t n)
{
    text_add(out, arena_printf(out->arena, "%llu", (unsigned long long)n));
}

static void add_number_or_null(struct text *out, bool known, uint64_t n)
{
    if (known)
        add_number(out, n);
    else
        text_add(out, "CAST(NULL AS UNSIGNED)");
}

/* A described text, or NULL. */
static void add_described(struct text *out, bool known, const struct text *text)
{
    if (known)
        text_literal(out, text_slice(text));
    else
        text_add(out, "NULL");
}

#define CONSTANT(name, sql)                              \
    void name(const struct view_row *r, struct text *out) \
    {                                                    \
        (void)r;                                         \
        text_add(out, sql);                              \
    }

CONSTANT(value_def, "'def'")
CONSTANT(value_null, "NULL")
CONSTANT(value_no_number, "CAST(NULL AS UNSIGNED)")
CONSTANT(value_no_integer, "CAST(NULL AS SIGNED)")
CONSTANT(value_empty, "''")
CONSTANT(value_base_table, "'BASE TABLE'")
CONSTANT(value_innodb, "'InnoDB'")
CONSTANT(value_dynamic, "'Dynamic'")
CONSTANT(value_n, "'N'")
CONSTANT(value_no, "'NO'")
CONSTANT(value_yes, "'YES'")
CONSTANT(value_never, "'NEVER'")
CONSTANT(value_ascending, "'A'")
CONSTANT(value_btree, "'BTREE'")
CONSTANT(value_column_level, "'Column'")
CONSTANT(value_privileges, "'select,insert,update,references'")

/* ---- schemas and tables ---- */

void value_schema(const struct view_row *r, struct text *out)
{
    add_text(out, r->schema);
}

void value_table(const struct view_row *r, struct text *out)
{
    add_text(out, r->table->name);
}

void value_table_charset(const struct view_row *r, struct text *out)
{
    (void)r;
    add_text(out, table_charset);
}

void value_table_collation(const struct view_row *r, struct text *out)
{
    (void)r;
    add_text(out, table_collation);
}

/* Of the file that describes a table, in MariaDB; a CHECK makes it a newer one. */
void value_version(const struct view_row *r, struct text *out)
{
    struct text ignored = { .arena = out->arena };
    bool checked = false;
    if (r->dialect->flavour == FLAVOUR_MYSQL) {
        add_signed(out, 10);
        return;
    }
    for (size_t i = 0; i < r->table->column_count; i++)
        checked |= describe_check(&r->table->columns[i], r->dialect, &ignored);
    add_number(out, checked ? 11 : 10);
}

/* ---- columns ---- */

void value_column(const struct view_row *r, struct text *out)
{
    add_text(out, r->column->name);
}

void value_ordinal(const struct view_row *r, struct text *out)
{
    add_number(out, r->ordinal);
}

void value_place(const struct view_row *r, struct text *out)
{
    add_signed(out, r->ordinal);
}

void value_nullable(const struct view_row *r, struct text *out)
{
    add_text(out, r->column->nullable ? "YES" : "NO");
}

void value_type(const struct view_row *r, struct text *out)
{
    struct text type = { .arena = out->arena };
    describe_type(r->column, r->dialect, &type);
    add_described(out, true, &type);
}

void value_data_type(const struct view_row *r, struct text *out)
{
    add_text(out, describe_data_type(r->column, r->dialect));
}

void value_length(const struct view_row *r, struct text *out)
{
    uint64_t length, bytes;
    bool known = describe_length(r->column, r->dialect, &length, &bytes);
    add_number_or_null(out, known, length);
}

void value_octets(const struct view_row *r, struct text *out)
{
    uint64_t length, bytes;
    bool known = describe_length(r->column, r->dialect, &length, &bytes);
    add_number_or_null(out, known, bytes);
}

void value_precision(const struct view_row *r, struct text *out)
{
    uint64_t n;
    bool known = describe_precision(r->column, r->dialect, &n);
    add_number_or_null(out, known, n);
}

void value_scale(const struct view_row *r, struct text *out)
{
    uint64_t n;
    bool known = describe_scale(r->column, &n);
    add_number_or_null(out, known, n);
}

void value_fraction(const struct view_row *r, struct text *out)
{
    uint64_t n;
    bool known = describe_fraction(r->column, &n);
    add_number_or_null(out, known, n);
}

static void add_charset(const struct view_row *r, bool collation, struct text *out)
{
    struct slice names[2];
    if (describe_charset(r->column, r->dialect, &names[0], &names[1]))
        text_literal(out, names[collation]);
    else
        text_add(out, "NULL");
}

void value_charset(const struct view_row *r, struct text *out)
{
    add_charset(r, false, out);
}

void value_collation(const struct view_row *r, struct text *out)
{
    add_charset(r, true, out);
}

void value_default(const struct view_row *r, struct text *out)
{
    struct text text = { .arena = out->arena };
    bool known = describe_default(r->column, r->dialect, &text);
    add_described(out, known, &text);
}

void value_default_expression(const struct view_row *r, struct text *out)
{
    struct text text = { .arena = out->arena };
    bool known = describe_default_expression(r->column, r->dialect, &text);
    add_described(out, known, &text);
}

void value_extra(const struct view_row *r, struct text *out)
{
    struct text text = { .arena = out->arena };
    describe_extra(r->column, r->dialect, &text);
    add_described(out, true, &text);
}

void value_comment(const struct view_row *r, struct text *out)
{
    text_literal(out, r->column->comment);
}

void value_column_key(const struct view_row *r, struct text *out)
{
    add_text(out, describe_key(r->table, r->column));
}

/* ---- keys and constraints ---- */

void value_key(const struct view_row *r, struct text *out)
{
    add_text(out, r->key->name);
}

void value_non_unique(const struct view_row *r, struct text *out)
{
    add_signed(out, !r->key->unique);
}

void value_key_nullable(const struct view_row *r, struct text *out)
{
    add_text(out, r->column->nullable ? "YES" : "");
}

void value_constraint(const struct view_row *r, struct text *out)
{
    add_text(out, r->key ? r->key->name : r->column->name);
}

void value_constraint_type(const struct view_row *r, struct text *out)
{
    add_text(out, !r->key ? "CHECK" : r->key->primary ? "PRIMARY KEY" : "UNIQUE");
}

void value_check(const struct view_row *r, struct text *out)
{
    struct text text = { .arena = out->arena };
    bool known = describe_check(r->column, r->dialect, &text);
    add_described(out, known, &text);
}
