#include "placement/vindex_table.h"

#include "base/log.h"
#include "base/memory.h"
#include "placement/vindex_table_int.h"

enum { TENANTS_PER_QUERY = 500, ROWS_PER_QUERY = 5000 };

#define SELECT_ROWS "SELECT tenant, keyspace_id, state, version FROM "

static const char *const state_names[] = {
    [TENANT_SERVING] = "serving",
    [TENANT_PREPARING] = "preparing",
    [TENANT_MOVING] = "moving",
    [TENANT_RETIRED] = "retired",
};
enum { STATE_COUNT = sizeof state_names / sizeof state_names[0] };

const char *tenant_state_name(enum tenant_state state)
{
    return (unsigned)state < STATE_COUNT ? state_names[state] : "unknown";
}

/* --- opening and creating ------------------------------------------------------------ */

static void qualified_name(const struct vindex_table_config *config, struct buf *out)
{
    database_quote_name(config->database, out);
    buf_append_byte(out, '.');
    database_quote_name(config->table, out);
}

enum err_code vindex_table_open(const struct vindex_table_config *config, struct vindex_table **ret,
                                struct err *reterr)
{
    struct database_target target = {
        .address = &config->address,
        .credentials = &config->credentials,
        .tls = &config->tls,
        .database = config->database,
        .failure = MQ_VINDEX_TABLE_UNAVAILABLE,
    };
    struct database *database;
    enum err_code code = database_open(&target, &database, reterr);
    if (code)
        return code;
    struct buf name;
    buf_init(&name);
    qualified_name(config, &name);
    *ret = mem_new(struct vindex_table);
    (*ret)->database = database;
    (*ret)->name = mem_strdup(buf_cstr(&name));
    buf_fini(&name);
    return MQ_OK;
}

void vindex_table_close(struct vindex_table *t)
{
    if (!t)
        return;
    database_close(t->database);
    mem_free(t->name);
    mem_free(t);
}

static void create_statement(const char *name, struct buf *out)
{
    buf_printf(out,
               "CREATE TABLE IF NOT EXISTS %s (\n"
               "    `tenant` VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
               "    `keyspace_id` VARBINARY(%d) NOT NULL,\n"
               "    `state` VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n"
               "    `version` BIGINT UNSIGNED NOT NULL,\n"
               "    PRIMARY KEY (`tenant`),\n"
               "    KEY `idx_version` (`version`)\n"
               ") ENGINE=InnoDB",
               name, KEYSPACE_ID_MAX);
}

static void counter_statement(const char *name, struct buf *out)
{
    buf_printf(out,
               "INSERT IGNORE INTO %s (`tenant`, `keyspace_id`, `state`, `version`)\n"
               "    SELECT '', '', '" STATE_COUNTER "', COALESCE(MAX(`version`), 0) + 1 FROM %s",
               name, name);
}

/* Without the database, as all DDL that mqgate prints: it is run where it shall be. */
void vindex_table_ddl(const struct vindex_table_config *config, struct buf *out)
{
    struct buf name;
    buf_init(&name);
    database_quote_name(config->table, &name);
    create_statement(buf_cstr(&name), out);
    buf_append_cstr(out, ";\n");
    counter_statement(buf_cstr(&name), out);
    buf_append_cstr(out, ";\n");
    buf_fini(&name);
}

enum err_code vindex_table_run(struct vindex_table *t, struct buf *sql, uint64_t *ret_changed,
                               struct err *reterr)
{
    enum err_code code = database_run(t->database, buf_slice(sql), ret_changed, reterr);
    buf_clear(sql);
    return code;
}

enum err_code vindex_table_add_counter(struct vindex_table *t, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    counter_statement(t->name, &sql);
    enum err_code code = vindex_table_run(t, &sql, NULL, reterr);
    buf_fini(&sql);
    return code;
}

static bool ignore_row(void *context, const struct slice *columns, unsigned count)
{
    (void)context;
    (void)columns;
    (void)count;
    return true;
}

enum err_code vindex_table_create(struct vindex_table *t, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, SELECT_ROWS "%s LIMIT 0", t->name);
    enum err_code code = database_select(t->database, buf_slice(&sql), ignore_row, NULL, reterr);
    if (code && database_table_missing(t->database)) {
        buf_clear(&sql);
        create_statement(t->name, &sql);
        code = vindex_table_run(t, &sql, NULL, reterr);
        if (!code)
            code = vindex_table_add_counter(t, reterr);
    }
    buf_fini(&sql);
    return code;
}

/* --- reading ------------------------------------------------------------------------- */

/* A state of a newer mqgate is none that this one may serve. */
static enum tenant_state state_parse(struct slice name)
{
    for (unsigned i = 0; i < STATE_COUNT; i++)
        if (slice_eq(name, slice_cstr(state_names[i])))
            return (enum tenant_state)i;
    return TENANT_RETIRED;
}

