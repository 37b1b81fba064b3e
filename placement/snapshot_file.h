/* The last known state of the tenant vindex table in a file, so that a sidecar starts while
 * the vindex database is down.
 *
 *   header (64 bytes, little-endian)            body: one record per placed tenant
 *   "MQTENNT1", source, version,                name length 2, name, state 1,
 *   confirmed, rows, body length, body sum,     id length 1, id, version 8
 *   sum of the 56 bytes before it
 *
 * Both parts carry a checksum. The whole is written beside the file and renamed over it; a
 * mere confirmation replaces the header in place. A torn or foreign file is refused. */
#ifndef MQ_PLACEMENT_SNAPSHOT_FILE_H
#define MQ_PLACEMENT_SNAPSHOT_FILE_H

#include "placement/vindex_table.h"

enum { SNAPSHOT_HEADER_SIZE = 64 };

struct snapshot_info {
    uint64_t source;            /* which table it is of: snapshot_source */
    uint64_t version;           /* of the table */
    uint64_t confirmed_wall_ms; /* when the table was last seen to say this */
};

/* A number that stands for the configured table; a file about another one is refused. The
 * address does not count, since a database may move. */
uint64_t snapshot_source(const struct config *config);

/* All these fail with MQ_VINDEX_TABLE_UNAVAILABLE. */
enum err_code snapshot_file_write(const char *path, const struct tenant_map *map,
                                  const struct snapshot_info *info, struct err *reterr);
/* The file's contents are still what the table says, at info's time and version. */
enum err_code snapshot_file_confirm(const char *path, const struct snapshot_info *info,
                                    struct err *reterr);
/* Hands over all rows of a file about info->source and fills in the rest of info. When it
 * fails, some rows may have been handed over. */
enum err_code snapshot_file_read(const char *path, struct snapshot_info *info,
                                 vindex_row_seen *seen, void *context, struct err *reterr);
/* The same from the bytes of a file. */
enum err_code snapshot_parse(struct slice bytes, struct snapshot_info *info, vindex_row_seen *seen,
                             void *context, struct err *reterr);

#endif
