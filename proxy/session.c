/* The client's leg: states, reading commands, writing answers, ending. */
#include "proxy/session_int.h"

#include <errno.h>
#include <stdio.h>

#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "proxy/pool_kill.h"

enum {
    BUFFERED_WHILE_BUSY = 65536, /* commands sent ahead; more stays in the socket */
    UNREAD_ANSWERS = 262144,     /* a client that reads no answers gets no more of them */
};

static const struct {
    uint8_t from, to;
} moves[] = {
#define SESSION_MOVE(from, to) { SESSION_##from, SESSION_##to },
#include "proxy/states.def"
#undef SESSION_MOVE
};

static bool move_is_legal(enum session_state from, enum session_state to)
{
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (moves[i].from == from && moves[i].to == to)
            return true;
    return false;
}

void session_move(struct session *s, enum session_state to)
{
    CHECK(move_is_legal(s->state, to));
    (void)move_is_legal;
    s->state = to;
    s->since_ms = s->worker->now_ms;
    list_remove(&s->queue); /* it may be runnable */
    if (to == SESSION_READY && !s->backend)
        session_give_shares(s);
    if ((to == SESSION_CLOSING || to == SESSION_LOGIN) && !s->is_part)
        roster_remove(s->worker->fleet->roster, s->id);
    if (to == SESSION_HELD)
        list_append(&s->worker->held, &s->queue);
}

const char *session_where(const struct session *s, char buffer[32])
{
    snprintf(buffer, 32, "session %u", s->id);
    return buffer;
}

/* ---- writing ---- */

/* The shard has to wait while the client does not read. */
static void pause_backend(struct session *s)
{
    if (s->backend && s->state == SESSION_BUSY)
        io_watch(s->backend->io, io_watched(s->backend->io) & ~(unsigned)IO_READ);
}

/* A client that is gone shows at the next read. */
void session_send(struct session *s, const struct iovec *parts, int count)
{
    bool waits = buf_len(&s->out) > 0;
    if (io_send(s->io, &s->out, parts, count) != IO_KEPT)
        return;
    if (!waits)
        s->moved_ms = s->worker->now_ms;
    pause_backend(s);
}

static void send_buf(struct session *s, const struct buf *b)
{
    struct iovec part = { buf_begin(b), buf_len(b) };
    session_send(s, &part, 1);
}

void session_send_payload(struct session *s, struct slice payload)
{
    struct buf packet;
    buf_init(&packet);
    packet_append(&packet, &s->seq, payload);
    send_buf(s, &packet);
    buf_fini(&packet);
}

uint16_t session_own_status(const struct session *s)
{
    uint16_t status = s->status & (STATUS_IN_TRANS | STATUS_AUTOCOMMIT | STATUS_IN_TRANS_READONLY);
    status |= session_pending_status(s);
    if (s->modes & MODE_NO_BACKSLASH_ESCAPES)
        status |= STATUS_NO_BACKSLASH_ESCAPES;
    if ((s->modes & MODE_ANSI_QUOTES) && s->worker->dialect.flavour == FLAVOUR_MARIADB)
        status |= STATUS_ANSI_QUOTES;
    return status | session_script_status(s);
}

void session_send_ok_rows(struct session *s, uint64_t affected, uint64_t insert_id)
{
    struct ok_packet ok = { .affected_rows = affected, .last_insert_id = insert_id,
                            .status = session_own_status(s), .warnings = s->warnings };
    struct buf payload, state;
    buf_init(&payload);
    buf_init(&state);
    session_track_tell(s, &state);
    ok.session_state = buf_slice(&state);
    if (ok.session_state.len)
        ok.status |= STATUS_STATE_CHANGED;
    ok_write(&payload, &ok, 0x00, s->capabilities);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
    buf_fini(&state);
}

void session_send_ok(struct session *s)
{
    session_note_warnings(s, 0);
    s->row_count = 0;
    session_send_ok_rows(s, 0, 0);
}

