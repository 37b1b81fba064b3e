/* A request's steps: what the borrowed backend still lacks is made good, one exchange after the
 * other, then the command goes out. */
#include "proxy/session_steps.h"

#include "base/memory.h"
#include "proxy/primary.h"

/* Not a byte of this step was taken: whoever retries repeats nothing. */
void session_lost_while_sending(struct session *s)
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
        session_lost_while_sending(s);
}

/* What the borrowed backend is to have. */
const struct vars *session_vars_due(struct session *s)
{
    return session_vitess_vars(s, s->request.steps_back ? &s->vars : session_vars(s));
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
    struct vars_server server = { b->dialect.flavour, pool_knows_defaults(b) ? b->modes : NULL,
                                  backend_is_vtgate(b) };
    struct buf text;
    s->request.mixed = !vars_eq(&b->vars, &s->vars);
    s->request.assigned = !s->request.steps_back;
    buf_init(&text);
    vars_statement(&b->vars, session_vars_due(s), &server, &text);
    if (buf_len(&text)) {
        send_own(s, STEP_SYNC, buf_cstr(&text));
    } else { /* they differ in what this server does not have */
        vars_copy(b->worker->interned, &b->vars, session_vars_due(s));
        session_advance(s);
    }
    buf_fini(&text);
}

/* vtgate's variables never go back, not even by COM_RESET_CONNECTION. */
static void take_another(struct session *s)
{
    struct backend *b = s->backend;
    s->backend = NULL;
    backend_kill(b);
    session_run_request(s);
}

/* What the session refuses only now, since it needs to know its backend. */
static void refuse_on_backend(struct session *s, const struct err *why)
{
    session_pin_or_release(s);
    session_fail_request(s, why);
}

static void bring_in_line(struct session *s)
{
    struct backend *b = s->backend;
    struct err e;
    if (backend_suits(b, session_vars_due(s))) {
        send_sync(s);
    } else if (s->pinned) {
        err_set(&e, MQ_IN_TRANSACTION,
                "Vitess can set a variable back to its default outside of a transaction only");
        refuse_on_backend(s, &e);
    } else {
        take_another(s);
    }
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
        session_lost_while_sending(s);
    buf_fini(&bytes);
}

/* Whoever prepares a statement for the unsharded keyspace's server, or with a user variable, gets a
 * new one, not one that has run: what a server keeps from run to run, the variable's type say, is not
 * always as if there had been none before. */
static void close_former(struct session *s, struct buf *bytes)
{
    const struct request *q = &s->request;
    struct stmt_key key = request_stmt_key(q);
    backend_stmt_close(s->backend, key, bytes);
    if (!q->prepare || !(session_targets_unsharded(s) || q->entry->template->home))
        return;
    backend_stmt_close_text(s->backend, key.text, bytes);
    backend_stmt_close_text(s->backend, key.text ^ 1, bytes);
}

static void send_prepare(struct session *s)
{
    struct backend *b = s->backend;
    const struct plan_entry *entry = s->request.entry;
    const char *database = s->deployment->topology->shards[b->pool->key.shard].config->database;
    const struct session_facts facts = { .database = slice_cstr(s->request.database),
                                         .workload = session_workload(s) };
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
        session_lost_while_sending(s);
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
        session_lost_while_sending(s);
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
void session_pin_or_release(struct session *s)
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
    refuse_on_backend(s, &e);
}

static void refuse_read_only(struct session *s)
{
    struct err e;
    err_set(&e, MQ_VARIABLE_NOT_ALLOWED,
            "over Vitess a transaction that is READ ONLY has to be begun: START TRANSACTION READ ONLY");
    refuse_on_backend(s, &e);
}

/* The tables of the unsharded keyspace change without mqgate's knowing, and so do the types of user
 * variables. */
static bool knows_answer(const struct session *s)
{
    return !session_targets_unsharded(s) && !s->request.entry->template->home &&
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
    if (!vars_eq(&b->vars, session_vars_due(s))) {
        bring_in_line(s);
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
    if (session_ignores_read_only(s)) {
        refuse_read_only(s);
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

/* ---- a step has ended ---- */

static void note_status(struct session *s, bool failed)
{
    const struct answer *a = &s->backend->answer;
    if (failed && a->err.code == 1317 && s->backend->interrupted)
        s->backend->interrupted--; /* the KILL has done its work */
    if (failed && (a->err.code == 1290 || a->err.code == 1836)) /* the server is read-only */
        (void)primary_suspect(s->backend->pool);
    /* vtgate goes on with a transaction whose part on the shard is gone: it is rolled back there. */
    bool lost = failed && a->err.code == 1213 && backend_is_vtgate(s->backend);
    s->backend->unsure = lost || (failed && !(s->backend->status & STATUS_AUTOCOMMIT));
    if (!failed) {
        s->backend->status = s->status = a->ok.status;
    } else if (a->err.code == 1213) { /* a deadlock's victim is rolled back; others say nothing */
        s->status &= (uint16_t)~STATUS_IN_TRANS;
        s->backend->status &= (uint16_t)~STATUS_IN_TRANS;
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
        session_lost_while_sending(s);
        return;
    }
    if (failed && step != STEP_COMMAND) {
        session_end_refused(s);
        return;
    }
    switch (step) {
    case STEP_SYNC:
        vars_copy(b->worker->interned, &b->vars, session_vars_due(s));
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
        session_finish_relayed(s);
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
        session_end_command(s, failed);
        return;
    case STEP_NONE: /* nothing was to be sent */
        session_end_own(s);
        return;
    default:
        break;
    }
    s->step = STEP_NONE;
    if (!buf_len(&s->request.bytes) && (step == STEP_BEGIN || (step == STEP_PREPARE && s->request.prepare)))
        session_end_own(s);
    else
        session_advance(s);
}
