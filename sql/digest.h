/* A statement without its literals: what may be kept and shown of a text that holds secrets. */
#ifndef MQ_SQL_DIGEST_H
#define MQ_SQL_DIGEST_H

#include "sql/token.h"

/* Writes the statement on one line, `?` for each literal and parameter and without comments.
 * A text that does not fit ends in "..."; bytes that are not UTF-8 become `?` as well. Returns
 * the length written, less than size, without the NUL at the end; size is at least 4. */
size_t digest_write(const struct lexed *l, char *buffer, size_t size);

#endif
