#include "routing/views.h"

#include <stdlib.h>

#include "routing/view_values.h"

enum view_rows {
    NO_ROW, /* the legacy schema has none of these */
    EACH_SCHEMA,
    EACH_TABLE,
    EACH_COLUMN,
    EACH_KEY_PART,
    EACH_UNIQUE_PART,
    EACH_CONSTRAINT,
    EACH_CHECK,
};

struct view_column {
    const char *heading, *source;
    view_value *value;
    uint32_t mysql, mariadb;
};

#define VIEW_BEGIN(id, table, rows) static const struct view_column columns_##id[] = {
#define VIEW_COLUMN(heading, source, value, mysql, mariadb) \
    { heading, source, value, mysql, mariadb },
#define VIEW_END \
    }            \
    ;
#include "routing/views.def"
#undef VIEW_BEGIN
#undef VIEW_COLUMN
#undef VIEW_END

static const struct view {
    const char *table;
    enum view_rows rows;
    const struct view_column *columns;
    size_t column_count;
} views[] = {
#define VIEW_BEGIN(id, table, rows) \
    { table, rows, columns_##id, sizeof columns_##id / sizeof *columns_##id },
#define VIEW_COLUMN(heading, source, value, mysql, mariadb)
#define VIEW_END
#include "routing/views.def"
#undef VIEW_BEGIN
#undef VIEW_COLUMN
#undef VIEW_END
};

/* ---- columns ---- */

static bool has_column(const struct dialect *d, const struct view_column *c)
{
    uint32_t since = d->flavour == FLAVOUR_MARIADB ? c->mariadb : c->mysql;
    return since && since <= d->version_min;
}

static void add_heading(const struct view_column *c, struct text *out)
{
    char made[] = { EDIT_HEADING, 0 };
    if (c->heading)
        text_ident(out, slice_cstr(c->heading));
    else
        text_add(out, made);
}

void view_headings(const struct planner *p, enum view_id id, bool first, struct text *out)
{
    const char *between = "";
    for (size_t i = 0; i < views[id].column_count; i++) {
        if (!has_column(p->dialect, &views[id].columns[i]))
            continue;
        text_add(out, between);
        add_heading(&views[id].columns[i], out);
        between = ", ";
        if (first)
            return;
    }
}

/* No row, but the names and the types of the columns. */
static void add_types(const struct view *v, const struct dialect *d, bool number, struct text *out)
{
    const char *between = "SELECT ";
    for (size_t i = 0; i < v->column_count; i++) {
        const struct view_column *c = &v->columns[i];
        if (!has_column(d, c))
            continue;
        text_add(out, between);
        text_add(out, c->source);
        if (c->heading != c->source && (!c->heading || strcmp(c->heading, c->source) != 0)) {
            text_add(out, " AS ");
            add_heading(c, out);
        }
        between = ", ";
    }
    text_add(out, number ? ", 0 AS mq_row FROM information_schema." : " FROM information_schema.");
    text_add(out, v->table);
    text_add(out, " WHERE 1 = 0");
}

/* ---- rows ---- */

struct view_writer {
    const struct view *view;
    struct view_row row;
    bool number;
    unsigned count;
    struct text *out;
};

static void add_row(struct view_writer *w)
{
    const char *between = " UNION ALL SELECT ";
    for (size_t i = 0; i < w->view->column_count; i++) {
        const struct view_column *c = &w->view->columns[i];
        if (!has_column(w->row.dialect, c))
            continue;
        text_add(w->out, between);
        c->value(&w->row, w->out);
        between = ", ";
    }
    w->count++;
    if (w->number)
        text_add(w->out, arena_printf(w->out->arena, ", %u", w->count));
}

static void add_columns(struct view_writer *w)
{
    const struct table_definition *t = w->row.table;
    for (size_t i = 0; i < t->column_count; i++) {
        w->row.column = &t->columns[i];
        w->row.ordinal = i + 1;
        add_row(w);
    }
}

static void add_key_parts(struct view_writer *w, bool unique)
{
    const struct table_definition *t = w->row.table;
    for (size_t i = 0; i < t->key_count; i++) {
        w->row.key = &t->keys[i];
        for (size_t k = 0; k < t->keys[i].column_count; k++) {
            w->row.column = t->keys[i].columns[k];
            w->row.ordinal = k + 1;
            if (t->keys[i].unique || !unique)
                add_row(w);
        }
    }
}

static void add_checks(struct view_writer *w)
{
    const struct table_definition *t = w->row.table;
    struct text ignored = { .arena = w->out->arena };
    w->row.key = NULL;
    for (size_t i = 0; i < t->column_count; i++) {
        w->row.column = &t->columns[i];
        if (describe_check(w->row.column, w->row.dialect, &ignored))
            add_row(w);
    }
}

static void add_constraints(struct view_writer *w)
{
    for (size_t i = 0; i < w->row.table->key_count; i++) {
        w->row.key = &w->row.table->keys[i];
        if (w->row.key->unique)
            add_row(w);
    }
    add_checks(w);
}

static void add_table(struct view_writer *w)
{
    switch (w->view->rows) {
    case EACH_TABLE:
        add_row(w);
        break;
    case EACH_COLUMN:
        add_columns(w);
        break;
    case EACH_KEY_PART:
    case EACH_UNIQUE_PART:
        add_key_parts(w, w->view->rows == EACH_UNIQUE_PART);
        break;
    case EACH_CONSTRAINT:
        add_constraints(w);
        break;
    case EACH_CHECK:
        add_checks(w);
        break;
    default:
        break;
    }
}

/* ---- the schema ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every name that a client may give the database. */
static const char **database_names(const struct planner *p, size_t *ret_count)
{
    const struct config *config = p->topology->config;
    const char **names = arena_array(p->arena, const char *, config->database_aliases.count + 1);
    size_t n = 0;
    names[n++] = config->keyspace;
    for (size_t i = 0; i < config->database_aliases.count; i++)
        names[n++] = config->database_aliases.items[i];
    qsort(names, n, sizeof *names, by_name);
    *ret_count = n;
    return names;
}

static int by_table_name(const void *a, const void *b)
{
    const struct table_definition *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static enum err_code define_tables(struct planner *p, const struct catalog_table *only,
                            const struct table_definition ***ret, size_t *ret_count)
{
    const struct catalog *catalog = p->topology->catalog;
    const struct table_definition **all =
        arena_array(p->arena, const struct table_definition *, catalog->table_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < catalog->table_count; i++) {
        if (only && catalog->tables[i] != only)
            continue;
        enum err_code code =
            define_table(catalog->tables[i], plan_shows_tenant(p), p->arena, &all[n++], &p->reject);
        if (code)
            return code;
    }
    qsort(all, n, sizeof *all, by_table_name);
    *ret = all;
    *ret_count = n;
    return MQ_OK;
}

static void add_rows(struct view_writer *w, const struct table_definition *const *tables, size_t count)
{
    if (w->view->rows == EACH_SCHEMA)
        add_row(w);
    for (size_t i = 0; i < count; i++) {
        w->row.table = tables[i];
        add_table(w);
    }
}

/* SHOW is about one database, whatever its name; information_schema tells the name. */
enum err_code view_text(struct planner *p, enum view_id id, const struct catalog_table *only,
                        bool show, struct text *out)
{
    const struct table_definition **tables;
    size_t table_count, name_count;
    const char **names = database_names(p, &name_count);
    struct view_writer w = { .view = &views[id],
                             .row = { .dialect = p->dialect },
                             .number = show,
                             .out = out };
    enum err_code code = define_tables(p, only, &tables, &table_count);
    if (code)
        return code;
    text_add(out, "(");
    add_types(w.view, p->dialect, show, out);
    if (show && w.view->rows != EACH_SCHEMA)
        name_count = 1;
    for (size_t i = 0; i < name_count; i++) {
        w.row.schema = names[i];
        add_rows(&w, tables, table_count);
    }
    text_add(out, ")");
    return MQ_OK;
}

enum err_code view_definition(struct planner *p, const struct catalog_table *table,
                              struct text *out)
{
    const struct table_definition **definition;
    size_t count;
    enum err_code code = define_tables(p, table, &definition, &count);
    if (!code)
        describe_table(definition[0], p->dialect, out);
    return code;
}

/* ---- information_schema in a statement ---- */

enum schema_table_kind {
    TABLE_VIEWED, /* replaced by its view */
    TABLE_EMPTY,  /* the legacy schema has none of these */
    TABLE_COMMON, /* tells of the server's software only: any shard's own */
};

static const struct schema_table {
    const char *name;
    enum schema_table_kind kind;
    enum view_id view;
} schema_tables[] = {
    { "TABLES", TABLE_VIEWED, VIEW_TABLES },
    { "COLUMNS", TABLE_VIEWED, VIEW_COLUMNS },
    { "STATISTICS", TABLE_VIEWED, VIEW_STATISTICS },
    { "SCHEMATA", TABLE_VIEWED, VIEW_SCHEMATA },
    { "KEY_COLUMN_USAGE", TABLE_VIEWED, VIEW_KEY_COLUMN_USAGE },
    { "TABLE_CONSTRAINTS", TABLE_VIEWED, VIEW_TABLE_CONSTRAINTS },
    { "CHECK_CONSTRAINTS", TABLE_VIEWED, VIEW_CHECK_CONSTRAINTS },
    { "PARTITIONS", TABLE_VIEWED, VIEW_PARTITIONS },
    { "REFERENTIAL_CONSTRAINTS", TABLE_EMPTY, 0 },
    { "VIEWS", TABLE_EMPTY, 0 },
    { "TRIGGERS", TABLE_EMPTY, 0 },
    { "ROUTINES", TABLE_EMPTY, 0 },
    { "PARAMETERS", TABLE_EMPTY, 0 },
    { "EVENTS", TABLE_EMPTY, 0 },
    { "FILES", TABLE_EMPTY, 0 },
    { "CHARACTER_SETS", TABLE_COMMON, 0 },
    { "COLLATIONS", TABLE_COMMON, 0 },
    { "COLLATION_CHARACTER_SET_APPLICABILITY", TABLE_COMMON, 0 },
    { "ENGINES", TABLE_COMMON, 0 },
    { "PLUGINS", TABLE_COMMON, 0 },
    { "KEYWORDS", TABLE_COMMON, 0 },
};

static const struct schema_table *find_table(struct slice name)
{
    for (size_t i = 0; i < sizeof schema_tables / sizeof *schema_tables; i++)
        if (slice_ieq_cstr(name, schema_tables[i].name))
            return &schema_tables[i];
    return NULL;
}

static enum err_code replacement(struct planner *p, const struct schema_table *t, struct text *out)
{
    if (t->kind == TABLE_VIEWED)
        return view_text(p, t->view, NULL, false, out);
    text_add(out, "(SELECT * FROM information_schema.");
    text_add(out, t->name);
    text_add(out, " WHERE 1 = 0)");
    return MQ_OK;
}

enum err_code view_resolve(struct planner *p, const struct node *table, bool *ret_found)
{
    const struct node *name = table->child, *database = name->child;
    struct text text = { .arena = p->arena };
    const struct schema_table *t = NULL;
    if (database->next && token_is_ident(p->l, database->first, "information_schema"))
        t = find_table(plan_name(p, name));
    *ret_found = t != NULL;
    if (!t)
        return MQ_OK;
    p->has_views = true;
    if (t->kind == TABLE_COMMON)
        return MQ_OK;
    enum err_code code = replacement(p, t, &text);
    if (!node_find(table, N_ALIAS)) {
        text_add(&text, " AS ");
        text_ident(&text, plan_name(p, name));
    }
    return code ? code : plan_edit(p, EDIT_REPLACE, name->first, name->last, text_slice(&text));
}
