/* What the readers and the changers of the tenant vindex table share. */
#ifndef MQ_PLACEMENT_VINDEX_TABLE_INT_H
#define MQ_PLACEMENT_VINDEX_TABLE_INT_H

#include "placement/database.h"
#include "placement/vindex_table.h"

struct vindex_table {
    struct database *database;
    char *name; /* `database`.`table`, quoted */
};

/* State of a row whose tenant is no longer known, and of the counter. */
#define STATE_REMOVED "removed"
#define STATE_COUNTER "counter"

/* The statement in *sql, which is emptied. */
enum err_code vindex_table_run(struct vindex_table *t, struct buf *sql, uint64_t *ret_changed,
                               struct err *reterr);
/* Reads columns tenant, keyspace_id, state, version; false when they make no row. */
bool vindex_row_parse(const struct slice *columns, unsigned count, struct vindex_row *ret);
/* Within a transaction: the version of what it changes, which locks the counter until its end. */
enum err_code vindex_take_version(struct vindex_table *t, uint64_t *ret, struct err *reterr);
/* "REPLACE INTO … VALUES ", then rows apart by commas. */
void vindex_replace_begin(const struct vindex_table *t, struct buf *out);
void vindex_replace_row(struct vindex_table *t, struct slice tenant, const struct keyspace_id *id,
                        const char *state, uint64_t version, struct buf *out);
/* Inserts the counter if it is missing, above every version in use. */
enum err_code vindex_table_add_counter(struct vindex_table *t, struct err *reterr);

#endif
