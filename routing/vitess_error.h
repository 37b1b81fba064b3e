/* vtgate's errors in words and numbers that MySQL's clients know. */
#ifndef MQ_ROUTING_VITESS_ERROR_H
#define MQ_ROUTING_VITESS_ERROR_H

#include "base/error.h"
#include "base/slice.h"

/* What a server's error is about, of the message
 *
 *   target: queue.-80.primary: vttablet: rpc error: code = AlreadyExists desc = Duplicate entry …
 *   (errno 1062) (sqlstate 23000) (CallerID: app): Sql: "insert …", BindVars: {…}
 *
 * MQ_OK: it is MySQL's own, and *ret_message what that said. Else a code of the catalogue, and what
 * Vitess said; never the statement nor its values. *ret_message is a part of `said`. */
enum err_code vitess_error(unsigned mysql_errno, struct slice said, struct slice *ret_message);

#endif
