#include "vschema/catalog.h"

#include "base/arena.h"
#include "base/memory.h"
#include "vschema/catalog_builtin.h"

bool catalog_key_next(struct slice *rest, struct slice *ret_column)
{
    if (rest->len == 0)
        return false;
    const char *comma = memchr(rest->data, ',', rest->len);
    size_t len = comma ? (size_t)(comma - rest->data) : rest->len, skip = len + (comma != NULL);
    *ret_column = slice_trim(slice_of(rest->data, len));
    *rest = slice_of(rest->data + skip, rest->len - skip);
    return true;
}

const struct catalog_table *catalog_find(const struct catalog *c, struct slice table)
{
    for (size_t i = 0; i < c->table_count; i++)
        if (slice_eq(slice_cstr(c->tables[i]->name), table))
            return c->tables[i];
    return NULL;
}

int catalog_column_index(const struct catalog_table *t, struct slice column)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (slice_ieq_cstr(column, t->columns[i].name))
            return (int)i;
    return -1;
}

bool catalog_any_column(const struct catalog *c, struct slice column)
{
    for (size_t i = 0; i < c->table_count; i++)
        if (catalog_column_index(c->tables[i], column) >= 0)
            return true;
    return false;
}

/* What the configuration adds lives in one arena. */
struct added {
    struct arena arena;
    const struct catalog_table *tables[]; /* catalog.tables points here */
};

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word), end = strlen(text);
    for (size_t i = 0; i + len <= end; i++)
        if (slice_ieq(slice_of(text + i, len), slice_of(word, len)))
            return true;
    return false;
}

/* The length of the word at the start of s. */
static size_t word_length(struct slice s)
{
    size_t n = 0;
    while (n < s.len && s.data[n] != ' ' && s.data[n] != '\t' && s.data[n] != '(')
        n++;
    return n;
}

static size_t skip_spaces(struct slice s, size_t i)
{
    while (i < s.len && (s.data[i] == ' ' || s.data[i] == '\t'))
        i++;
    return i;
}

static bool belongs_to_type(struct slice word)
{
    return slice_ieq_cstr(word, "UNSIGNED") || slice_ieq_cstr(word, "SIGNED") ||
           slice_ieq_cstr(word, "ZEROFILL") || slice_ieq_cstr(word, "PRECISION");
}

/* The part of a column definition that is its type: a word, what is in parentheses, and the
 * words that belong to numbers. */
static size_t type_length(struct slice definition)
{
    size_t end = word_length(definition);
    if (end < definition.len && definition.data[end] == '(') {
        const char *close = memchr(definition.data, ')', definition.len);
        end = close ? (size_t)(close - definition.data) + 1 : definition.len;
    }
    for (;;) {
        size_t begin = skip_spaces(definition, end);
        struct slice rest = slice_of(definition.data + begin, definition.len - begin);
        size_t len = word_length(rest);
        if (len == 0 || !belongs_to_type(slice_of(rest.data, len)))
            return end;
        end = begin + len;
    }
}

/* A built-in column of that name and type, preferably of the same table. */
static const struct catalog_column *namesake(const char *table, const struct catalog_column *c)
{
    size_t count;
    const struct catalog_table *all = catalog_builtin(&count);
    const struct catalog_column *found = NULL;
    for (size_t i = 0; i < count; i++) {
        int k = catalog_column_index(&all[i], slice_cstr(c->name));
        if (k < 0 || !slice_ieq_cstr(slice_cstr(all[i].columns[k].legacy_type), c->legacy_type))
            continue;
        if (!found || strcmp(all[i].name, table) == 0)
            found = &all[i].columns[k];
    }
    return found;
}

/* Identifiers that other tables share are stored and checked alike. */
static void set_column(struct arena *a, const char *table, const struct column_config *config,
                       struct catalog_column *c)
{
    struct slice definition = slice_trim(slice_cstr(config->definition));
    size_t len = type_length(definition);
    c->name = arena_copy(a, slice_cstr(config->name)).data;
    c->legacy_type = arena_copy(a, slice_of(definition.data, len)).data;
    c->options =
        arena_copy(a, slice_trim(slice_of(definition.data + len, definition.len - len))).data;
    c->tenant_type = c->legacy_type;
    c->check = CHECK_NONE;
    const struct catalog_column *like = namesake(table, c);
    if (like && !has_word(c->options, "CHAR") && !has_word(c->options, "COLLATE")) {
        c->tenant_type = like->tenant_type;
        c->check = like->check;
    }
    if (has_word(c->options, "AUTO_INCREMENT"))
        c->check = CHECK_COUNTER;
    else if (c->check == CHECK_COUNTER)
        c->check = CHECK_NONE;
}

static const struct catalog_column *make_columns(struct arena *a,
                                                 const struct queue_table_config *config)
{
    struct catalog_column *columns = arena_array(a, struct catalog_column, config->column_count);
    for (size_t i = 0; i < config->column_count; i++)
        set_column(a, config->name, &config->columns[i], &columns[i]);
    return columns;
}

static const char *join_columns(struct arena *a, const char *before, const struct string_list *l)
{
    const char *joined = before;
    for (size_t i = 0; i < l->count; i++)
        joined = arena_printf(a, "%s%s%s", joined, *joined ? ", " : "", l->items[i]);
    return joined;
}

const struct catalog_column *catalog_counter(const struct catalog_table *t)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (has_word(t->columns[i].options, "AUTO_INCREMENT"))
            return &t->columns[i];
    return NULL;
}

/* The keys of a table that is not built in: the primary key, led by tenant on the shards,
 * and the index that AUTO_INCREMENT needs there. */
