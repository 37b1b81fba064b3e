/* The queue tables for a Vitess cluster, as `mqgate schema --vitess` writes them: a folder for each
 * keyspace, as vttestserver and vtcombo read them.
 *
 *   FOLDER/queue/vschema.json, schema.sql      sharded; the queue tables
 *   FOLDER/tenants/vschema.json, schema.sql    with tenant_vindex: unsharded; where tenants are */
#ifndef MQ_CLI_SCHEMA_FOLDERS_H
#define MQ_CLI_SCHEMA_FOLDERS_H

#include "vschema/catalog.h"

/* Makes what is missing of the folders and replaces the files. config may be NULL. Fails with
 * MQ_CONFIG_UNREADABLE. */
enum err_code schema_folders_write(const char *folder, const struct config *config,
                                   const struct catalog *catalog, struct err *reterr);
/* The statements that make the catalogue's tables, by one of the catalogue's functions. */
void schema_tables(const struct catalog *catalog,
                   void (*ddl)(const struct catalog_table *t, bool if_not_exists, struct buf *out),
                   struct buf *out);

#endif