bool vindex_row_parse(const struct slice *columns, unsigned count, struct vindex_row *ret)
{
    unsigned long long version;
    if (count != 4 || !columns[0].data || columns[1].len > KEYSPACE_ID_MAX ||
        !slice_to_u64(columns[3], &version))
        return false;
    *ret = (struct vindex_row){ .tenant = columns[0], .version = version };
    ret->id.len = (uint8_t)columns[1].len;
    if (columns[1].len)
        memcpy(ret->id.bytes, columns[1].data, columns[1].len);
    ret->state = state_parse(columns[2]);
    ret->tombstone = slice_eq(columns[2], SLICE_LIT(STATE_REMOVED));
    return true;
}

struct reading {
    vindex_row_seen *seen;
    void *context;
    uint64_t since;
    uint64_t version; /* highest seen */
};

static bool on_row(void *context, const struct slice *columns, unsigned count)
{
    struct reading *r = context;
    struct vindex_row row;
    if (!vindex_row_parse(columns, count, &row)) {
        log_warning("placement", "a row of the tenant vindex table is malformed; it is left out");
        return true;
    }
    if (row.version > r->version)
        r->version = row.version;
    if (row.tenant.len == 0 || row.version <= r->since)
        return true;
    return r->seen(r->context, &row);
}

/* The counter's version before any of the tenants is read: what changes meanwhile is above
 * it, and is seen again by those who ask for the changes since then. */
static enum err_code read_counter(struct vindex_table *t, struct reading *r, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, SELECT_ROWS "%s WHERE tenant = ''", t->name);
    enum err_code code = database_select(t->database, buf_slice(&sql), on_row, r, reterr);
    buf_fini(&sql);
    return code;
}

/* Where a reading stands: the last row of the page before. */
struct cursor {
    struct reading reading;
    struct buf tenant;
    uint64_t version;
    size_t rows; /* of the page */
};

static bool on_page_row(void *context, const struct slice *columns, unsigned count)
{
    struct cursor *c = context;
    unsigned long long version;
    c->rows++;
    if (count == 4 && slice_to_u64(columns[3], &version)) { /* malformed or not */
        buf_clear(&c->tenant);
        buf_append_slice(&c->tenant, columns[0]);
        c->version = version;
    }
    return on_row(&c->reading, columns, count);
}

/* All rows go by the primary key, changes by the index on the version. */
static void select_page(struct vindex_table *t, const struct cursor *c, struct buf *sql)
{
    struct slice after = buf_slice(&c->tenant);
    buf_printf(sql, SELECT_ROWS "%s WHERE ", t->name);
    if (c->reading.since)
        buf_printf(sql, "version >= %llu AND (version > %llu OR ", (unsigned long long)c->version,
                   (unsigned long long)c->version);
    buf_append_cstr(sql, "tenant > ");
    database_quote(t->database, after, sql);
    buf_printf(sql, "%s LIMIT %d",
               c->reading.since ? ") ORDER BY version, tenant" : " ORDER BY tenant",
               ROWS_PER_QUERY);
}

static enum err_code read_page(struct vindex_table *t, struct cursor *c, struct err *reterr)
{
    struct buf sql;
    buf_init(&sql);
    c->rows = 0;
    select_page(t, c, &sql);
    enum err_code code = database_select(t->database, buf_slice(&sql), on_page_row, c, reterr);
    buf_fini(&sql);
    return code;
}

/* In pages, since vtgate and its tablets give 10,000 rows at most. What changes meanwhile may be
 * seen or not; it is above the counter, which was read before. */
enum err_code vindex_table_read(struct vindex_table *t, uint64_t since, vindex_row_seen *seen,
                                void *context, uint64_t *ret_version, struct err *reterr)
{
    struct cursor c = { .reading = { .seen = seen, .context = context, .since = since },
                        .version = since };
    enum err_code code = read_counter(t, &c.reading, reterr);
    *ret_version = c.reading.version;
    buf_init(&c.tenant);
    do {
        if (!code)
            code = read_page(t, &c, reterr);
    } while (!code && c.rows == ROWS_PER_QUERY);
    buf_fini(&c.tenant);
    return code;
}

static void select_tenants(struct vindex_table *t, char *const *tenants, size_t count,
                           struct buf *sql)
{
    buf_printf(sql, SELECT_ROWS "%s WHERE tenant IN (", t->name);
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_append_byte(sql, ',');
        database_quote(t->database, slice_cstr(tenants[i]), sql);
    }
    buf_append_byte(sql, ')');
}

enum err_code vindex_table_read_tenants(struct vindex_table *t, const struct string_list *tenants,
                                        vindex_row_seen *seen, void *context, uint64_t *ret_version,
                                        struct err *reterr)
{
    struct reading r = { .seen = seen, .context = context };
    enum err_code code = read_counter(t, &r, reterr);
    *ret_version = r.version;
    struct buf sql;
    buf_init(&sql);
    for (size_t i = 0; !code && i < tenants->count; i += TENANTS_PER_QUERY) {
        size_t left = tenants->count - i;
        buf_clear(&sql);
        select_tenants(t, tenants->items + i, left < TENANTS_PER_QUERY ? left : TENANTS_PER_QUERY,
                       &sql);
        code = database_select(t->database, buf_slice(&sql), on_row, &r, reterr);
    }
    buf_fini(&sql);
    return code;
}
