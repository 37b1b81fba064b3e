/* The VSchema of a Vitess cluster as its vtgate shows it (SHOW VSCHEMA KEYSPACES and VINDEXES),
 * and whether it is what mqgate needs. Pure; placement/vitess_vschema.c asks. */
#ifndef MQ_VSCHEMA_VSCHEMA_SHOWN_H
#define MQ_VSCHEMA_VSCHEMA_SHOWN_H

#include "vschema/vschema.h"

/* Of SHOW VSCHEMA VINDEXES FROM a table the first row, which is its primary vindex. */
struct vindex_shown {
    struct slice columns; /* "tenant", or "a, b" */
    struct slice name, type;
    struct slice params; /* "from=tenant; table=ks.t; to=id" */
};

/* A keyspace without tables, with room for some. vschema_destroy frees it. */
struct vschema *vschema_create_shown(bool sharded, size_t tables);
/* Adds a table; without a vindex (NULL) it is not sharded. Fails with MQ_VSCHEMA_CLUSTER. */
enum err_code vschema_add_shown(struct vschema *v, const char *table,
                                const struct vindex_shown *primary, struct err *reterr);

/* Whether the queue tables can be served by the cluster's VSchema: as vschema_check has it, with
 * lookups that lock nothing; and, if another is configured (else NULL), by the same vindex type.
 * Fails with MQ_VSCHEMA_CLUSTER. */
enum err_code vschema_check_shown(const struct vschema *cluster, const struct vschema *configured,
                                  const struct catalog *catalog,
                                  const struct vindex_table_config *lookup_table,
                                  const struct vindex_type **ret_vindex, struct err *reterr);

#endif