static void make_keys(struct arena *a, const struct queue_table_config *config,
                      struct catalog_table *t)
{
    struct catalog_key *keys = arena_array(a, struct catalog_key, 3);
    keys[0] = (struct catalog_key){ NULL, true, join_columns(a, "", &config->primary_key) };
    keys[1] = (struct catalog_key){ NULL, true, join_columns(a, "tenant", &config->primary_key) };
    t->legacy_keys = keys;
    t->legacy_key_count = config->primary_key.count ? 1 : 0;
    t->tenant_keys = keys + 1;
    t->tenant_key_count = 1;
    const struct catalog_column *counter = catalog_counter(t);
    if (counter) {
        keys[2] =
            (struct catalog_key){ arena_printf(a, "idx_%s", counter->name), false, counter->name };
        t->tenant_key_count = 2;
    }
}

/* A built-in table keeps its keys; the configuration may name another legacy primary key. */
static void keep_keys(struct arena *a, const struct queue_table_config *config,
                      const struct catalog_table *builtin, struct catalog_table *t)
{
    t->legacy_keys = builtin->legacy_keys;
    t->legacy_key_count = builtin->legacy_key_count;
    t->tenant_keys = builtin->tenant_keys;
    t->tenant_key_count = builtin->tenant_key_count;
    if (config->primary_key.count == 0)
        return;
    struct catalog_key *keys = arena_array(a, struct catalog_key, t->legacy_key_count);
    memcpy(keys, t->legacy_keys, t->legacy_key_count * sizeof *keys);
    keys[0].columns = join_columns(a, "", &config->primary_key);
    t->legacy_keys = keys;
}

/* The column that a built-in table's is called like, if it is as wide. */
static const char *qualified_column(const struct catalog_table *t)
{
    int i = catalog_column_index(t, SLICE_LIT("partition_key"));
    return i >= 0 && t->columns[i].check == CHECK_UTF8 ? t->columns[i].name : NULL;
}

static const struct catalog_table *make_table(struct arena *a,
                                              const struct queue_table_config *config)
{
    struct catalog_table *t = arena_new(a, struct catalog_table);
    const struct catalog_table *builtin = catalog_builtin_find(slice_cstr(config->name));
    t->name = arena_copy(a, slice_cstr(config->name)).data;
    t->columns = make_columns(a, config);
    t->column_count = config->column_count;
    if (builtin)
        keep_keys(a, config, builtin, t);
    else
        make_keys(a, config, t);
    t->partition_key = qualified_column(t);
    t->version = config->replicated_by ? arena_copy(a, slice_cstr(config->replicated_by)).data
                 : builtin             ? builtin->version
                                       : NULL;
    t->aged_by = builtin ? builtin->aged_by : NULL;
    t->has_metadata =
        builtin && builtin->has_metadata && catalog_column_index(t, SLICE_LIT("metadata")) >= 0;
    return t;
}

/* Replaces the table of that name, or appends it. */
static void put_table(struct catalog *c, const struct catalog_table *t)
{
    for (size_t i = 0; i < c->table_count; i++) {
        if (strcmp(c->tables[i]->name, t->name) == 0) {
            c->tables[i] = t;
            return;
        }
    }
    c->tables[c->table_count++] = t;
}

struct catalog *catalog_create(const struct config *config)
{
    size_t count, extra = config ? config->queue_table_count : 0;
    const struct catalog_table *builtin = catalog_builtin(&count);
    struct catalog *c = mem_new(struct catalog);
    struct added *added = mem_zalloc(sizeof *added + (count + extra) * sizeof *added->tables);
    arena_init(&added->arena);
    c->owned = added;
    c->tables = added->tables;
    for (size_t i = 0; i < count; i++)
        put_table(c, &builtin[i]);
    for (size_t i = 0; i < extra; i++)
        put_table(c, make_table(&added->arena, &config->queue_tables[i]));
    return c;
}

void catalog_destroy(struct catalog *c)
{
    if (!c)
        return;
    struct added *added = c->owned;
    arena_fini(&added->arena);
    mem_free(added);
    mem_free(c);
}

static enum err_code check_keys(const struct catalog_table *t, const struct catalog_key *keys,
                                size_t count, struct err *reterr)
{
    for (size_t i = 0; i < count; i++) {
        struct slice rest = slice_cstr(keys[i].columns), column;
        while (catalog_key_next(&rest, &column))
            if (!slice_eq(column, SLICE_LIT("tenant")) && catalog_column_index(t, column) < 0)
                return err_set(
                    reterr, MQ_CONFIG_INVALID, "queue_tables.%s: the key %s needs the column %.*s",
                    t->name, keys[i].name ? keys[i].name : "PRIMARY", (int)column.len, column.data);
    }
    return MQ_OK;
}

enum err_code catalog_check(const struct catalog *c, struct err *reterr)
{
    for (size_t i = 0; i < c->table_count; i++) {
        const struct catalog_table *t = c->tables[i];
        if (t->legacy_key_count == 0)
            return err_set(reterr, MQ_CONFIG_INVALID, "queue_tables.%s.primary_key: missing",
                           t->name);
        if (t->version && catalog_column_index(t, slice_cstr(t->version)) < 0)
            return err_set(reterr, MQ_CONFIG_INVALID, "queue_tables.%s: it needs the column %s",
                           t->name, t->version);
        enum err_code code = check_keys(t, t->legacy_keys, t->legacy_key_count, reterr);
        if (code == MQ_OK)
            code = check_keys(t, t->tenant_keys, t->tenant_key_count, reterr);
        if (code != MQ_OK)
            return code;
    }
    return MQ_OK;
}