void session_send_end(struct session *s)
{
    struct ok_packet ok = { .status = session_own_status(s) };
    struct buf payload;
    buf_init(&payload);
    if (s->capabilities & CAP_DEPRECATE_EOF)
        ok_write(&payload, &ok, 0xfe, s->capabilities);
    else
        eof_write(&payload, 0, ok.status);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
}

void session_send_err(struct session *s, const struct err *e)
{
    char where[32];
    log_debug(session_where(s, where), "MQ%04d: %s", (int)e->code, e->text);
    struct buf payload;
    buf_init(&payload);
    err_write_catalogue(&payload, e, s->capabilities | CAP_PROTOCOL_41);
    session_send_payload(s, buf_slice(&payload));
    buf_fini(&payload);
    s->row_count = -1;
    session_script_drop(s);
    char text[ERR_TEXT_MAX + 16];
    err_format(e, text, sizeof text);
    session_note_error(s, err_info(e->code)->mysql_errno, slice_cstr(text));
}

void session_send_rows(struct session *s, const struct text_result *result)
{
    struct buf packets;
    buf_init(&packets);
    if (s->binary)
        binary_result_write(&packets, &s->seq, result, s->capabilities, session_own_status(s), 0);
    else
        text_result_write(&packets, &s->seq, result, s->capabilities, session_own_status(s), 0);
    send_buf(s, &packets);
    buf_fini(&packets);
    s->row_count = -1;
}

void session_send_result(struct session *s, const struct text_result *result)
{
    session_send_rows(s, result);
    session_note_warnings(s, 0);
}

static bool has_kept(const struct session *s)
{
    return s->script.text.capacity || buf_len(&s->in);
}

/* The handlers of others may be on the stack: what is buffered goes on, or goes, later. */
static void run_later(struct session *s)
{
    list_remove(&s->queue);
    list_append(&s->worker->runnable, &s->queue);
    worker_clean_later(s->worker);
}

void session_done(struct session *s)
{
    if (s->state == SESSION_CLOSING)
        return;
    s->missed = s->probed = false;
    s->hold_until_ms = 0;
    s->since_ms = s->worker->now_ms;
    if (s->backend)
        pool_spare(s->backend);
    session_script_advance(s);
    session_forget_learned(s);
    session_forget_processes(s);
    if (s->state != SESSION_READY)
        session_move(s, SESSION_READY);
    if (s->is_part && !s->part) {
        session_kill(s);
        return;
    }
    if (s->close_after_flush) {
        session_close_gently(s);
        return;
    }
    if (has_kept(s))
        run_later(s);
}

void session_done_ok(struct session *s)
{
    session_send_ok(s);
    session_done(s);
}

void session_run_again(struct session *s)
{
    session_move(s, SESSION_READY);
    run_later(s);
}

void session_refuse(struct session *s, const struct err *e)
{
    session_send_err(s, e);
    session_done(s);
}

/* ---- reading ---- */

/* The client may still be sending: closing now could cost it the answer. */
static void packet_too_large(struct session *s, const struct packet *p)
{
    struct err e;
    if (s->state == SESSION_LOGIN)
        err_set(&e, MQ_PROTOCOL, "that is no login");
    else
        err_set(&e, MQ_STATEMENT_TOO_LARGE, "the statement is larger than limits.max_statement_size");
    s->lingers = s->state != SESSION_LOGIN;
    s->seq = (uint8_t)(p->last_seq + 1);
    session_send_err(s, &e);
    session_close_gently(s);
}

static bool can_take_answers(const struct session *s)
{
    return buf_len(&s->out) < UNREAD_ANSWERS && !(s->backend && buf_len(&s->backend->out));
}

bool session_wants_packets(const struct session *s)
{
    bool uploading = s->observed && s->observed->uploading;
    bool decided = s->login && s->login->answer_at_ms;
    return (s->state == SESSION_READY || (s->state == SESSION_LOGIN && !decided) || uploading) &&
           !session_has_script(s) && can_take_answers(s);
}

