/* Vitess' VSchema JSON, read as vtgate reads it (go/vt/vtgate/vindexes/vschema.go):
 * snake_case and lowerCamelCase names, unknown fields ignored, `column` and `columns`. */
#ifndef MQ_VSCHEMA_VSCHEMA_H
#define MQ_VSCHEMA_VSCHEMA_H

#include "vschema/catalog.h"
#include "vschema/vindex.h"

struct vschema;

/* Parses a keyspace document, or a SrvVSchema with `keyspaces` of which `keyspace` is taken.
 * Fails with MQ_VSCHEMA_INVALID, in Vitess' words where it has them. */
enum err_code vschema_parse(struct slice json, const char *keyspace, struct vschema **ret,
                            struct err *reterr);
/* Of a SrvVSchema: the keyspace must be there, not be sharded, and hold no queue table. */
enum err_code vschema_check_unsharded(struct slice json, const char *keyspace,
                                      const struct catalog *catalog, struct err *reterr);
/* What is assumed without a file: every queue table by xxhash on tenant. */
struct vschema *vschema_default(const struct catalog *catalog);
void vschema_destroy(struct vschema *v);

/* Every queue table must be sharded by `tenant` first, all by the same vindex type. A lookup must
 * be by the tenant vindex table; lookup_table may be NULL: there is none. */
enum err_code vschema_check(const struct vschema *v, const struct catalog *catalog,
                            const struct vindex_table_config *lookup_table,
                            const struct vindex_type **ret_vindex, struct err *reterr);
/* Writes the VSchema of the catalogue's tables: sharded by a lookup in that table, or without one
 * by xxhash. */
void vschema_write(const struct catalog *catalog, const struct vindex_table_config *lookup_table,
                   struct buf *out);
/* Writes the VSchema of the unsharded keyspace that holds the table. */
void vschema_write_lookup(const struct vindex_table_config *lookup_table, struct buf *out);

#endif
