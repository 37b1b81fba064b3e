/* Vindexes: functions from a column value to a keyspace id, bit for bit as Vitess has them
 * (go/vt/vtgate/vindexes). One file per type. */
#ifndef MQ_VSCHEMA_VINDEX_H
#define MQ_VSCHEMA_VINDEX_H

#include "vschema/keyrange.h"

struct vindex_type {
    const char *name;
    bool unique;
    /* False when the value maps to no shard. */
    bool (*map)(struct slice value, struct keyspace_id *ret);
    bool is_lookup;    /* by the tenant vindex table; map is NULL */
    const char *reach; /* the key range that tenants are mapped into */
};

/* NULL when mqgate does not serve that type. */
const struct vindex_type *vindex_find(struct slice name);

#endif
