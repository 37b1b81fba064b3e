/* mqgate tenants check: what the vindex table, the vindex function, the configuration's list and
 * the shards' rows say of the tenants, and where they disagree. Changes nothing.
 *
 *   vindex table ─> rows that place no one ─> list, function ─> each shard, each table:
 *                   its tenants, each owned by that shard, and their partition keys */
#include <stdarg.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/tenants.h"
#include "placement/choose_id.h"
#include "placement/shard_database.h"
#include "placement/shard_rows.h"

enum finding {
#define FINDING_ROW(NAME, name, fault) FOUND_##NAME,
#include "cli/tenants_findings.def"
#undef FINDING_ROW
};

static const struct {
    const char *name;
    bool fault;
} kinds[] = {
#define FINDING_ROW(NAME, name, fault) { name, fault },
#include "cli/tenants_findings.def"
#undef FINDING_ROW
};

struct checking {
    struct tenants *session;
    struct tenant_map *map; /* of the table, or the listed tenants by the function */
    struct tenant_map_builder *builder;
    size_t faults, notes;
    /* while a shard is walked */
    struct database *database;
    uint32_t shard;
    const struct catalog_table *table;
    bool has_keys;
    struct err err; /* the first thing that went wrong */
};

/* --- findings ------------------------------------------------------------------------ */

