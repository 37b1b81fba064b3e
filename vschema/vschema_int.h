/* A VSchema keyspace in memory; everything lives in its arena. For this folder. */
#ifndef MQ_VSCHEMA_VSCHEMA_INT_H
#define MQ_VSCHEMA_VSCHEMA_INT_H

#include "base/arena.h"
#include "vschema/vindex_int.h"
#include "vschema/vschema.h"

struct vindex {
    const char *name;
    const struct vindex_type *type;
    const char *owner; /* "": none */
};

struct column_vindex {
    const struct vindex *vindex;
    const char **columns;
    size_t column_count;
};

struct vschema_table {
    const char *name;
    const char *type; /* "", "sequence" or "reference" */
    bool pinned;
    struct column_vindex *column_vindexes; /* the first is the primary one */
    size_t column_vindex_count;
};

struct vschema {
    struct arena arena;
    bool sharded;
    struct vindex *vindexes;
    size_t vindex_count;
    struct vschema_table *tables;
    size_t table_count;
};

/* An empty one; vschema_destroy frees it. */
struct vschema *vschema_create(void);
const struct vschema_table *vschema_table_find(const struct vschema *v, const char *name);

#endif
