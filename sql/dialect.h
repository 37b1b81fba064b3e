/* How the servers behind read a statement: flavour, version, sql_mode, character set.
 * Two statements with the same bytes but different dialects are different statements. */
#ifndef MQ_SQL_DIALECT_H
#define MQ_SQL_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum flavour { FLAVOUR_MYSQL, FLAVOUR_MARIADB };

/* The modes that change how text is read; the others only change what statements do. */
enum {
    MODE_ANSI_QUOTES = 1u << 0,
    MODE_NO_BACKSLASH_ESCAPES = 1u << 1,
    MODE_PIPES_AS_CONCAT = 1u << 2,
    MODE_IGNORE_SPACE = 1u << 3,
    MODE_HIGH_NOT_PRECEDENCE = 1u << 4,
    /* Not a sql_mode but SET @mq_schema = 'tenant': it changes which columns `*` stands for. */
    MODE_TENANT_SCHEMA = 1u << 31
};

struct dialect {
    enum flavour flavour;
    uint32_t version_min; /* e.g. 80036, 90700, 101106: the oldest and the newest server */
    uint32_t version_max; /* of the keyspace; equal when all are alike */
    uint32_t modes;       /* MODE_… */
};

/* MySQL 8.0, default modes: what is assumed before a shard was seen. */
struct dialect dialect_default(void);
/* Flavour and version out of a greeting's version string ("8.0.36-0ubuntu…",
 * "5.5.5-10.11.6-MariaDB-0+deb12u1", "9.7.0"). False when it does not parse. */
bool dialect_of_version(struct slice version, struct dialect *ret);
/* Widens a so that it also describes b; false when the flavours differ. */
bool dialect_join(struct dialect *a, const struct dialect *b);
bool dialect_eq(const struct dialect *a, const struct dialect *b);

enum mode_status { MODES_OK, MODES_UNKNOWN_NAME, MODES_REFUSED };
/* The reading modes within a sql_mode value ("ANSI_QUOTES,STRICT_TRANS_TABLES", names in any
 * case, combination names such as ANSI expanded). ORACLE, MSSQL and other modes that select
 * another grammar are MODES_REFUSED. *ret_name, if given, is the offending name. */
enum mode_status dialect_modes(struct slice value, uint32_t *ret_modes, struct slice *ret_name);
/* Does a sql_mode value make values that do not fit their column errors? */
bool dialect_is_strict(struct slice value);

/* Character sets whose multibyte characters cannot hold ASCII bytes. Names of character sets
 * or collations, in any case. */
struct charset_info {
    const char *name;              /* "utf8mb4" */
    const char *default_collation; /* of MySQL 8.0 */
    uint16_t default_collation_id;
    bool safe;
};
/* NULL when there is no such character set. */
const struct charset_info *charset_find(struct slice name);
/* By the collation id of a handshake (low byte in old clients); NULL when unknown. */
const struct charset_info *charset_of_collation_id(uint32_t id);
/* By a collation's name ("utf8mb4_bin"): the set it belongs to, NULL when unknown. */
const struct charset_info *charset_of_collation(struct slice name);
/* The name of a collation id, e.g. 45 "utf8mb4_general_ci"; NULL when unknown. */
const char *collation_name(uint32_t id);

#endif
