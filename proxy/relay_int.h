/* What the files of the relay offer one another. */
#ifndef MQ_PROXY_RELAY_INT_H
#define MQ_PROXY_RELAY_INT_H

#include "proxy/session_int.h"

/* relay_columns.c */
/* As the server behind calls what the client calls s->database. */
const char *relay_shard_database(const struct session *s);
bool relay_renames_database(const struct session *s);
/* What the client is told in place of a definition of the backend's, of which it borrows; false: that
 * passes as it is. number: of the answer's column, or NO_COLUMN of a parameter. */
enum { NO_COLUMN = UINT32_MAX };
bool relay_column_def(const struct session *s, uint64_t number, struct slice payload,
                      struct column_def *ret);

/* relay_words.c */
/* Appends the packet of the answer's error, as the client learns it. */
void relay_write_err(struct session *s, const struct err_packet *error, struct buf *out);
/* The definition of the next column of SHOW WARNINGS, `number` of them. */
void relay_note_diagnostic_type(struct session *s, size_t number, struct slice definition);
/* Appends the packet of a row of SHOW WARNINGS in place of this one; false: it passes. */
bool relay_diagnostic(struct session *s, struct slice row, struct buf *out);

/* relay_prepare.c */
/* A packet of a PREPARE's answer. */
void relay_prepared_packet(struct session *s, enum answer_packet kind, struct slice payload);
/* They all have come. */
void relay_prepared(struct session *s);

#endif
