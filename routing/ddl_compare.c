/* Compares a CREATE TABLE with the catalogue: names and order of the columns, types,
 * nullability, defaults, AUTO_INCREMENT, primary key and unique keys. Other indexes change no
 * answer. Columns that older releases lack may be missing. */
#include "routing/ddl.h"

/* Which catalogue columns and keys the statement has shown so far. */
struct comparison {
    struct planner *p;
    const struct catalog_table *table;
    struct text differences;
    int last_column; /* its index; columns come in order */
    uint64_t seen_columns, seen_keys;
};

__attribute__((format(printf, 2, 3))) static void differ(struct comparison *c, const char *format,
                                                         ...)
{
    va_list ap;
    if (c->differences.len)
        text_add(&c->differences, "; ");
    va_start(ap, format);
    text_add(&c->differences, arena_vprintf(c->p->arena, format, ap));
    va_end(ap);
}

/* ---- types ---- */

/* The words of a type, one after the other: synonyms made one, display widths left out. */
struct type_words {
    const struct lexed *l;
    uint32_t next, end; /* tokens */
};

static struct slice one_spelling(struct slice word)
{
    static const char *const synonyms[][2] = {
        { "BOOL", "TINYINT" },    { "BOOLEAN", "TINYINT" }, { "INTEGER", "INT" },
        { "NUMERIC", "DECIMAL" }, { "DEC", "DECIMAL" },     { "REAL", "DOUBLE" },
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (slice_ieq_cstr(word, synonyms[i][0]))
            return slice_cstr(synonyms[i][1]);
    return word;
}

static bool is_integer_type(struct slice word)
{
    static const char *const names[] = { "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_ieq_cstr(word, names[i]))
            return true;
    return false;
}

static bool next_word(struct type_words *w, struct slice *ret_word, uint32_t *ret_token)
{
    if (w->next >= w->end)
        return false;
    *ret_token = w->next;
    *ret_word = one_spelling(token_text(w->l, w->next++));
    if (is_integer_type(*ret_word) && w->next + 3 <= w->end &&
        token_is_op(&w->l->tokens[w->next], OP_LPAREN))
        w->next += 3;
    return true;
}

static bool is_literal(const struct lexed *l, uint32_t token)
{
    return l->tokens[token].kind >= TOKEN_STRING && l->tokens[token].kind <= TOKEN_FLOAT;
}

static void expect_literal(struct comparison *c, const struct catalog_column *column,
                           uint32_t token, struct slice expected)
{
    struct literal_check *check = vector_add(&c->p->literal_checks, c->p->arena, sizeof *check);
    *check = (struct literal_check){ .token = token, .expected = expected, .column = column->name };
}

static bool same_types(struct comparison *c, const struct catalog_column *column,
                       struct type_words ours, struct type_words theirs)
{
    struct slice a, b;
    uint32_t at, token;
    while (next_word(&ours, &a, &at)) {
        if (!next_word(&theirs, &b, &token))
            return false;
        if (is_literal(ours.l, at) && is_literal(theirs.l, token))
            expect_literal(c, column, token, arena_copy(c->p->arena, a));
        else if (!slice_ieq(a, b))
            return false;
    }
    return !next_word(&theirs, &b, &token);
}

static bool lex_catalog(struct comparison *c, const char *text, struct lexed *ret)
{
    return lex(slice_cstr(text), c->p->dialect, c->p->arena, ret, NULL) == MQ_OK;
}

static const struct node *find_option(const struct node *definition, enum keyword op)
{
    for (const struct node *n = definition->child; n; n = n->next)
        if (n->kind == N_COLUMN_OPTION && n->op == op)
            return n;
    return NULL;
}

/* To MariaDB, JSON is another word for `longtext … CHECK (json_valid(column))`, and that is what
 * SHOW CREATE TABLE and dumps show. */
static bool is_json_of_mariadb(const struct comparison *c, const struct catalog_column *column,
                               const struct node *definition)
{
    const struct lexed *l = c->p->l;
    const struct node *type = definition->child->next;
    const struct node *check = find_option(definition, KW_CHECK);
    const struct node *call = check ? check->child : NULL;
    return c->p->dialect->flavour == FLAVOUR_MARIADB && strcmp(column->legacy_type, "JSON") == 0 &&
           type->first == type->last && slice_ieq_cstr(token_text(l, type->first), "LONGTEXT") &&
           call && call->kind == N_FUNCTION &&
           slice_ieq_cstr(token_text(l, call->first), "json_valid") && call->child &&
           call->child->kind == N_COLUMN && !call->child->next &&
           slice_ieq_cstr(plan_name(c->p, call->child), column->name);
}

static void compare_type(struct comparison *c, const struct catalog_column *column,
                         const struct node *definition)
{
    struct lexed ours;
    const struct node *type = definition->child->next;
    struct type_words theirs = { c->p->l, type->first, type->last + 1 };
    if (is_json_of_mariadb(c, column, definition))
        return;
    if (!lex_catalog(c, column->legacy_type, &ours) ||
        !same_types(c, column, (struct type_words){ &ours, 0, ours.count }, theirs))
        differ(c, "column %s is %s in the catalogue", column->name, column->legacy_type);
}

/* ---- options ---- */

/* The token behind DEFAULT in the catalogue's options, or the end. */
static uint32_t find_word(const struct lexed *l, enum keyword word)
{
    uint32_t i = 0;
    while (i < l->count && !token_is_keyword(&l->tokens[i], word))
        i++;
    return i;
}

/* FALSE and 0 are one value. */
static struct slice default_text(const struct lexed *l, uint32_t token)
{
    if (token_is_keyword(&l->tokens[token], KW_FALSE))
        return SLICE_LIT("0");
    if (token_is_keyword(&l->tokens[token], KW_TRUE))
        return SLICE_LIT("1");
    return token_text(l, token);
}

static void compare_default(struct comparison *c, const struct catalog_column *column,
                            const struct node *option, const struct lexed *ours)
{
    uint32_t at = find_word(ours, KW_DEFAULT) + 1;
    const struct node *value = option ? option->child : NULL;
    bool none = !value || (value->kind == N_LITERAL && value->op == KW_NULL);
    if (none && at >= ours->count)
        return;
    if (none || at >= ours->count || value->first != value->last) {
        differ(c, "column %s has another default in the catalogue", column->name);
        return;
    }
    struct slice expected = arena_copy(c->p->arena, default_text(ours, at));
    if (is_literal(c->p->l, value->first))
        expect_literal(c, column, value->first, expected);
    else if (!slice_eq(default_text(c->p->l, value->first), expected))
        differ(c, "column %s has another default in the catalogue", column->name);
}

static bool in_primary_key(const struct catalog_table *table, const char *column)
{
    struct slice rest = slice_cstr(table->legacy_keys[0].columns), name;
    while (catalog_key_next(&rest, &name))
        if (slice_ieq_cstr(name, column))
            return true;
    return false;
}

static void compare_options(struct comparison *c, const struct catalog_column *column,
                            const struct node *definition)
{
    struct lexed ours;
    bool key = in_primary_key(c->table, column->name);
    if (!lex_catalog(c, column->options, &ours))
        return;
    if (!key && (find_word(&ours, KW_NOT) < ours.count) != !!find_option(definition, KW_NOT))
        differ(c, "column %s differs in NOT NULL", column->name);
    if ((find_word(&ours, KW_AUTO_INCREMENT) < ours.count) !=
        !!find_option(definition, KW_AUTO_INCREMENT))
        differ(c, "column %s differs in AUTO_INCREMENT", column->name);
    if (find_option(definition, KW_GENERATED) || find_option(definition, KW_UNIQUE) ||
        find_option(definition, KW_ON) || find_option(definition, KW_REFERENCES))
        differ(c, "column %s has an option that the catalogue lacks", column->name);
    compare_default(c, column, find_option(definition, KW_DEFAULT), &ours);
}

/* ---- columns ---- */

static void compare_column(struct comparison *c, const struct node *definition)
{
    struct slice name = plan_name(c->p, definition);
    int index = catalog_column_index(c->table, name);
    if (index < 0) {
        differ(c, "column %.*s is not in the catalogue", NAME_FORMAT(name));
        return;
    }
    const struct catalog_column *column = &c->table->columns[index];
    if (index <= c->last_column)
        differ(c, "column %s stands out of order", column->name);
    c->last_column = index;
    c->seen_columns |= UINT64_C(1) << (index & 63);
    compare_type(c, column, definition);
    compare_options(c, column, definition);
}

static void report_missing_columns(struct comparison *c)
{
    for (size_t i = 0; i < c->table->column_count; i++)
        if (!c->table->columns[i].optional && !(c->seen_columns >> (i & 63) & 1))
            differ(c, "column %s is missing", c->table->columns[i].name);
}

/* ---- keys ---- */

/* A column without a length, which would make another key of it. */
static bool is_plain_part(const struct node *part)
{
    uint32_t words = part->op ? 1 : 0;
    return part->child && part->child->kind == N_COLUMN && part->last == part->child->last + words;
}

static bool same_key(struct comparison *c, const struct catalog_key *key, const struct node *def)
{
    struct slice rest = slice_cstr(key->columns), name;
    const struct node *part = node_find(def, N_KEY_PART);
    while (catalog_key_next(&rest, &name)) {
        if (!part || !is_plain_part(part) || !slice_ieq(plan_name(c->p, part->child), name))
            return false;
        part = part->next;
    }
    return !part;
}

static void compare_key(struct comparison *c, const struct node *def)
{
    if (def->op == KW_KEY || def->op == KW_FULLTEXT || def->op == KW_SPATIAL)
        return;
    for (size_t i = 0; i < c->table->legacy_key_count; i++) {
        const struct catalog_key *key = &c->table->legacy_keys[i];
        bool alike = key->name ? def->op == KW_UNIQUE && key->unique : def->op == KW_PRIMARY;
        if (alike && same_key(c, key, def)) {
            c->seen_keys |= UINT64_C(1) << (i & 63);
            return;
        }
    }
    differ(c, "a %s key that the catalogue lacks", keyword_text((enum keyword)def->op));
}

/* `offset … PRIMARY KEY` behind the column itself. */
static void compare_inline_key(struct comparison *c, const struct node *definition)
{
    const struct catalog_key *key = &c->table->legacy_keys[0];
    if (!find_option(definition, KW_PRIMARY))
        return;
    if (slice_ieq_cstr(plan_name(c->p, definition), key->columns))
        c->seen_keys |= 1;
    else
        differ(c, "the primary key is (%s) in the catalogue", key->columns);
}

static void report_missing_keys(struct comparison *c)
{
    for (size_t i = 0; i < c->table->legacy_key_count; i++) {
        const struct catalog_key *key = &c->table->legacy_keys[i];
        if (key->unique && !(c->seen_keys >> (i & 63) & 1))
            differ(c, "%s (%s) is missing", key->name ? "the unique key" : "the primary key",
                   key->columns);
    }
}

enum err_code ddl_compare(struct planner *p, const struct node *create,
                          const struct catalog_table *table)
{
    struct comparison c = {
        .p = p, .table = table, .differences = { .arena = p->arena }, .last_column = -1
    };
    if (!table->legacy_key_count || table->column_count > 64)
        return reject(p, MQ_TABLE_DEFINITION, "the catalogue cannot tell how %s was defined",
                      table->name);
    for (const struct node *n = create->child; n; n = n->next) {
        if (n->kind == N_COLUMN_DEF) {
            compare_column(&c, n);
            compare_inline_key(&c, n);
        } else if (n->kind == N_KEY_DEF) {
            compare_key(&c, n);
        }
    }
    report_missing_columns(&c);
    report_missing_keys(&c);
    if (!c.differences.len)
        return MQ_OK;
    return reject(p, MQ_TABLE_DEFINITION, "%s: %.*s", table->name, (int)c.differences.len,
                  c.differences.data);
}
