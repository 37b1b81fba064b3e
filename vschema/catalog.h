/* The catalogue of queue tables: legacy shape, tenant shape, keys. Data, not code that knows
 * five names; `queue_tables:` in the configuration adds to it. */
#ifndef MQ_VSCHEMA_CATALOG_H
#define MQ_VSCHEMA_CATALOG_H

#include "base/buf.h"
#include "config/config.h"

enum column_check {
    CHECK_NONE,
    CHECK_ASCII,          /* ASCII, no NUL, at most 255 bytes */
    CHECK_ASCII_NONEMPTY, /* the same and not empty */
    CHECK_ASCII_MET,      /* no column's: a value that meets an ASCII column in an expression */
    CHECK_UTF8,           /* UTF-8, at most 255 characters */
    CHECK_COUNTER,        /* AUTO_INCREMENT: a known integer that leaves the counter room */
};

struct catalog_column {
    const char *name;
    const char *legacy_type; /* e.g. "VARCHAR(255)", "BIGINT UNSIGNED" */
    const char *options;     /* e.g. "NOT NULL DEFAULT 0", "NOT NULL AUTO_INCREMENT" */
    const char *tenant_type; /* with its character set, e.g. "VARCHAR(255) CHARACTER SET ascii …" */
    enum column_check check;
    bool optional; /* may be missing in a legacy CREATE TABLE (older releases) */
};

struct catalog_key {
    const char *name; /* NULL: PRIMARY */
    bool unique;
    const char *columns; /* "topic, partition_key, offset" */
};

struct catalog_table {
    const char *name;
    const struct catalog_column *columns; /* legacy order; without tenant */
    size_t column_count;
    const struct catalog_key *legacy_keys;
    size_t legacy_key_count;
    const struct catalog_key *tenant_keys;
    size_t tenant_key_count;
    const char *partition_key; /* its column that clients may see qualified; NULL: none */
    bool has_metadata; /* carries the sources `metadata` and `payload` */
    const char *version; /* of a table of which every tenant has a copy, as heartbeats: the column by
                            which the newest of several rows of one legacy key is told; else NULL */
    const char *aged_by; /* rows in which this column is below a value may be deleted for all tenants
                            by one statement, as stale leases; NULL: none */
};

struct catalog {
    const struct catalog_table **tables;
    size_t table_count;
    void *owned; /* what the configuration added; private */
};

struct catalog *catalog_create(const struct config *config);
void catalog_destroy(struct catalog *c);
/* Whether what the configuration added is complete: each table has a primary key, each key's
 * columns exist. Fails with MQ_CONFIG_INVALID. */
enum err_code catalog_check(const struct catalog *c, struct err *reterr);
/* By name: table names compare as the servers of a case-sensitive file system do. */
const struct catalog_table *catalog_find(const struct catalog *c, struct slice table);
/* Column names compare without case. -1 when there is none. */
int catalog_column_index(const struct catalog_table *t, struct slice column);
/* The AUTO_INCREMENT column; NULL when there is none. */
const struct catalog_column *catalog_counter(const struct catalog_table *t);
/* True when the name is a column of any queue table. */
bool catalog_any_column(const struct catalog *c, struct slice column);

/* Takes the next column off a key's list ("topic, offset"); false at its end. */
bool catalog_key_next(struct slice *rest, struct slice *ret_column);

/* Of the column that leads every table on the shards. */
extern const char catalog_tenant_type[];

/* CREATE TABLE statements without a final semicolon; identifiers backquoted, without a database. */
void catalog_legacy_ddl(const struct catalog_table *t, bool if_not_exists, struct buf *out);
void catalog_tenant_ddl(const struct catalog_table *t, bool if_not_exists, struct buf *out);

#endif
