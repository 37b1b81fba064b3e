/* One blocking connection to a MySQL or MariaDB server, over libmysqlclient (MySQL's own or
 * MariaDB Connector/C). Connecting, reading and writing have time limits, so that a dead
 * server never hangs the caller for good. */
#ifndef MQ_PLACEMENT_DATABASE_H
#define MQ_PLACEMENT_DATABASE_H

#include "base/buf.h"
#include "config/config.h"

struct database;

/* Where to connect and as whom. */
struct database_target {
    const struct address *address;
    const struct credentials *credentials;
    const struct tls_config *tls;
    const char *database;  /* becomes the default; NULL: none */
    enum err_code failure; /* the code under which every failure is reported */
    unsigned patience_s;   /* how long an answer may take; 0: the usual 5 s */
};

enum err_code database_open(const struct database_target *target, struct database **ret,
                            struct err *reterr);
void database_close(struct database *d); /* NULL is fine */

/* Runs a statement that returns no rows; *ret_changed, if given, receives how many it
 * changed. */
enum err_code database_run(struct database *d, struct slice sql, uint64_t *ret_changed,
                           struct err *reterr);
/* Runs a query and hands over its rows as they arrive. A NULL column has data NULL; columns
 * are valid during the call only. The callee returns false to stop. */
typedef bool database_row_seen(void *context, const struct slice *columns, unsigned count);
enum err_code database_select(struct database *d, struct slice sql, database_row_seen *seen,
                              void *context, struct err *reterr);

/* The value that the last statement gave to LAST_INSERT_ID(). */
uint64_t database_insert_id(struct database *d);
/* The last failure was that a table does not exist. */
bool database_table_missing(struct database *d);

/* Appends the value as a string literal or as X'…', the name as a quoted identifier. */
void database_quote(struct database *d, struct slice value, struct buf *out);
void database_quote_bytes(struct slice value, struct buf *out);
void database_quote_name(const char *name, struct buf *out);

/* Every thread but the first that uses a database calls these at its begin and end. */
void database_thread_init(void);
void database_thread_fini(void);

#endif
