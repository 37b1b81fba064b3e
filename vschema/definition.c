#include "vschema/definition.h"

const char table_charset[] = "utf8mb4", table_collation[] = "utf8mb4_bin";

static const struct column_type types[] = {
#define COLUMN_TYPE_ROW(word, kind, name, size, unsigned_size, digits) \
    { #word, name, COLUMN_##kind, size, unsigned_size, digits },
#include "vschema/column_types.def"
#undef COLUMN_TYPE_ROW
};

static const struct {
    const char *name;
    unsigned bytes;
} charsets[] = { { "utf8mb4", 4 }, { "utf8mb3", 3 }, { "latin1", 1 }, { "ascii", 1 } };

/* ---- reading a definition ---- */

struct reading {
    struct slice rest;
    struct arena *arena;
    struct column_definition *column;
};

static void skip_spaces(struct reading *r)
{
    r->rest = slice_trim(r->rest);
}

static struct slice take(struct reading *r, size_t len)
{
    struct slice taken = slice_of(r->rest.data, len);
    r->rest = slice_of(r->rest.data + len, r->rest.len - len);
    skip_spaces(r);
    return taken;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_length(const struct reading *r)
{
    size_t n = 0;
    while (n < r->rest.len && is_word_byte(r->rest.data[n]))
        n++;
    return n;
}

static struct slice take_word(struct reading *r)
{
    return take(r, word_length(r));
}

static bool accept(struct reading *r, const char *word)
{
    struct slice here = slice_of(r->rest.data, word_length(r));
    if (!here.len || !slice_ieq_cstr(here, word))
        return false;
    take(r, here.len);
    return true;
}

static bool accept_sign(struct reading *r, char sign)
{
    if (!r->rest.len || r->rest.data[0] != sign)
        return false;
    take(r, 1);
    return true;
}

static bool take_number(struct reading *r, uint64_t *ret)
{
    unsigned long long n;
    if (!slice_to_u64(take_word(r), &n))
        return false;
    *ret = n;
    return true;
}

/* '…' with doubled quotes; a backslash would need a sql_mode. */
static bool take_string(struct reading *r, struct slice *ret)
{
    struct slice s = r->rest;
    char *text = arena_alloc(r->arena, s.len + 1);
    size_t len = 0;
    if (!s.len || s.data[0] != '\'')
        return false;
    for (size_t i = 1; i < s.len && s.data[i] != '\\'; i++) {
        if (s.data[i] == '\'' && (i + 1 == s.len || s.data[i + 1] != '\'')) {
            take(r, i + 1);
            *ret = slice_of(text, len);
            return true;
        }
        i += s.data[i] == '\'';
        text[len++] = s.data[i];
    }
    return false;
}

/* ---- its parts ---- */

static bool read_type(struct reading *r)
{
    struct slice word = take_word(r);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_ieq_cstr(word, types[i].word))
            r->column->type = &types[i];
    return r->column->type != NULL;
}

static bool read_arguments(struct reading *r)
{
    struct column_definition *c = r->column;
    if (!accept_sign(r, '('))
        return true;
    c->has_first = true;
    if (!take_number(r, &c->first))
        return false;
    c->has_second = accept_sign(r, ',');
    if (c->has_second && !take_number(r, &c->second))
        return false;
    return accept_sign(r, ')');
}

static bool read_now(struct reading *r)
{
    uint64_t digits = 0;
    bool plain = !accept_sign(r, '(') || accept_sign(r, ')') ||
                 (take_number(r, &digits) && accept_sign(r, ')'));
    return plain && r->column->type->kind == COLUMN_TIME &&
           strcmp(r->column->type->name, "datetime") == 0 && digits == r->column->first;
}

/* Numbers the way a server tells them: "007" and "1.50" would need rounding to the type. */
static bool read_number(struct reading *r)
{
    const char *start = r->rest.data;
    accept_sign(r, '-');
    struct slice digits = take_word(r);
    unsigned long long n;
    r->column->default_kind = DEFAULT_NUMBER;
    r->column->default_text = slice_of(start, (size_t)(digits.data + digits.len - start));
    return slice_to_u64(digits, &n) && (digits.data[0] != '0' || digits.len == 1) &&
           (r->column->type->kind == COLUMN_INTEGER || r->column->type->kind == COLUMN_BOOLEAN);
}

static bool read_default(struct reading *r)
{
    struct column_definition *c = r->column;
    bool yes = accept(r, "TRUE");
    if (yes || accept(r, "FALSE")) {
        c->default_kind = DEFAULT_NUMBER;
        c->default_text = yes ? SLICE_LIT("1") : SLICE_LIT("0");
        return c->type->kind == COLUMN_INTEGER || c->type->kind == COLUMN_BOOLEAN;
    }
    if (accept(r, "NULL")) {
        c->default_kind = DEFAULT_NULL;
        return true;
    }
    if (accept(r, "CURRENT_TIMESTAMP") || accept(r, "NOW")) {
        c->default_kind = DEFAULT_NOW;
        return read_now(r);
    }
    if (r->rest.len && r->rest.data[0] == '\'') {
        c->default_kind = DEFAULT_STRING;
        return take_string(r, &c->default_text) && c->type->kind == COLUMN_CHAR;
    }
    return read_number(r);
}

static bool read_option(struct reading *r)
{
    struct column_definition *c = r->column;
    if (accept(r, "UNSIGNED"))
        return c->is_unsigned = true;
    if (accept(r, "ZEROFILL"))
        return c->is_unsigned = c->zerofill = true;
    if (accept(r, "NOT")) {
        c->nullable = false;
        return accept(r, "NULL");
    }
    if (accept(r, "NULL"))
        return true;
    if (accept(r, "AUTO_INCREMENT"))
        return c->auto_increment = true;
    if (accept(r, "DEFAULT"))
        return read_default(r);
    if (accept(r, "COMMENT"))
        return take_string(r, &c->comment);
    if (accept(r, "CHARSET") || (accept(r, "CHARACTER") && accept(r, "SET"))) {
        c->charset = take_word(r);
        return true;
    }
    if (accept(r, "COLLATE")) {
        c->collation = take_word(r);
        return true;
    }
    return accept(r, "ON") && accept(r, "UPDATE") && accept(r, "CURRENT_TIMESTAMP") &&
           (c->on_update_now = read_now(r));
}

/* ---- what follows from the parts ---- */

static bool has_characters(const struct column_definition *c)
{
    return c->type->kind == COLUMN_CHAR || c->type->kind == COLUMN_TEXT;
}

/* Which collation of a set is its default, and how servers tell of it, differs. */
static bool is_default_collation(struct slice collation)
{
    static const char *const defaults[] = { "utf8mb4_0900_ai_ci", "utf8mb3_general_ci",
                                            "latin1_swedish_ci", "ascii_general_ci" };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (slice_ieq_cstr(collation, defaults[i]))
            return true;
    return false;
}

/* A collation's name begins with that of its character set. */
static bool settle_charset(struct column_definition *c)
{
    if (!has_characters(c))
        return !c->charset.len && !c->collation.len;
    if ((c->charset.len && !c->collation.len) || is_default_collation(c->collation))
        return false;
    c->names_charset = c->collation.len != 0;
    if (!c->collation.len)
        c->collation = slice_cstr(table_collation);
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++) {
        struct slice name = slice_cstr(charsets[i].name);
        if (c->collation.len <= name.len || c->collation.data[name.len] != '_' ||
            !slice_ieq(slice_of(c->collation.data, name.len), name))
            continue;
        if (c->charset.len && !slice_ieq(c->charset, name))
            return false;
        c->charset = name;
        c->charset_bytes = charsets[i].bytes;
        return true;
    }
    return false;
}

