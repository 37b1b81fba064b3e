/* When the shard disagrees with what the session takes to be prepared there.
 *
 *   PREPARE  1461  its server has as many statements as it allows: this backend's others are closed,
 *                  and those of the pool's idle backends; then there may be room
 *   EXECUTE  1243  it does not know the statement, which something between has made it forget:
 *                  nothing has run, and it is prepared again
 *
 * Once each; then the client gets the error. */
#include "proxy/session_int.h"

enum { ER_UNKNOWN_STMT_HANDLER = 1243, ER_MAX_PREPARED_STMT_COUNT_REACHED = 1461 };

static bool has_failed_with(const struct session *s, uint16_t code)
{
    return s->backend->answer.err.code == code && !s->request.again;
}

bool session_hides_err(const struct session *s)
{
    return s->step == STEP_COMMAND && s->request.execute &&
           has_failed_with(s, ER_UNKNOWN_STMT_HANDLER);
}

static bool make_room(const struct session *s)
{
    return s->step == STEP_PREPARE && has_failed_with(s, ER_MAX_PREPARED_STMT_COUNT_REACHED) &&
           backend_stmts_close(s->backend) + pool_close_statements(s->backend->pool) > 0;
}

bool session_try_again(struct session *s)
{
    if (session_hides_err(s))
        backend_stmt_forget(s->backend, request_stmt_key(&s->request));
    else if (!make_room(s))
        return false;
    s->request.again = true;
    s->step = STEP_NONE;
    session_advance(s);
    return true;
}
