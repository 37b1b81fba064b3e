#include "placement/vindex_import.h"

#include <stdlib.h>

#include "base/check.h"
#include "placement/vindex_table_int.h"

struct import {
    struct import_row *rows;
    size_t count;
    const struct import_options *options;
    size_t writes; /* rows to be written */
};

static int compare(const void *a, const void *b)
{
    return slice_cmp(((const struct import_row *)a)->tenant,
                     ((const struct import_row *)b)->tenant);
}

static bool is_written(const struct import_row *row)
{
    return row->outcome == IMPORT_ADDED || row->outcome == IMPORT_CHANGED;
}

static enum import_outcome judge(const struct import *in, const struct import_row *row,
                                 const struct vindex_row *there)
{
    const struct topology *t = in->options->topology;
    if (there->state == TENANT_PREPARING || there->state == TENANT_MOVING)
        return IMPORT_MOVING;
    if (keyspace_id_cmp(&there->id, &row->id) == 0 && there->state == row->state)
        return IMPORT_UNCHANGED;
    if (topology_shard_of(t, &there->id) != topology_shard_of(t, &row->id))
        return IMPORT_ELSEWHERE;
    return in->options->replace ? IMPORT_CHANGED : IMPORT_DIFFERS;
}

/* A row that is in the table. */
static bool on_row(void *context, const struct slice *columns, unsigned count)
{
    struct import *in = context;
    struct vindex_row there;
    if (!vindex_row_parse(columns, count, &there) || there.tombstone)
        return true;
    struct import_row key = { .tenant = there.tenant };
    struct import_row *row = bsearch(&key, in->rows, in->count, sizeof *in->rows, compare);
    if (row)
        row->outcome = judge(in, row, &there);
    return true;
}

static enum err_code read_rows(struct vindex_table *t, struct import *in, bool lock,
                               struct buf *sql, struct err *reterr)
{
    for (size_t i = 0; i < in->count; i++)
        in->rows[i].outcome = IMPORT_ADDED;
    buf_printf(sql, "SELECT tenant, keyspace_id, state, version FROM %s WHERE tenant IN (",
               t->name);
    for (size_t i = 0; i < in->count; i++) {
        if (i)
            buf_append_byte(sql, ',');
        database_quote(t->database, in->rows[i].tenant, sql);
    }
    buf_append_cstr(sql, lock ? ") FOR UPDATE" : ")");
    enum err_code code = database_select(t->database, buf_slice(sql), on_row, in, reterr);
    if (code && !lock && database_table_missing(t->database))
        code = MQ_OK; /* a dry run: it would be created */
    buf_clear(sql);
    for (size_t i = 0; i < in->count; i++)
        in->writes += is_written(&in->rows[i]);
    return code;
}

static enum err_code write_rows(struct vindex_table *t, const struct import *in, uint64_t version,
                                struct buf *sql, struct err *reterr)
{
    const char *separator = "";
    vindex_replace_begin(t, sql);
    for (size_t i = 0; i < in->count; i++) {
        const struct import_row *row = &in->rows[i];
        if (!is_written(row))
            continue;
        buf_append_cstr(sql, separator);
        vindex_replace_row(t, row->tenant, &row->id, tenant_state_name(row->state), version, sql);
        separator = ",";
    }
    return vindex_table_run(t, sql, NULL, reterr);
}

/* The counter is locked first, as by every change. */
static enum err_code import_locked(struct vindex_table *t, struct import *in, struct buf *sql,
                                   struct err *reterr)
{
    uint64_t version = 0;
    enum err_code code = vindex_take_version(t, &version, reterr);
    if (!code)
        code = read_rows(t, in, true, sql, reterr);
    if (!code && in->writes)
        code = write_rows(t, in, version, sql, reterr);
    return code;
}

static enum err_code import_rows(struct vindex_table *t, struct import *in, struct buf *sql,
                                 struct err *reterr)
{
    enum err_code code = database_run(t->database, SLICE_LIT("START TRANSACTION"), NULL, reterr);
    if (!code)
        code = import_locked(t, in, sql, reterr);
    if (!code && in->writes)
        return database_run(t->database, SLICE_LIT("COMMIT"), NULL, reterr);
    database_run(t->database, SLICE_LIT("ROLLBACK"), NULL, NULL);
    return code;
}

enum err_code vindex_table_import(struct vindex_table *t, struct import_row *rows, size_t count,
                                  const struct import_options *options, struct err *reterr)
{
    CHECK(count <= IMPORT_BATCH);
    struct import in = { .rows = rows, .count = count, .options = options };
    struct buf sql;
    buf_init(&sql);
    enum err_code code = options->dry_run ? read_rows(t, &in, false, &sql, reterr)
                                          : import_rows(t, &in, &sql, reterr);
    buf_fini(&sql);
    return code;
}
