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
    /* Of a lookup, "" where the file says nothing; other params are not mqgate's business. */
    struct {
        const char *table, *from, *to;
        const char *read_lock, *write_only;
    } lookup;
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
/* Fails with the code: a vindex of that type cannot shard the table. */
enum err_code vindex_refuse_type(enum err_code code, const char *vindex, const char *table,
                                 const char *type, struct err *reterr);
/* Whether a lookup is by the tenant vindex table, which may be NULL or not configured. */
enum err_code lookup_check(const struct vindex *v, const struct vindex_table_config *table,
                           struct err *reterr);

#endif