static bool settle_arguments(struct column_definition *c)
{
    switch (c->type->kind) {
    case COLUMN_INTEGER:
    case COLUMN_TIME:
        return !c->has_second;
    case COLUMN_DECIMAL:
        if (!c->has_first)
            c->first = 10;
        return true;
    case COLUMN_CHAR:
    case COLUMN_BINARY:
        if (!c->has_first)
            c->first = 1;
        return !c->has_second && (c->has_first || c->type->name[0] != 'v');
    default:
        return !c->has_first;
    }
}

static bool settle(struct column_definition *c)
{
    bool number = c->type->kind <= COLUMN_APPROXIMATE;
    return settle_arguments(c) && settle_charset(c) && (number || !c->is_unsigned) &&
           (c->default_kind != DEFAULT_NULL || c->nullable);
}

static bool read_column(struct reading *r)
{
    if (!read_type(r) || !read_arguments(r))
        return false;
    r->column->nullable = true;
    while (r->rest.len)
        if (!read_option(r))
            return false;
    return settle(r->column);
}

/* ---- tables ---- */

static enum err_code add_column(struct table_definition *t, const char *name, const char *type,
                                const char *options, struct arena *arena, struct err *reterr)
{
    struct column_definition *c = &t->columns[t->column_count++];
    char *definition = arena_printf(arena, "%s %s", type, options);
    struct reading r = { .rest = slice_cstr(definition), .arena = arena, .column = c };
    c->name = name;
    skip_spaces(&r);
    if (read_column(&r))
        return MQ_OK;
    return err_set(reterr, MQ_NOT_UNDERSTOOD, "column %s of %s cannot be described: %s", name,
                   t->name, definition);
}

