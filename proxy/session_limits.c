/* Time limits of a session, looked at by the worker's sweep: no statement arms a timer. A limit
 * may so be overstepped by the sweep's period, a tick for what a shard does and a second for
 * what a client does.
 *
 *   client   LOGIN login_timeout, READY idle_timeout; read_timeout amid a command, write_timeout
 *            while an answer is not read
 *   shard    statement_timeout: KILL QUERY; limits of transactions: ROLLBACK, told at the next
 *            command */
#include "proxy/session_int.h"

#include "base/log.h"
#include "proxy/pool_kill.h"

enum {
    CLOSING_MS = 5000, /* how long a client may take to read its last answer */
    ER_QUERY_INTERRUPTED = 1317,
};

/* A limit of 0 is none. */
static bool has_passed(const struct session *s, uint64_t since_ms, uint32_t limit_ms)
{
    return limit_ms && s->worker->now_ms - since_ms >= limit_ms;
}

static const struct config *config_of(const struct session *s)
{
    return s->deployment->topology->config;
}

/* ---- the client ---- */

static void end(struct session *s, uint8_t seq, enum err_code code, const char *why)
{
    struct err e;
    err_set(&e, code, "%s", why);
    s->seq = seq;
    session_send_err(s, &e);
    session_close_gently(s);
}

/* Between commands, or in the middle of one. */
static void watch_input(struct session *s)
{
    const struct config *c = config_of(s);
    bool interactive = s->capabilities & CAP_INTERACTIVE;
    uint32_t idle = interactive ? c->limits.interactive_timeout_ms : c->limits.idle_timeout_ms;
    if (buf_len(&s->in) && session_wants_packets(s)) {
        if (has_passed(s, s->moved_ms, c->limits.read_timeout_ms))
            end(s, 1, MQ_READ_TIMEOUT, "the command did not end within limits.read_timeout");
    } else if (has_passed(s, s->since_ms, idle)) {
        end(s, 0, MQ_IDLE_TIMEOUT,
            interactive ? "idle for longer than limits.interactive_timeout"
                        : "idle for longer than limits.idle_timeout");
    }
}

void session_tick(struct session *s)
{
    const struct config *c = config_of(s);
    char where[32];
    if (s->state == SESSION_LOGIN || s->state == SESSION_CLOSING) {
        uint32_t limit = s->state == SESSION_LOGIN ? c->limits.login_timeout_ms : CLOSING_MS;
        if (has_passed(s, s->since_ms, limit))
            session_kill(s);
    } else if (s->mode->lasting) {
        return;
    } else if (buf_len(&s->out) && has_passed(s, s->moved_ms, c->limits.write_timeout_ms)) {
        log_info(session_where(s, where), "the client does not read its answer");
        session_kill(s);
    } else if (s->state == SESSION_READY) {
        watch_input(s);
    }
}

/* ---- the shard ---- */

uint64_t session_asked_ms(const struct session *s)
{
    bool reads = s->backend && (io_watched(s->backend->io) & IO_READ);
    return s->state == SESSION_BUSY && reads && !s->mode->lasting ? s->since_ms : 0;
}

/* The answer, an error then, still comes on the statement's own connection. */
static void interrupt(struct session *s)
{
    s->interrupted_ms = s->worker->now_ms;
    pool_kill_statement(s->backend);
}

/* Of one for several tenants, all parts together have one limit. */
static void watch_statement(struct session *s)
{
    const struct config *c = config_of(s);
    uint64_t since_ms = s->part ? session_part_since_ms(s->part) : s->since_ms;
    bool over = (s->is_part && !s->part) || has_passed(s, since_ms, c->limits.statement_timeout_ms) ||
                (s->pinned && has_passed(s, s->pinned_ms, c->limits.transaction_timeout_ms));
    if (s->interrupted_ms && has_passed(s, s->interrupted_ms, c->pool.connect_timeout_ms))
        backend_lose(s->backend, MQ_SHARD_LOST, "it did not end a statement that took too long");
    else if (over && !s->interrupted_ms)
        interrupt(s);
}

/* What else the session has on its home goes with it: its client must connect again. */
static void end_transaction(struct session *s)
{
    if (s->backend == s->home) {
        backend_lose(s->backend, MQ_SHARD_LOST, "a transaction took too long");
        return;
    }
    session_release_backend(s);
    session_give_shares(s);
    s->lost_transaction = MQ_TRANSACTION_TIMEOUT;
    s->status &= (uint16_t)~STATUS_IN_TRANS;
}

/* A transaction between two statements. */
static void watch_transaction(struct session *s)
{
    const struct config *c = config_of(s);
    if (has_passed(s, s->pinned_ms, c->limits.transaction_timeout_ms) ||
        has_passed(s, s->since_ms, c->limits.transaction_idle_timeout_ms))
        end_transaction(s);
}

/* Between two commands, a backend that is kept for cursors. */
static void watch_cursors(struct session *s, const struct backend *b)
{
    if (s->state == SESSION_READY &&
        has_passed(s, s->since_ms, config_of(s)->limits.transaction_idle_timeout_ms))
        session_cursors_close_on(s, b, MQ_TRANSACTION_TIMEOUT);
}

void session_watch_backend(struct session *s, const struct backend *b)
{
    if (s->mode->lasting)
        return;
    if (!session_uses(s, b))
        watch_cursors(s, b);
    else if (s->state == SESSION_BUSY)
        watch_statement(s);
    else if (s->state == SESSION_READY && s->pinned)
        watch_transaction(s);
}

bool session_was_interrupted(const struct session *s, const struct err_packet *error,
                             struct err *ret_why)
{
    if (!s->interrupted_ms || error->code != ER_QUERY_INTERRUPTED)
        return false;
    err_set(ret_why, MQ_STATEMENT_TIMEOUT, "the statement, or its transaction, took too long");
    return true;
}
