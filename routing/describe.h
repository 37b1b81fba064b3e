/* A table of the catalogue in the words of the servers behind: what SHOW and information_schema
 * of MySQL or MariaDB say about a table with that definition. Pure. */
#ifndef MQ_ROUTING_DESCRIBE_H
#define MQ_ROUTING_DESCRIBE_H

#include "routing/plan_int.h"
#include "vschema/definition.h"

/* "bigint(20) unsigned"; DATA_TYPE is its first word. */
void describe_type(const struct column_definition *c, const struct dialect *d, struct text *out);
const char *describe_data_type(const struct column_definition *c, const struct dialect *d);
/* Character set and collation; false when the column has none. */
bool describe_charset(const struct column_definition *c, const struct dialect *d,
                      struct slice *ret_charset, struct slice *ret_collation);
/* CHARACTER_MAXIMUM_LENGTH and CHARACTER_OCTET_LENGTH; false: NULL. */
bool describe_length(const struct column_definition *c, const struct dialect *d, uint64_t *ret_length,
                     uint64_t *ret_bytes);
/* NUMERIC_PRECISION; false: NULL. */
bool describe_precision(const struct column_definition *c, const struct dialect *d, uint64_t *ret);
bool describe_scale(const struct column_definition *c, uint64_t *ret);
/* DATETIME_PRECISION; false: NULL. */
bool describe_fraction(const struct column_definition *c, uint64_t *ret);
/* The default as SHOW COLUMNS tells it; false: NULL. */
bool describe_default(const struct column_definition *c, const struct dialect *d, struct text *out);
/* The default as information_schema tells it: MariaDB's is an expression. */
bool describe_default_expression(const struct column_definition *c, const struct dialect *d,
                                 struct text *out);
void describe_extra(const struct column_definition *c, const struct dialect *d, struct text *out);
/* "PRI", "UNI", "MUL" or "". */
const char *describe_key(const struct table_definition *t, const struct column_definition *c);
/* The CHECK that MariaDB gives a JSON column; false: none. */
bool describe_check(const struct column_definition *c, const struct dialect *d, struct text *out);
/* SHOW CREATE TABLE. */
void describe_table(const struct table_definition *t, const struct dialect *d, struct text *out);

#endif
