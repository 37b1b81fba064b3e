/* Many rows of the tenant vindex table at once, for `mqgate tenants import`. */
#ifndef MQ_PLACEMENT_VINDEX_IMPORT_H
#define MQ_PLACEMENT_VINDEX_IMPORT_H

#include "placement/vindex_table.h"

enum { IMPORT_BATCH = 500 }; /* rows of one transaction */

enum import_outcome {
    IMPORT_ADDED,
    IMPORT_CHANGED,   /* there was another row, and `replace` was given */
    IMPORT_UNCHANGED, /* it was there already */
    IMPORT_DIFFERS,   /* there is another row, which was left alone */
    IMPORT_ELSEWHERE, /* it is placed on another shard, where its rows would be left behind */
    IMPORT_MOVING,    /* it is being moved */
};

struct import_row {
    struct slice tenant;
    struct keyspace_id id;
    enum tenant_state state;
    enum import_outcome outcome; /* set by the import */
};

struct import_options {
    const struct topology *topology; /* says which shard owns an id */
    bool replace;                    /* change rows that differ, as far as their shard stays */
    bool dry_run;                    /* only say what would happen */
};

/* At most IMPORT_BATCH rows in byte order of their tenants, without duplicates, in one transaction
 * and with one version: all of them or, when it fails, none. Where nothing is to be written the
 * version stays as it was. Fails with MQ_VINDEX_TABLE_UNAVAILABLE. */
enum err_code vindex_table_import(struct vindex_table *t, struct import_row *rows, size_t count,
                                  const struct import_options *options, struct err *reterr);

#endif