/* A statement of a script is due, or commands that were kept. */
static bool has_work(const struct session *s)
{
    if (session_has_script(s))
        return s->state == SESSION_READY && can_take_answers(s);
    return session_wants_packets(s) && buf_len(&s->in);
}

/* A command's handler has run. */
static void clean(struct session *s)
{
    s->statement = NULL;
    s->binary = false;
    arena_reset(&s->worker->arena);
    buf_clear(&s->worker->joined);
}

/* Handles whole packets while the session can; returns the bytes used up. */
static size_t handle_input(struct session *s, uint8_t *data, size_t len)
{
    size_t used = s->expects_proxy ? session_take_proxy_header(s, data, len) : 0;
    while (used < len && !s->expects_proxy && session_wants_packets(s)) {
        struct packet p;
        size_t max = s->state == SESSION_LOGIN
                         ? 65536
                         : s->deployment->topology->config->limits.max_statement_size;
        enum packet_status status =
            packet_next(data + used, len - used, max, &s->worker->joined, &p, NULL);
        if (status == PACKET_INCOMPLETE)
            break;
        if (status == PACKET_TOO_LARGE) {
            packet_too_large(s, &p);
            return len;
        }
        bool again = false;
        size_t next = used + p.wire_bytes;
        if (s->state == SESSION_LOGIN) {
            used += session_login_packet(s, &p, slice_of(data + next, len - next));
        } else {
            s->seq = (uint8_t)(p.last_seq + 1);
            again = !s->mode->on_command(s, &p);
        }
        clean(s);
        if (again)
            break;
        used += p.wire_bytes;
    }
    return used;
}

/* Statements and commands that were kept, after what kept them is over. */
static void handle_kept(struct session *s)
{
    if (session_has_script(s) && has_work(s)) {
        session_next_statement(s);
        clean(s);
    }
    size_t used = handle_input(s, buf_begin(&s->in), buf_len(&s->in));
    if (s->state == SESSION_CLOSING)
        return;
    buf_consume(&s->in, used);
    buf_release(&s->in);
    buf_release(&s->script.text);
    /* What is left of a command that is not complete may be as large as it likes. */
    if (session_wants_packets(s) || buf_len(&s->in) < BUFFERED_WHILE_BUSY)
        io_watch(s->io, io_watched(s->io) | IO_READ);
}

static void on_readable(struct session *s)
{
    struct worker *w = s->worker;
    char where[32], from[IP_TEXT_MAX];
    ssize_t n = io_read(s->io, w->scratch, sizeof w->scratch);
    if (n == -EAGAIN)
        return;
    if (n <= 0 || s->state == SESSION_CLOSING) {
        if (n < 0 && s->state == SESSION_LOGIN)
            log_info(session_where(s, where), "login from %s ended: %s",
                     ip_print(&s->from.address, from), io_error_text(s->io, n));
        if (n <= 0)
            session_kill(s);
        return;
    }
    s->moved_ms = w->now_ms;
    if (buf_len(&s->in) || !session_wants_packets(s)) {
        buf_append(&s->in, w->scratch, (size_t)n);
        if (session_wants_packets(s))
            handle_kept(s);
        else if (buf_len(&s->in) >= BUFFERED_WHILE_BUSY)
            io_watch(s->io, io_watched(s->io) & ~(unsigned)IO_READ);
        return;
    }
    size_t used = handle_input(s, w->scratch, (size_t)n);
    if (s->state != SESSION_CLOSING && used < (size_t)n)
        buf_append(&s->in, w->scratch + used, (size_t)n - used);
}

static void on_writable(struct session *s)
{
    size_t before = buf_len(&s->out);
    enum io_sent sent = io_flush(s->io, &s->out);
    if (buf_len(&s->out) < before)
        s->moved_ms = s->worker->now_ms;
    if (sent == IO_LOST)
        session_kill(s);
    if (sent != IO_SENT)
        return;
    if (s->state == SESSION_CLOSING) {
        if (!s->lingers)
            session_kill(s);
        return;
    }
    if (s->backend)
        io_watch(s->backend->io, io_watched(s->backend->io) | IO_READ);
    if (s->state == SESSION_SCATTERING)
        session_continue_scatter(s);
    if (has_work(s))
        handle_kept(s);
}

