/* Requests: getting a backend, giving it back, losing it. */
#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "proxy/session_int.h"

enum {
    MOST_RETRIES = 3, /* of a command of which no shard has seen a byte */
    KEPT_BYTES = 4096, /* memory that a session keeps between requests */
};

void request_begin(struct session *s, uint8_t end)
{
    struct request *q = &s->request;
    CHECK(s->step == STEP_NONE);
    plan_entry_release(q->entry);
    buf_clear(&q->bytes);
    *q = (struct request){ .bytes = q->bytes, .end = end, .answer = ANSWER_QUERY };
    s->answer_started = false;
    s->interrupted_ms = 0;
}

void request_add_query(struct session *s, struct slice text)
{
    uint8_t seq = 0;
    size_t mark = packet_open(&s->request.bytes);
    write_u8(&s->request.bytes, COM_QUERY);
    buf_append_slice(&s->request.bytes, text);
    packet_close(&s->request.bytes, mark, &seq);
}

void request_forget(struct session *s)
{
    plan_entry_release(s->request.entry);
    s->request.entry = NULL;
    buf_clear(&s->request.bytes);
    if (s->request.bytes.capacity > KEPT_BYTES)
        buf_fini(&s->request.bytes);
}

/* ---- getting a backend ---- */

static uint32_t connection_flags(const struct session *s)
{
    const struct request *q = &s->request;
    const char *database = q->wants_database ? q->database : s->database;
    bool has_database = session_targets_unsharded(s) && database;
    return (s->capabilities & (CAP_FOUND_ROWS | CAP_IGNORE_SPACE)) |
           (has_database ? CAP_CONNECT_WITH_DB : 0);
}

void session_take_backend(struct session *s, struct backend *b)
{
    s->waits_for = NULL;
    s->backend = b;
    if (s->state != SESSION_BUSY)
        session_move(s, SESSION_BUSY);
    session_advance(s);
}

static void learn_of_own(struct session *s, const struct err *e)
{
    char text[ERR_TEXT_MAX + 16];
    err_format(e, text, sizeof text);
    struct err_packet why = { .code = err_info(e->code)->mysql_errno,
                              .message = slice_cstr(text) };
    memcpy(why.sqlstate, err_info(e->code)->sqlstate, sizeof why.sqlstate);
    session_learn_failed(s, &why);
}

void session_fail_request(struct session *s, const struct err *e)
{
    s->step = STEP_NONE;
    if (s->request.end == END_LEARNED) {
        learn_of_own(s, e);
        request_forget(s);
        session_run_again(s);
        return;
    }
    struct err why = *e;
    session_drop_scatter(s);
    if (session_opens_branch(s))
        session_fail_branch(s, &why);
    if (s->trying)
        session_undo_set(s);
    s->begin_pending = s->begin_pending && s->request.end != END_BEGUN;
    plan_entry_release(s->deferred);
    s->deferred = NULL;
    request_forget(s);
    session_refuse(s, &why);
}

/* Another shard, if any will do. */
static bool try_another(struct session *s)
{
    struct request *q = &s->request;
    const struct topology *t = s->deployment->topology;
    uint32_t count = q->anywhere ? topology_server_count(t) : t->shard_count;
    if (!q->any_shard || ++q->tried >= count)
        return false;
    q->shard = (q->shard + 1) % count;
    return true;
}

void session_run_request(struct session *s)
{
    struct err e;
    e.code = MQ_OK;
    session_choose_branch(s);
    if (!s->backend && !session_take_shares(s))
        return;
    if (s->scatter) {
        session_begin_scatter(s);
        return;
    }
    if (!s->backend && session_goes_home(s))
        session_enter_home(s);
    if (s->backend) {
        if (s->state != SESSION_BUSY)
            session_move(s, SESSION_BUSY);
        session_advance(s);
        return;
    }
    do {
        struct pool *p = pool_get(s->worker, s->deployment, s->account, s->request.shard,
                                  connection_flags(s), session_workload_number(s));
        s->waits_for = p;
        struct backend *b = session_kept_backend(s, p);
        if (!b)
            b = session_insert_id_holder(s, p);
        if (!b)
            b = pool_checkout(p, s, &e);
        if (b) {
            session_take_backend(s, b);
            return;
        }
        if (!e.code && session_opens_branch(s) && pool_makes_wait(p)) {
            pool_forget_waiter(s);
            err_set(&e, MQ_SHARD_BUSY, "all its connections are in use");
        }
        if (!e.code) {
            if (s->state != SESSION_WAITING)
                session_move(s, SESSION_WAITING);
            return;
        }
        s->waits_for = NULL;
    } while (try_another(s));
    session_fail_request(s, &e);
}

/* The shard to begin with is spread by session, so that no shard serves all of it. */
void session_run_on_any_shard(struct session *s)
{
    struct err e;
    if (s->backend && session_check_sharded(s, &e)) {
        session_fail_request(s, &e);
        return;
    }
    s->request.any_shard = !s->pinned && !session_address_home(s);
    if (s->request.any_shard || session_targets_unsharded(s))
        s->request.shard = s->id % s->deployment->topology->shard_count;
    session_run_request(s);
}

