#include "placement/vitess_cluster.h"

#include "config/string_list.h"
#include "placement/database.h"
#include "vschema/vschema_shown.h"

struct reading {
    const struct config *config;
    struct database *database;
    struct vitess_cluster *cluster;
    bool found, sharded; /* the keyspace */
    struct buf others;   /* keyspaces that are there, for the message */
    const char *table;   /* whose vindexes arrive */
    size_t rows;         /* of them */
    struct err err;      /* what was not understood */
};

static const char *keyspace_of(const struct reading *r)
{
    return r->config->shards[0].database;
}

void vitess_cluster_fini(struct vitess_cluster *c)
{
    vschema_destroy(c->vschema);
    string_list_fini(&c->shards);
}

/* --- connecting ---------------------------------------------------------------------- */

static enum err_code open_gate(const struct config *config, const struct address *gate,
                               struct database **ret, struct err *reterr)
{
    const struct database_target target = { .address = gate,
                                            .credentials = &config->accounts[0].backend,
                                            .tls = &config->shards[0].tls,
                                            .failure = MQ_VTGATE_UNREACHABLE };
    return database_open(&target, ret, reterr);
}

/* Of several failures the first is told, which is the first vtgate's. */
static enum err_code open_any(struct reading *r, struct err *reterr)
{
    const struct shard_config *gates = &r->config->shards[0];
    const struct address *gate = &gates->address;
    enum err_code code = open_gate(r->config, gate, &r->database, reterr);
    for (size_t i = 0; i < gates->standbys.count && code; i++) {
        gate = &gates->standby_addresses[i];
        if (open_gate(r->config, gate, &r->database, NULL) == MQ_OK)
            code = MQ_OK;
    }
    r->cluster->gate = gate;
    return code;
}

/* --- asking -------------------------------------------------------------------------- */

/* Keyspace, Sharded, … */
static bool on_keyspace(void *context, const struct slice *columns, unsigned count)
{
    struct reading *r = context;
    if (count < 2)
        return true;
    if (slice_eq(columns[0], slice_cstr(keyspace_of(r)))) {
        r->found = true;
        r->sharded = slice_eq(columns[1], SLICE_LIT("true"));
    }
    if (buf_len(&r->others))
        buf_append_cstr(&r->others, ", ");
    buf_append_slice(&r->others, columns[0]);
    return true;
}

static enum err_code read_keyspace(struct reading *r, struct err *reterr)
{
    enum err_code code =
        database_select(r->database, SLICE_LIT("SHOW VSCHEMA KEYSPACES"), on_keyspace, r, reterr);
    if (!code && !r->found)
        code = err_set(reterr, MQ_VSCHEMA_CLUSTER, "the cluster has no keyspace %s; it has %s",
                       keyspace_of(r), buf_len(&r->others) ? buf_cstr(&r->others) : "none");
    return code;
}

/* "keyspace/-80" */
static bool on_shard(void *context, const struct slice *columns, unsigned count)
{
    struct reading *r = context;
    struct slice keyspace = slice_cstr(keyspace_of(r));
    size_t prefix = keyspace.len + 1;
    if (count == 1 && columns[0].len > prefix && columns[0].data[keyspace.len] == '/' &&
        slice_eq(slice_of(columns[0].data, keyspace.len), keyspace))
        string_list_add(&r->cluster->shards,
                        slice_of(columns[0].data + prefix, columns[0].len - prefix));
    return true;
}

/* Columns, Name, Type, Params, Owner; the primary vindex is the first. */
static bool on_vindex(void *context, const struct slice *columns, unsigned count)
{
    struct reading *r = context;
    if (count < 4 || r->rows++ > 0)
        return true;
    const struct vindex_shown shown = {
        .columns = columns[0], .name = columns[1], .type = columns[2], .params = columns[3]
    };
    vschema_add_shown(r->cluster->vschema, r->table, &shown, &r->err);
    return true;
}

/* One that the VSchema lacks is not added. */
static enum err_code read_table(struct reading *r, const char *table, struct err *reterr)
{
    struct buf sql;
    struct err err;
    r->table = table;
    r->rows = 0;
    buf_init(&sql);
    buf_append_cstr(&sql, "SHOW VSCHEMA VINDEXES FROM ");
    database_quote_name(keyspace_of(r), &sql);
    buf_append_byte(&sql, '.');
    database_quote_name(table, &sql);
    enum err_code code = database_select(r->database, buf_slice(&sql), on_vindex, r, &err);
    buf_fini(&sql);
    if (code)
        return database_table_missing(r->database) ? MQ_OK : err_set(reterr, code, "%s", err.text);
    if (r->err.code)
        return err_set(reterr, r->err.code, "the cluster's VSchema: %s", r->err.text);
    return r->rows ? MQ_OK : vschema_add_shown(r->cluster->vschema, table, NULL, reterr);
}

static enum err_code read_all(struct reading *r, const struct catalog *catalog, struct err *reterr)
{
    enum err_code code = read_keyspace(r, reterr);
    if (!code)
        code = database_select(r->database, SLICE_LIT("SHOW VITESS_SHARDS"), on_shard, r, reterr);
    if (code)
        return code;
    r->cluster->vschema = vschema_create_shown(r->sharded, catalog->table_count);
    for (size_t i = 0; i < catalog->table_count && !code; i++)
        code = read_table(r, catalog->tables[i]->name, reterr);
    return code;
}

enum err_code vitess_cluster_read(const struct config *config, const struct catalog *catalog,
                                  struct vitess_cluster *ret, struct err *reterr)
{
    struct reading r = { .config = config, .cluster = ret };
    *ret = (struct vitess_cluster){ 0 };
    buf_init(&r.others);
    enum err_code code = open_any(&r, reterr);
    if (!code)
        code = read_all(&r, catalog, reterr);
    database_close(r.database);
    buf_fini(&r.others);
    return code;
}
