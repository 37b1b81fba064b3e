/* The text of single values: numbers with units, switches, addresses, names. Pure. */
#ifndef MQ_CONFIG_SCALAR_H
#define MQ_CONFIG_SCALAR_H

#include "config/config.h"

/* Each parses the whole text; false (or, where a reason is returned, not NULL) otherwise. */
bool scalar_flag(const char *text, bool *ret);
bool scalar_count(const char *text, uint64_t *ret);
/* "500ms", "5s", "15m", "8h", "1d"; a bare number only if it is 0. */
bool scalar_duration(const char *text, uint64_t *ret_ms);
/* "64MiB", "16KiB", "1GiB", "100B", or bytes without a unit. */
bool scalar_size(const char *text, uint64_t *ret_bytes);
/* "host:port", "[v6]:port" or the absolute path of a socket; *ret is then owned by the
 * caller (address_fini). Returns NULL, or what is wrong. */
const char *scalar_address(const char *text, struct address *ret);
/* What is wrong with the path of a unix socket, or NULL. */
const char *scalar_socket_fault(const char *path);
/* What is wrong with the name of a table, column or database, or NULL. */
const char *scalar_identifier_fault(const char *name);
/* What is wrong with a shard's name, or NULL; only its syntax is looked at. */
const char *scalar_shard_fault(const char *name);
/* What is wrong with a password hash as in mysql.user, or NULL. */
const char *scalar_hash_fault(const char *hash);

/* The largest unit that prints the value exactly. */
void scalar_print_duration(uint64_t ms, struct buf *out);
void scalar_print_size(uint64_t bytes, struct buf *out);

void address_fini(struct address *a);
bool address_eq(const struct address *a, const struct address *b);
void address_print(const struct address *a, struct buf *out);

#endif