/* Commands without an answer may come faster than the backend takes them. */
void session_on_backend_flushed(struct session *s)
{
    if (has_work(s))
        handle_kept(s);
}

static void on_ready(void *owner, unsigned events)
{
    struct session *s = owner;
    s->worker->now_ms = s->worker->clock();
    if (events & IO_WRITE)
        on_writable(s);
    else
        on_readable(s);
}

void session_resume(struct session *s)
{
    if (s->state == SESSION_HELD)
        session_move(s, SESSION_READY);
    else
        list_remove(&s->queue);
    if (s->state == SESSION_READY && has_kept(s))
        handle_kept(s);
}

/* ---- beginning and ending ---- */

struct session *session_new(struct worker *w, struct io *io)
{
    struct session *s = mem_new(struct session);
    list_init(&s->node);
    list_init(&s->queue);
    list_init(&s->wait);
    list_init(&s->cursors);
    s->worker = w;
    s->io = io;
    s->since_ms = w->now_ms;
    s->row_count = -1;
    io_set_owner(io, on_ready, s);
    return s;
}

struct session *session_create(struct worker *w, struct io *io, const struct arrival *arrival)
{
    struct session *s = session_new(w, io);
    list_append(&w->sessions, &s->node);
    s->from = *arrival;
    s->id = atomic_fetch_add(&w->fleet->next_connection_id, 1);
    s->state = SESSION_LOGIN;
    s->status = STATUS_AUTOCOMMIT;
    s->deployment = deployment_acquire(w->deployment);
    s->mode = &session_enforces;
    if (s->deployment->topology->config->enforcement != ENFORCE)
        session_observe(s);
    io_watch(io, IO_READ);
    session_receive(s);
    return s;
}

/* The shard would go on with the statement, and with its locks. */
static void stop_statement(struct session *s)
{
    if (s->backend && (s->step == STEP_COMMAND || s->pipelined))
        pool_kill_connection(s->backend);
}

/* Gives the backend back: to the pool if its answer has ended, else it is closed, for nobody
 * could tell where the next answer begins. */
static void leave_backend(struct session *s)
{
    stop_statement(s);
    session_drop_scatter(s);
    session_drop_home(s);
    session_give_shares(s);
    session_cursors_close(s);
    struct backend *b = s->backend;
    session_drop_branches(s);
    s->backend = NULL;
    s->pinned = false;
    if (!b)
        return;
    if (s->step != STEP_NONE)
        backend_kill(b);
    else
        backend_release(b);
}

void session_stop_waiting(struct session *s)
{
    pool_forget_waiter(s);
    s->waits_for = NULL;
    list_remove(&s->wait); /* from the line */
}

void session_kill(struct session *s)
{
    if (!s->io)
        return;
    if (s->state != SESSION_CLOSING)
        session_move(s, SESSION_CLOSING);
    session_stop_waiting(s);
    session_note_warnings(s, 0);
    session_set_insert_id(s, 0);
    session_set_found_rows(s, 0);
    leave_backend(s);
    if (s->part)
        session_part_gone(s->part);
    s->part = NULL;
    list_remove(&s->queue);
    io_destroy(s->io);
    s->io = NULL;
    list_remove(&s->node);
    list_append(&s->worker->dying, &s->node);
    worker_clean_later(s->worker);
}

void session_close_gently(struct session *s)
{
    if (s->state == SESSION_CLOSING)
        return;
    session_move(s, SESSION_CLOSING);
    session_stop_waiting(s);
    leave_backend(s);
    if (buf_len(&s->out))
        io_watch(s->io, IO_READ | IO_WRITE);
    else if (s->lingers)
        io_watch(s->io, IO_READ);
    else
        session_kill(s);
}

