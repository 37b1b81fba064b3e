/* The tenant vindex table, read by sidecars and changed by `mqgate tenants`. Blocking;
 * libmysqlclient.
 *
 *   tenant PRIMARY KEY, keyspace_id, state, version    versions rise by one counter row that
 *   each change locks; a removal leaves a tombstone, so that readers who ask for "changes
 *   since version v" miss nothing.
 *
 * The counter is the row whose tenant is empty, which no tenant can be; since the lock on it
 * is held until the change is committed, versions become visible in their order. */
#ifndef MQ_PLACEMENT_VINDEX_TABLE_H
#define MQ_PLACEMENT_VINDEX_TABLE_H

#include "vschema/topology.h"

struct vindex_table;

struct vindex_row {
    struct slice tenant; /* valid during the callback only */
    struct keyspace_id id;
    enum tenant_state state;
    bool tombstone;
    uint64_t version;
};
/* Return false to stop. */
typedef bool vindex_row_seen(void *context, const struct vindex_row *row);

/* Connects. Fails with MQ_VINDEX_TABLE_UNAVAILABLE, as does everything below that cannot
 * reach or read the table. */
enum err_code vindex_table_open(const struct vindex_table_config *config, struct vindex_table **ret,
                                struct err *reterr);
void vindex_table_close(struct vindex_table *t); /* NULL is fine */
/* Creates the table if it does not exist; needs no right to create tables if it does. */
enum err_code vindex_table_create(struct vindex_table *t, struct err *reterr);
/* The DDL, for `mqgate schema --vindex-table`. */
void vindex_table_ddl(const struct vindex_table_config *config, struct buf *out);
/* All rows with a version above `since`; *ret_version receives the table's version. Less
 * than `since` says that the table was restored or made anew: read it from 0. */
enum err_code vindex_table_read(struct vindex_table *t, uint64_t since, vindex_row_seen *seen,
                                void *context, uint64_t *ret_version, struct err *reterr);
/* The rows of these tenants; *ret_version is one that has been seen in full, so that changes
 * since then complete the picture. */
enum err_code vindex_table_read_tenants(struct vindex_table *t, const struct string_list *tenants,
                                        vindex_row_seen *seen, void *context, uint64_t *ret_version,
                                        struct err *reterr);

/* Adds a serving tenant (fails if it is there), places an existing one elsewhere (only while
 * the caller says that it holds no rows; a retired one serves again), or retires it. A tenant
 * that is being moved is left alone. A change that does not fit the row fails with MQ_USAGE;
 * a tenant without a row with MQ_TENANT_UNPLACED; a bad name with MQ_TENANT_INVALID. */
enum err_code vindex_table_add(struct vindex_table *t, struct slice tenant,
                               const struct keyspace_id *id, struct err *reterr);
enum err_code vindex_table_place(struct vindex_table *t, struct slice tenant,
                                 const struct keyspace_id *id, struct err *reterr);
enum err_code vindex_table_retire(struct vindex_table *t, struct slice tenant, struct err *reterr);
/* Leaves a tombstone of a retired tenant, which may be added again; fails with MQ_USAGE if it is
 * not retired. */
enum err_code vindex_table_remove(struct vindex_table *t, struct slice tenant, struct err *reterr);

/* "serving", "preparing", "moving", "retired". */
const char *tenant_state_name(enum tenant_state state);

#endif