static struct column_definition *find_column(const struct table_definition *t, struct slice name)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (slice_ieq_cstr(name, t->columns[i].name))
            return &t->columns[i];
    return NULL;
}

static void add_key(struct table_definition *t, const struct catalog_key *key, struct arena *arena)
{
    struct key_definition *k = &t->keys[t->key_count++];
    struct slice rest = slice_cstr(key->columns), column;
    *k = (struct key_definition){ .name = key->name ? key->name : "PRIMARY",
                             .unique = key->unique || !key->name,
                             .primary = !key->name };
    k->columns = arena_array(arena, const struct column_definition *, t->column_count);
    while (catalog_key_next(&rest, &column) && k->column_count < t->column_count) {
        struct column_definition *c = find_column(t, column);
        if (!c)
            continue;
        c->nullable = c->nullable && !k->primary;
        k->columns[k->column_count++] = c;
    }
}

static void add_keys(struct table_definition *t, const struct catalog_key *keys, size_t count,
                     struct arena *arena)
{
    t->keys = arena_array(arena, struct key_definition, count + 1);
    for (int rank = 0; rank < 3; rank++)
        for (size_t i = 0; i < count; i++)
            if (rank == (!keys[i].name ? 0 : keys[i].unique ? 1 : 2))
                add_key(t, &keys[i], arena);
}

enum err_code define_table(const struct catalog_table *t, bool tenant, struct arena *arena,
                             const struct table_definition **ret, struct err *reterr)
{
    struct table_definition *d = arena_new(arena, struct table_definition);
    enum err_code code = MQ_OK;
    d->name = t->name;
    d->columns = arena_array(arena, struct column_definition, t->column_count + 1);
    if (tenant)
        code = add_column(d, "tenant", catalog_tenant_type, "NOT NULL", arena, reterr);
    for (size_t i = 0; i < t->column_count && !code; i++) {
        const struct catalog_column *c = &t->columns[i];
        code = add_column(d, c->name, tenant ? c->tenant_type : c->legacy_type, c->options,
                          arena, reterr);
    }
    if (tenant)
        add_keys(d, t->tenant_keys, t->tenant_key_count, arena);
    else
        add_keys(d, t->legacy_keys, t->legacy_key_count, arena);
    *ret = d;
    return code;
}