static void found(struct checking *c, enum finding kind, struct slice tenant, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

static void found(struct checking *c, enum finding kind, struct slice tenant, const char *format,
                  ...)
{
    char text[ERR_TEXT_MAX + 256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    *(kinds[kind].fault ? &c->faults : &c->notes) += 1;
    if (!c->session->output) {
        printf("%-5s  %-11s  %.*s: %s\n", kinds[kind].fault ? "fault" : "note", kinds[kind].name,
               (int)tenant.len, tenant.data, text);
        return;
    }
    json_array_append_new(c->session->output,
                          json_pack("{s:s, s:b, s:s%, s:s}", "finding", kinds[kind].name, "fault",
                                    kinds[kind].fault, "of", tenant.data, tenant.len, "text",
                                    text));
}

static const char *shard_name(const struct checking *c, uint32_t shard)
{
    return c->session->topology->shards[shard].config->name;
}

/* --- the table ----------------------------------------------------------------------- */

static bool is_qualified(const struct checking *c)
{
    return c->session->topology->config->partition_keys == KEYS_QUALIFIED;
}

/* Between tenant and key, where keys are qualified. */
static struct slice separator(const struct checking *c)
{
    return slice_of(&c->session->topology->config->key_separator, 1);
}

/* Why no sidecar can use the row, or NULL. */
static const char *fault_of_row(const struct checking *c, const struct vindex_row *row)
{
    if (tenant_check(row->tenant, NULL) != MQ_OK)
        return "the name is not allowed";
    if (is_qualified(c) && memchr(row->tenant.data, *separator(c).data, row->tenant.len))
        return "the name contains the separator of qualified keys";
    return row->id.len == 0 ? "the keyspace id is empty, so no shard owns it" : NULL;
}

static bool on_row(void *context, const struct vindex_row *row)
{
    struct checking *c = context;
    const char *fault = row->tombstone ? NULL : fault_of_row(c, row);
    if (fault)
        found(c, FOUND_INVALID, row->tenant, "%s", fault);
    else if (!row->tombstone)
        tenant_map_builder_add(c->builder, row->tenant, &row->id,
                               topology_shard_of(c->session->topology, &row->id), row->state,
                               row->version);
    return true;
}

static enum err_code read_table(struct checking *c, struct err *reterr)
{
    uint64_t version;
    if (!c->session->table)
        return topology_hash_tenants(c->session->topology, &c->map, reterr);
    c->builder = tenant_map_builder_create();
    enum err_code code = vindex_table_read(c->session->table, 0, on_row, c, &version, reterr);
    if (!code)
        c->map = tenant_map_build(c->builder, 0, version);
    tenant_map_builder_destroy(c->builder);
    return code;
}

/* --- the list and the function ------------------------------------------------------- */

static void check_listed(struct checking *c)
{
    const struct tenant_map *listed = c->session->listed;
    for (size_t i = 0; i < tenant_map_count(listed); i++) {
        const struct tenant *t = tenant_map_at(listed, i);
        struct slice name = tenant_name(t);
        if (!tenant_map_find(c->map, name))
            found(c, FOUND_UNPLACED, name, "listed, but not in the tenant vindex table");
    }
}

static void check_function(struct checking *c, const struct tenant *t)
{
    struct slice name = tenant_name(t);
    struct keyspace_id id, by_function;
    if (choose_id(c->session->topology, name, &by_function, NULL) != MQ_OK)
        return;
    id = tenant_id(t);
    if (keyspace_id_cmp(&id, &by_function) == 0)
        return;
    uint32_t shard = topology_shard_of(c->session->topology, &by_function);
    found(c, FOUND_PLACED, name, "on shard %s%s; the vindex function has it on %s",
          shard_name(c, t->shard), shard == t->shard ? " with another keyspace id" : "",
          shard_name(c, shard));
}

static void check_rows_of_table(struct checking *c)
{
    for (size_t i = 0; i < tenant_map_count(c->map); i++) {
        const struct tenant *t = tenant_map_at(c->map, i);
        struct slice name = tenant_name(t);
        if (!tenants_is_listed(c->session, name))
            found(c, FOUND_UNLISTED, name, "in the tenant vindex table, but not listed");
        if (t->state == TENANT_PREPARING || t->state == TENANT_MOVING)
            found(c, FOUND_MOVING, name, "%s, from shard %s",
                  tenant_state_name((enum tenant_state)t->state), shard_name(c, t->shard));
        check_function(c, t);
    }
}

/* --- the shards ---------------------------------------------------------------------- */

/* A tenant that is being moved may have rows on two shards. */
static void check_owner(struct checking *c, struct slice tenant)
{
    const struct tenant *t = tenant_map_find(c->map, tenant);
    const char *table = c->table->name, *here = shard_name(c, c->shard);
    if (!t)
        found(c, FOUND_STRAY, tenant, "rows in %s on shard %s, and nothing places the tenant",
              table, here);
    else if (t->shard != c->shard && t->state != TENANT_PREPARING && t->state != TENANT_MOVING)
        found(c, FOUND_MISPLACED, tenant, "rows in %s on shard %s; the tenant lives on %s", table,
              here, shard_name(c, t->shard));
}

/* The beginning of a key, whole characters. */
static int shown(struct slice key)
{
    enum { SHOWN_MAX = 80 };
    size_t len = key.len > SHOWN_MAX ? SHOWN_MAX : key.len;
    while (len < key.len && len > 0 && ((unsigned char)key.data[len] & 0xC0) == 0x80)
        len--;
    return (int)len;
}

static enum err_code check_keys(struct checking *c, struct slice tenant)
{
    struct buf key;
    buf_init(&key);
    enum err_code code =
        shard_rows_find_key(c->database, c->table->name, tenant, separator(c), &key, &c->err);
    if (!code && buf_len(&key))
        found(
            c, is_qualified(c) ? FOUND_AMBIGUOUS : FOUND_SEPARATOR, tenant,
            "the partition key \"%.*s\" in %s on shard %s contains %c, which stands between tenant "
            "and key where keys are qualified",
            shown(buf_slice(&key)), buf_cstr(&key), c->table->name, shard_name(c, c->shard),
            *separator(c).data);
    buf_fini(&key);
    return code;
}

static bool on_tenant(void *context, struct slice tenant)
{
    struct checking *c = context;
    check_owner(c, tenant);
    return !c->has_keys || check_keys(c, tenant) == MQ_OK;
}

static void walk_shard(struct checking *c)
{
    const struct catalog *catalog = c->session->topology->catalog;
    c->err = (struct err){ 0 };
    shard_database_open(c->session->topology, c->shard, &c->database, &c->err);
    for (size_t i = 0; i < catalog->table_count && !c->err.code; i++) {
        c->table = catalog->tables[i];
        c->has_keys = catalog_column_index(c->table, SLICE_LIT("partition_key")) >= 0;
        shard_rows_tenants(c->database, c->table->name, on_tenant, c, &c->err);
    }
    if (c->err.code)
        found(c, FOUND_UNREACHABLE, slice_cstr(shard_name(c, c->shard)), "%s", c->err.text);
    database_close(c->database);
    c->database = NULL;
}

/* --- the verb ------------------------------------------------------------------------ */

static void print_sum(const struct checking *c)
{
    if (!c->session->output)
        printf("%zu tenants on %u shards: %zu faults, %zu notes\n", tenant_map_count(c->map),
               (unsigned)c->session->topology->shard_count, c->faults, c->notes);
}

int tenants_check(struct tenants *s)
{
    struct checking c = { .session = s };
    struct err err;
    if (read_table(&c, &err) != MQ_OK)
        return tenants_complain(&err);
    check_listed(&c);
    if (s->table)
        check_rows_of_table(&c);
    for (uint32_t i = 0; i < s->topology->shard_count; i++) {
        c.shard = s->topology->shard_order[i];
        walk_shard(&c);
    }
    print_sum(&c);
    tenant_map_release(c.map);
    return c.faults ? EXIT_FAULT : EXIT_DONE;
}
