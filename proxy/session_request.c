/* Requests: getting a backend, bringing it in line step by step, sending the command, and
 * what follows the end of the answer. */
#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "proxy/primary.h"
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
                                  connection_flags(s));
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
    s->request.any_shard = !s->pinned;
    s->request.shard = s->id % s->deployment->topology->shard_count;
    session_run_request(s);
}

/* That server comes first, for what the session keeps is there. */
void session_run_anywhere(struct session *s)
{
    const struct topology *t = s->deployment->topology;
    s->request.any_shard = !s->pinned && !s->home;
    s->request.anywhere = true;
    s->request.shard = t->has_unsharded ? topology_unsharded(t) : s->id % t->shard_count;
    session_run_request(s);
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

/* ---- the steps ---- */

/* Not a byte of this step was taken: whoever retries repeats nothing. */
static void lost_while_sending(struct session *s)
{
    struct err e;
    struct backend *b = s->backend;
    err_set(&e, MQ_SHARD_LOST, "the connection to the shard was lost");
    s->step = STEP_NONE;
    s->pipelined = false;
    backend_kill(b);
    session_on_backend_lost(s, b, &e);
}

static void send_own(struct session *s, enum step step, const char *text)
{
    s->step = step;
    if (!backend_query(s->backend, text))
        lost_while_sending(s);
}

/* What the borrowed backend is to have. */
static const struct vars *vars_due(const struct session *s)
{
    return s->request.steps_back ? &s->vars : session_vars(s);
}

/* What SET answers must be of its own assignments alone. The one statement that makes them, and
 * brings the backend in line, tells that of both: if there is a warning, they are made one after
 * the other. So they are where another session's may have been warned of, and nothing is to do. */
static void note_set_warnings(struct session *s)
{
    struct request *q = &s->request;
    uint16_t warnings = s->backend->answer.ok.warnings;
    s->backend->warned |= warnings != 0;
    if (q->end != END_SET)
        return;
    bool apart = !q->steps_back && warnings && q->mixed;
    q->warnings = apart || q->steps_back ? 0 : warnings;
    q->steps_back = apart;
}

static bool may_have_warned(const struct session *s)
{
    const struct backend *b = s->backend;
    return s->request.end == END_SET && !s->request.assigned && b->warned &&
           vars_eq(&b->vars, &s->trial) && !vars_eq(&b->vars, &s->vars);
}

static void send_sync(struct session *s)
{
    struct backend *b = s->backend;
    struct vars_server server = { b->dialect.flavour, pool_knows_defaults(b) ? b->modes : NULL };
    struct buf text;
    s->request.mixed = !vars_eq(&b->vars, &s->vars);
    s->request.assigned = !s->request.steps_back;
    buf_init(&text);
    vars_statement(&b->vars, vars_due(s), &server, &text);
    if (buf_len(&text)) {
        send_own(s, STEP_SYNC, buf_cstr(&text));
    } else { /* they differ in what this server does not have */
        vars_copy(b->worker->interned, &b->vars, vars_due(s));
        session_advance(s);
    }
    buf_fini(&text);
}

static void send_database(struct session *s)
{
    struct backend *b = s->backend;
    struct buf bytes;
    uint8_t seq = 0;
    buf_init(&bytes);
    size_t mark = packet_open(&bytes);
    write_u8(&bytes, COM_INIT_DB);
    buf_append_cstr(&bytes, s->request.database);
    packet_close(&bytes, mark, &seq);
    s->step = STEP_DATABASE;
    answer_begin(&b->answer, ANSWER_QUERY, b->capabilities);
    struct iovec part = { buf_begin(&bytes), buf_len(&bytes) };
    if (!backend_send(b, &part, 1))
        lost_while_sending(s);
    buf_fini(&bytes);
}

/* Whoever prepares a statement for the unsharded keyspace's server gets a new one, not one that has
 * run: what a server keeps from run to run is not always as if there had been none before. */
static void close_former(struct session *s, struct buf *bytes)
{
    struct request former = s->request;
    backend_stmt_close(s->backend, request_stmt_key(&former), bytes);
    former.opens_cursor = !former.opens_cursor;
    if (former.prepare && session_targets_unsharded(s))
        backend_stmt_close(s->backend, request_stmt_key(&former), bytes);
}

static void send_prepare(struct session *s)
{
    struct backend *b = s->backend;
    const struct plan_entry *entry = s->request.entry;
    const char *database = s->deployment->topology->shards[b->pool->key.shard].config->database;
    const struct session_facts facts = { .database = slice_cstr(s->request.database) };
    struct buf bytes;
    uint8_t seq = 0;
    buf_init(&bytes);
    close_former(s, &bytes);
    backend_stmt_make_room(b, &bytes);
    size_t mark = packet_open(&bytes);
    write_u8(&bytes, COM_STMT_PREPARE);
    if (s->request.part_serial)
        buf_append_slice(&bytes, buf_slice(&s->part_text));
    else
        route_text(entry->template, &entry->lexed, NULL, &facts, database, true, &s->worker->arena,
                   &bytes);
    packet_close(&bytes, mark, &seq);
    s->step = STEP_PREPARE;
    answer_begin(&b->answer, ANSWER_PREPARE, b->capabilities);
    relay_keep_prepared(s);
    struct iovec part = { buf_begin(&bytes), buf_len(&bytes) };
    if (!backend_send(b, &part, 1))
        lost_while_sending(s);
    buf_fini(&bytes);
}

static void patch_statement_id(struct session *s, uint32_t id)
{
    uint8_t *p = buf_begin(&s->request.bytes) + PACKET_HEADER + 1;
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(id >> (8 * i));
}

/* BEGIN and the command go out together: BEGIN cannot fail where a command could succeed, and
 * the transaction then costs the shard no round trip of its own. */
static void send_command(struct session *s, bool begin)
{
    struct backend *b = s->backend;
    struct request *q = &s->request;
    struct buf first;
    uint8_t seq = 0;
    buf_init(&first);
    if (begin) {
        size_t mark = packet_open(&first);
        write_u8(&first, COM_QUERY);
        buf_append_cstr(&first, session_begin_text(s));
        packet_close(&first, mark, &seq);
    }
    s->step = begin ? STEP_BEGIN : STEP_COMMAND;
    s->pipelined = begin;
    answer_begin(&b->answer, begin ? ANSWER_QUERY : (enum answer_kind)q->answer, b->capabilities);
    if (!begin)
        relay_begin(s);
    struct iovec parts[2] = { { buf_begin(&first), buf_len(&first) },
                              { buf_begin(&q->bytes), buf_len(&q->bytes) } };
    bool sent = begin ? backend_send(b, parts, 2) : backend_send(b, parts + 1, 1);
    if (!sent)
        lost_while_sending(s);
    buf_fini(&first);
}

static void pin(struct session *s)
{
    if (!session_in_transaction(s))
        s->pinned_ms = s->worker->now_ms;
    s->pinned = true;
}

/* The server's word decides whether a transaction is open; then the backend stays. A backend of
 * the session's own is not rolled back when it does not tell. */
static void pin_or_release(struct session *s)
{
    s->step = STEP_NONE;
    s->savepoints_sent = 0;
    if (s->branches) {
        session_settle_branch(s);
        return;
    }
    if (!s->backend)
        return;
    bool unsure = s->backend == s->home && s->backend->unsure;
    if (!unsure && !(s->backend->status & STATUS_IN_TRANS)) {
        session_release_backend(s);
        s->began = false;
        return;
    }
    pin(s);
    if (session_is_multi(s)) /* another one may have to be told of them */
        s->savepoints_sent = buf_len(&s->savepoints);
    else
        session_savepoints_forget(s);
}

/* Would the shard store `?` for what is not ASCII? The legacy columns take it. */
static bool would_garble(const struct session *s)
{
    const struct request *q = &s->request;
    bool strict = s->strict == STRICT_AS_SHARD ? s->backend->strict : s->strict == STRICT_ON;
    return !strict && q->entry && !q->prepare && q->entry->template->computed;
}

static void refuse_garbling(struct session *s)
{
    struct err e;
    err_set(&e, MQ_IDENTIFIER_INVALID,
            "the value for %s is not known to be there and ASCII; without STRICT_TRANS_TABLES in "
            "sql_mode a shard would store `?` for what is not",
            s->request.entry->template->computed);
    pin_or_release(s);
    session_fail_request(s, &e);
}

/* The tables of the unsharded keyspace change without mqgate's knowing. */
static bool knows_answer(const struct session *s)
{
    return !session_targets_unsharded(s) &&
           plan_entry_answer(s->request.entry, session_metadata_key(s));
}

/* What the transaction lacks, then the command. */
static void advance_transaction(struct session *s)
{
    const struct request *q = &s->request;
    bool begin = s->begin_pending && q->transactional;
    const char *savepoint = q->transactional ? session_savepoint_due(s) : NULL;
    if (q->transactional && session_needs_characteristics(s))
        send_own(s, STEP_CHARACTERISTICS, session_characteristics(s));
    else if (begin && (savepoint || !buf_len(&q->bytes)))
        send_own(s, STEP_BEGIN, session_begin_text(s));
    else if (savepoint)
        send_own(s, STEP_SAVEPOINT, savepoint);
    else if (buf_len(&q->bytes))
        send_command(s, begin);
    else
        session_on_step_end(s, false);
}

void session_advance(struct session *s)
{
    struct backend *b = s->backend;
    struct request *q = &s->request;
    q->steps_back |= may_have_warned(s);
    if (!vars_eq(&b->vars, vars_due(s))) {
        send_sync(s);
        return;
    }
    if (session_needs_database(s)) {
        send_database(s);
        return;
    }
    if (!session_insert_id_in_line(s)) {
        send_own(s, STEP_INSERT_ID, session_insert_id_statement(s));
        return;
    }
    if (would_garble(s)) {
        refuse_garbling(s);
        return;
    }
    if (q->execute || q->prepare) {
        struct backend_stmt *stmt = backend_stmt_find(b, request_stmt_key(q));
        if (!stmt || !session_statement_fits(s, stmt) || (q->prepare && !knows_answer(s))) {
            send_prepare(s);
            return;
        }
        if (q->execute)
            patch_statement_id(s, stmt->id);
    }
    advance_transaction(s);
}

/* ---- ends ---- */

static void note_status(struct session *s, bool failed)
{
    const struct answer *a = &s->backend->answer;
    if (failed && a->err.code == 1317 && s->backend->interrupted)
        s->backend->interrupted--; /* the KILL has done its work */
    if (failed && (a->err.code == 1290 || a->err.code == 1836)) /* the server is read-only */
        (void)primary_suspect(s->backend->pool);
    s->backend->unsure = failed && !(s->backend->status & STATUS_AUTOCOMMIT);
    if (!failed) {
        s->backend->status = s->status = a->ok.status;
    } else if (a->err.code == 1213) { /* a deadlock's victim is rolled back; others say nothing */
        s->status &= (uint16_t)~STATUS_IN_TRANS;
        s->backend->status &= (uint16_t)~STATUS_IN_TRANS;
    }
}

static void note_diagnostics(struct session *s, bool failed)
{
    if (failed)
        session_note_failure(s);
    else
        session_note_warnings(s, s->backend->answer.ok.warnings);
}

static void end_shard(struct session *s, bool failed)
{
    struct plan_entry *entry = plan_entry_acquire(s->request.entry);
    struct err_packet error = s->backend->answer.err;
    struct backend *b = s->backend;
    note_diagnostics(s, failed);
    if (failed)
        session_relay_err(s, &error);
    pin_or_release(s);
    session_keep_teller(s, b);
    worker_schema_changed(s->worker);
    if (failed) {
        session_done(s);
    } else if (++s->next_shard < s->deployment->topology->shard_count) {
        session_run_every_shard(s, entry);
    } else {
        s->row_count = 0;
        session_send_ok_rows(s, 0, 0);
        session_done(s);
    }
    plan_entry_release(entry);
}

static void end_committed_first(struct session *s)
{
    struct plan_entry *entry = s->deferred;
    s->deferred = NULL;
    pin_or_release(s);
    session_run_every_shard(s, entry);
    plan_entry_release(entry);
}

static void finish_relayed(struct session *s)
{
    struct backend *b = s->backend;
    pin_or_release(s);
    session_keep_teller(s, b);
    request_forget(s);
    session_done(s);
}

/* After most errors a transaction is open if it was before. */
static bool is_status_known(const struct session *s)
{
    static const uint16_t may_roll_back[] = {
        1020, /* record has changed since last read */
        1205, /* lock wait timeout, with innodb_rollback_on_timeout */
        1206, /* the total number of locks exceeds the lock table size */
    };
    const struct backend *b = s->backend;
    if (!(b->status & STATUS_IN_TRANS))
        return b->status & STATUS_AUTOCOMMIT;
    for (size_t i = 0; i < sizeof may_roll_back / sizeof *may_roll_back; i++)
        if (b->answer.err.code == may_roll_back[i])
            return false;
    return s->request.entry != NULL; /* COMMIT and ROLLBACK may have failed either way */
}

/* An ERR carries no status, the OK to a PING does. The client has its answer already. */
static void ask_status(struct session *s)
{
    static uint8_t bytes[] = { 1, 0, 0, 0, COM_PING };
    struct iovec part = { bytes, sizeof bytes };
    s->step = STEP_STATUS;
    answer_begin(&s->backend->answer, ANSWER_QUERY, s->backend->capabilities);
    if (!backend_send(s->backend, &part, 1))
        lost_while_sending(s);
}

/* What was relayed is over. */
static void end_relayed(struct session *s, bool failed)
{
    struct backend *b = s->backend;
    const struct answer *a = &b->answer;
    bool rows = a->columns || a->kind == ANSWER_ROWS;
    s->row_count = failed || rows ? -1 : (int64_t)a->ok.affected_rows;
    session_note_insert_id(s, failed);
    session_note_found_rows(s, failed);
    if (!s->request.diagnostics) /* those leave what they tell of */
        note_diagnostics(s, failed);
    session_note_cursor(s, failed);
    session_note_untold(s, failed);
    session_keep_home(s);
    if (failed && !is_status_known(s))
        ask_status(s);
    else
        finish_relayed(s);
}

/* What a SET that failed has set all the same is not known. */
static void forget_failed(struct session *s)
{
    struct vars *have = &s->backend->vars;
    if (s->step == STEP_SYNC)
        vars_forget_changed(s->worker->interned, have, vars_due(s));
    if (s->characteristics_set)
        session_characteristics_forget(s);
}

/* An exchange of mqgate's own failed on the shard: the client learns the shard's error. */
static void end_refused(struct session *s)
{
    struct backend *b = s->backend;
    struct err_packet error = b->answer.err;
    bool own_step = s->step == STEP_PREPARE || s->step == STEP_COMMAND;
    /* What it has set by now is not known; what follows a BEGIN that failed must not count. */
    bool unusable = (s->step == STEP_SYNC && !s->pinned) || s->pipelined || s->characteristics_set;
    bool learns = s->request.end == END_LEARNED; /* the command tells it, when it runs again */
    bool asks = s->step == STEP_COMMAND && !learns && !is_status_known(s);
    forget_failed(s);
    if (s->backend == s->home) /* it has more to lose */
        unusable = s->pipelined;
    s->characteristics_set = false;
    if (s->trying)
        session_undo_set(s);
    s->begin_pending = s->begin_pending && s->request.end != END_BEGUN;
    if (learns)
        session_learn_failed(s, &error);
    else
        session_relay_err(s, &error);
    if (s->request.end == END_SET) /* the backend may have to go, and it has told all of it */
        session_note_error(s, error.code, error.message);
    plan_entry_release(s->deferred);
    s->deferred = NULL;
    s->pipelined = false;
    if (asks) {
        ask_status(s);
        return;
    }
    if (unusable) {
        backend_kill(s->backend);
        s->backend = NULL;
        (void)session_lose_home(s);
    }
    bool knows_more = own_step && !unusable && !learns && s->request.end != END_SET;
    pin_or_release(s);
    if (knows_more) /* than the error: its notes */
        session_keep_teller(s, b);
    request_forget(s);
    if (learns)
        session_run_again(s);
    else
        session_done(s);
}

/* Answers PREPARE or FIELD_LIST. Warnings stay with the backend that has just told them; one that
 * had the statement before knows nothing of them. */
static void answer_described(struct session *s, struct backend *b, bool told)
{
    session_answer_described(s, plan_entry_answer(s->request.entry, session_metadata_key(s)));
    if (told)
        session_keep_teller(s, b);
}

/* Who asks for the warnings is told them by the shard, unless it was asked for the values since. */
static void answer_set(struct session *s, struct backend *b)
{
    session_note_warnings(s, s->request.warnings);
    if (!buf_len(&s->request.bytes))
        session_keep_teller(s, b);
    s->row_count = 0;
    session_send_ok_rows(s, 0, 0);
}

static void end_own(struct session *s)
{
    uint8_t end = s->request.end;
    struct backend *b = s->backend;
    bool prepared = b && b->answer.kind == ANSWER_PREPARE;
    if (end == END_LEARNED)
        session_disturb_found_rows(s);
    if (end == END_SET)
        session_end_set(s);
    if (end == END_BEGUN)
        s->begin_pending = false;
    pin_or_release(s);
    if (end == END_REBEGIN) {
        session_begin_again(s);
        return;
    }
    if (end == END_RESET)
        session_reset(s);
    if (end == END_LEARNED) {
        request_forget(s);
        session_run_again(s);
        return;
    }
    if (end == END_USED)
        session_end_use(s);
    s->close_after_flush &= end != END_LOGGED_IN;
    if (end == END_PREPARED || end == END_FIELDS)
        answer_described(s, b, prepared);
    else if (end == END_SET)
        answer_set(s, b);
    else
        session_send_ok(s);
    request_forget(s);
    session_done(s);
}

static void end_command(struct session *s, bool failed)
{
    switch (s->request.end) {
    case END_RELEASED:
        s->close_after_flush |= !failed;
        end_relayed(s, failed);
        break;
    case END_RELAYED:
        end_relayed(s, failed);
        break;
    case END_SHARD:
        end_shard(s, failed);
        break;
    case END_FORWARDED:
        session_end_forwarded(s, failed);
        break;
    case END_BRANCH:
        if (failed)
            end_refused(s);
        else
            session_next_branch(s);
        break;
    case END_COMMITTED_FIRST:
        if (failed)
            end_refused(s);
        else
            end_committed_first(s);
        break;
    default:
        if (failed)
            end_refused(s);
        else
            end_own(s);
    }
}

void session_on_step_end(struct session *s, bool failed)
{
    struct backend *b = s->backend;
    enum step step = s->step;
    if (step != STEP_NONE && step != STEP_PREPARE)
        note_status(s, failed);
    if (failed && session_try_again(s))
        return;
    if (failed && step == STEP_STATUS) {
        lost_while_sending(s);
        return;
    }
    if (failed && step != STEP_COMMAND) {
        end_refused(s);
        return;
    }
    switch (step) {
    case STEP_SYNC:
        vars_copy(b->worker->interned, &b->vars, vars_due(s));
        note_set_warnings(s);
        break;
    case STEP_DATABASE:
        session_took_database(s);
        break;
    case STEP_INSERT_ID:
        session_insert_id_told(s);
        session_disturb_found_rows(s);
        break;
    case STEP_CHARACTERISTICS:
        s->characteristics_set = true;
        break;
    case STEP_SAVEPOINT:
        session_savepoint_sent(s);
        break;
    case STEP_STATUS:
        finish_relayed(s);
        return;
    case STEP_BEGIN:
        s->characteristics_set = false;
        s->begin_pending = false;
        s->began = true;
        pin(s);
        if (s->pipelined) { /* the command's answer follows */
            s->pipelined = false;
            s->step = STEP_COMMAND;
            answer_begin(&b->answer, (enum answer_kind)s->request.answer, b->capabilities);
            relay_begin(s);
            return;
        }
        break;
    case STEP_COMMAND:
        session_characteristics_used(s, failed);
        end_command(s, failed);
        return;
    case STEP_NONE: /* nothing was to be sent */
        end_own(s);
        return;
    default:
        break;
    }
    s->step = STEP_NONE;
    if (!buf_len(&s->request.bytes) && (step == STEP_BEGIN || (step == STEP_PREPARE && s->request.prepare)))
        end_own(s);
    else
        session_advance(s);
}

bool session_uses(const struct session *s, const struct backend *b)
{
    return s->backend == b;
}

void session_on_backend_lost(struct session *s, struct backend *b, const struct err *reason)
{
    if (session_lose_branch(s, b))
        return;
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