void session_free(struct session *s)
{
    session_leave_account(s);
    session_stmts_free(s);
    session_observed_free(s);
    plan_entry_release(s->request.entry);
    plan_entry_release(s->deferred);
    buf_fini(&s->request.bytes);
    buf_fini(&s->script.text);
    buf_fini(&s->savepoints);
    buf_fini(&s->temporaries);
    session_forget_learned(s);
    session_forget_processes(s);
    buf_fini(&s->in);
    buf_fini(&s->out);
    vars_fini(s->worker->interned, &s->vars);
    vars_fini(s->worker->interned, &s->login_vars);
    vars_fini(s->worker->interned, &s->trial);
    vars_fini(s->worker->interned, &s->due);
    session_end_login(s);
    session_branches_free(s);
    mem_free(s->preparing);
    mem_free(s->fields_like);
    mem_free(s->own_error);
    mem_free(s->kept_error);
    mem_free(s->user);
    mem_free(s->database);
    mem_free(s->using);
    mem_free(s->login_tenant);
    mem_free(s->workload);
    mem_free(s->tenant);
    mem_free(s->before.tenant);
    mem_free(s->transaction_tenant);
    deployment_release(s->deployment);
    buf_fini(&s->part_text);
    if (!s->is_part)
        atomic_fetch_sub(&s->worker->fleet->connections, 1);
    mem_free(s);
}

/* Without a word, as servers shut down: a client that is just sending a command would take an error
 * for its answer, with the number of another packet. */
void session_end_if_idle(struct session *s)
{
    if (s->state == SESSION_LOGIN) {
        session_kill(s);
        return;
    }
    if (s->state != SESSION_READY || s->pinned || s->begin_pending || !list_empty(&s->cursors) ||
        buf_len(&s->in) ||
        session_has_script(s) || (s->status & STATUS_IN_TRANS))
        return;
    session_close_gently(s);
}

/* A transaction keeps the deployment it began under; the account is looked up anew, and a
 * session whose account is gone ends. */
void session_adopt(struct session *s)
{
    struct deployment *d = s->worker->deployment;
    if (s->deployment == d || session_in_transaction(s) || s->state == SESSION_CLOSING)
        return;
    const struct account *account =
        s->user ? deployment_account(d, slice_cstr(s->user)) : NULL;
    size_t listeners = d->topology->config->listener_count;
    if (s->state == SESSION_LOGIN || !account || s->from.listener >= listeners) {
        session_kill(s);
        return;
    }
    deployment_acquire(d);
    deployment_release(s->deployment);
    s->deployment = d;
    s->account = account;
    s->last_table = NULL;
}

/* ---- what others need to know ---- */

bool session_waits_for_refresh(const struct session *s, uint64_t serial, uint64_t now_ms)
{
    return s->held_serial && s->held_serial > serial && !(s->hold_until_ms && s->hold_until_ms <= now_ms);
}

bool session_waits_for_dialect(const struct session *s)
{
    return s->held_serial == 0;
}

uint32_t session_id(const struct session *s)
{
    return s->id;
}

struct list *session_node(struct session *s)
{
    return &s->node;
}

struct session *session_of_node(struct list *node)
{
    return LIST_ENTRY(node, struct session, node);
}

struct session *session_of_queue_node(struct list *node)
{
    return LIST_ENTRY(node, struct session, queue);
}

struct session *session_of_wait_node(struct list *node)
{
    return LIST_ENTRY(node, struct session, wait);
}

struct list *session_wait_node(struct session *s)
{
    return &s->wait;
}

struct pool *session_waits_for(const struct session *s)
{
    return s->waits_for;
}

uint64_t session_wait_deadline_ms(const struct session *s)
{
    return s->since_ms + s->deployment->topology->config->pool.wait_timeout_ms;
}

const struct vars *session_vars(const struct session *s)
{
    return s->trying ? &s->trial : &s->vars;
}