/* What needs the home belongs to a transaction there, which may have to be opened. */
static bool joins_transaction(const struct session *s)
{
    const struct plan_entry *entry = s->request.entry;
    return entry && entry->template->home && session_in_transaction(s);
}

/* The home comes first, then the unsharded keyspace's server, for what sessions keep is there. */
void session_run_anywhere(struct session *s)
{
    const struct topology *t = s->deployment->topology;
    bool at_home = session_address_home(s);
    s->request.any_shard = !s->pinned && !at_home;
    s->request.anywhere = true;
    s->request.transactional |= at_home && joins_transaction(s);
    if (!at_home)
        s->request.shard = t->has_unsharded ? topology_unsharded(t) : s->id % t->shard_count;
    session_run_request(s);
}

/* Rows of a temporary table belong to the transaction, even to one that is not open yet. */
void session_run_passed(struct session *s)
{
    s->request.transactional = session_uses_rows(s->request.entry->template);
    if (s->request.transactional && !session_in_transaction(s)) { /* it is of no tenant yet */
        mem_free(s->transaction_tenant);
        s->transaction_tenant = NULL;
    }
    session_run_anywhere(s);
}

void session_on_backend(struct session *s, struct backend *b)
{
    s->mode->on_backend(s, b);
}

void session_on_no_backend(struct session *s, const struct err *reason)
{
    s->waits_for = NULL;
    struct err kept = *reason;
    if (try_another(s))
        session_run_request(s);
    else
        session_fail_request(s, &kept);
}

/* With a cursor open on it, it is only put aside, unless a transaction is to be rolled back. */
void session_release_one(struct session *s)
{
    struct backend *b = s->backend;
    if (b && (b->status & STATUS_IN_TRANS))
        session_cursors_close_on(s, b, MQ_TRANSACTION_TIMEOUT);
    s->backend = NULL;
    s->pinned = false;
    if (b && b == s->home)
        session_leave_home(s);
    else if (b && b->cursors) /* a client that was slow to read may have stopped it */
        io_watch(b->io, io_watched(b->io) | IO_READ);
    else if (b)
        backend_release(b);
}

void session_release_backend(struct session *s)
{
    session_drop_branches(s);
    session_release_one(s);
}

/* ---- losing it ---- */

bool session_uses(const struct session *s, const struct backend *b)
{
    return s->backend == b;
}

void session_on_backend_lost(struct session *s, struct backend *b, const struct err *reason)
{
    if (session_lose_branch(s, b)) {
        (void)session_lose_home(s);
        return;
    }
    if (session_uses(s, b) || b == s->home)
        s->mode->on_lost(s, reason);
}

void session_lose_backend(struct session *s, const struct err *reason)
{
    enum step step = s->step;
    struct request *q = &s->request;
    bool current = s->backend && s->backend->state == BACKEND_DEAD;
    bool at_home = session_lose_home(s);
    bool in_transaction = s->pinned || at_home;
    if (at_home && !current)
        return;
    if (s->pinned)
        session_savepoints_forget(s);
    struct err e = *reason;
    session_tell_partly(s, &e);
    s->backend = NULL;
    if (s->pinned)
        session_drop_branches(s);
    s->pinned = false;
    s->characteristics_set = false;
    s->savepoints_sent = 0;
    s->step = STEP_NONE;
    if (step == STEP_STATUS) { /* the client has its answer */
        s->lost_transaction = in_transaction ? MQ_SHARD_LOST : MQ_OK;
        s->status &= (uint16_t)~STATUS_IN_TRANS;
        request_forget(s);
        session_done(s);
        return;
    }
    if (s->state != SESSION_BUSY) { /* lost between the statements of a transaction */
        session_give_shares(s);
        s->lost_transaction = in_transaction && !at_home ? MQ_SHARD_LOST : MQ_OK;
        s->status &= (uint16_t)~STATUS_IN_TRANS;
        return;
    }
    bool unseen = step != STEP_COMMAND &&
                  !(step == STEP_BEGIN && s->pipelined) && !q->only_there;
    s->pipelined = false;
    if (unseen && !in_transaction && q->tried < MOST_RETRIES) {
        q->tried++;
        session_run_request(s);
        return;
    }
    s->status &= (uint16_t)~STATUS_IN_TRANS;
    s->lost_transaction = in_transaction && q->end == END_LEARNED ? MQ_SHARD_LOST : MQ_OK;
    if (!unseen)
        session_lose_insert_id(s);
    if (s->answer_started) { /* an ERR would stand in the middle of a packet or of rows */
        session_close_gently(s);
        return;
    }
    s->close_after_flush |= at_home; /* as the server's own connection would be */
    session_fail_request(s, &e);
}
