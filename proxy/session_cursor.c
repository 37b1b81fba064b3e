/* Cursors: rows that a shard keeps for COM_STMT_FETCH.
 *
 *   EXECUTE with CURSOR_READ_ONLY ── the shard says CURSOR_EXISTS ──> open ──> FETCH, FETCH …
 *                                                                      │
 *        LAST_ROW_SENT, an error, RESET, CLOSE, another EXECUTE, the session's end ──> closed
 *
 * The backend stays with the session while a cursor is open on it, and serves what else the
 * session sends to that shard. The cursor has the backend's statement for itself: another EXECUTE
 * of it would close the cursor. After the last row it goes back to the others; before, it is
 * closed, which closes the cursor as well and has no answer to wait for.
 *
 * A cursor over several tenants is another thing: session_stored.c. */
#include "proxy/session_int.h"

static struct cursor *cursor_of_node(struct list *node)
{
    return LIST_ENTRY(node, struct cursor, node);
}

static void forget(struct cursor *c)
{
    list_remove(&c->node);
    c->backend->cursors--;
    c->backend = NULL;
    c->stmt = NULL;
}

/* Appends what the shard has to be told. */
static void finish(struct cursor *c, bool at_end, struct buf *out)
{
    if (!at_end || !backend_stmt_return(c->backend, c->stmt)) {
        stmt_close_write(out, c->stmt->id);
        backend_stmt_destroy(c->stmt);
    }
    forget(c);
}

/* Whether the shard has heard it shows at the next read, when the backend is not given back. */
static void close_cursor(struct session *s, struct cursor *c, bool at_end)
{
    struct backend *b = c->backend;
    struct buf out;
    buf_init(&out);
    finish(c, at_end, &out);
    struct iovec part = { buf_begin(&out), buf_len(&out) };
    bool sent = !part.iov_len || backend_send(b, &part, 1);
    buf_fini(&out);
    if (b->cursors || session_uses(s, b) || b == s->home)
        return;
    if (sent)
        backend_release(b);
    else
        backend_kill(b);
}

void session_cursor_close(struct session *s, struct client_stmt *stmt)
{
    stmt->cursor.lost = MQ_OK;
    session_close_stored(s, &stmt->cursor);
    if (stmt->cursor.backend)
        close_cursor(s, &stmt->cursor, false);
}

void session_cursors_close(struct session *s)
{
    while (!list_empty(&s->cursors))
        close_cursor(s, cursor_of_node(list_first(&s->cursors)), false);
}

void session_cursors_close_on(struct session *s, const struct backend *b, enum err_code why)
{
    LIST_EACH (&s->cursors, node, following) {
        struct cursor *c = cursor_of_node(node);
        if (c->backend != b)
            continue;
        c->lost = why;
        close_cursor(s, c, false);
    }
}

void session_cursors_lost(struct session *s, const struct backend *b)
{
    LIST_EACH (&s->cursors, node, following) {
        struct cursor *c = cursor_of_node(node);
        if (c->backend != b)
            continue;
        backend_stmt_destroy(c->stmt);
        forget(c);
        c->lost = MQ_SHARD_LOST;
    }
}

struct backend *session_kept_backend(const struct session *s, const struct pool *p)
{
    LIST_EACH (&s->cursors, node, following) {
        struct backend *b = cursor_of_node(node)->backend;
        if (b->pool == p && b != s->home)
            return b;
    }
    return NULL;
}

static void open_cursor(struct session *s, struct cursor *c)
{
    struct backend *b = s->backend;
    c->stmt = backend_stmt_take(b, request_stmt_key(&s->request));
    if (!c->stmt)
        return;
    c->backend = b;
    b->cursors++;
    list_append(&s->cursors, &c->node);
}

void session_ask_cursor(struct session *s, bool asks)
{
    s->request.opens_cursor = asks;
    s->request.answer = asks ? ANSWER_CURSOR : ANSWER_QUERY;
}

void session_note_cursor(struct session *s, bool failed)
{
    const struct request *q = &s->request;
    uint16_t status = failed ? 0 : s->backend->answer.ok.status;
    if (q->opens_cursor && !failed && s->backend->answer.cursor_opened)
        open_cursor(s, &q->stmt->cursor);
    if (q->fetches && (failed || (status & STATUS_LAST_ROW_SENT)))
        close_cursor(s, &q->stmt->cursor, !failed);
}

static enum err_code check_cursor(const struct session *s, const struct client_stmt *stmt,
                                  struct err *reterr)
{
    const struct cursor *c = &stmt->cursor;
    if (c->lost == MQ_SHARD_LOST)
        return err_set(reterr, c->lost, "the cursor was lost with the connection to its shard");
    if (c->lost)
        return err_set(reterr, c->lost, "the cursor was closed, for its client was silent too long");
    if (c->stored)
        return MQ_OK;
    if (!c->backend)
        return err_set(reterr, MQ_CURSOR_NONE, "The statement (%u) has no open cursor", stmt->id);
    if (s->backend && s->backend != c->backend)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "the transaction is on another shard than the cursor");
    return MQ_OK;
}

static void send_fetch(struct session *s, struct client_stmt *stmt, uint32_t count)
{
    uint8_t seq = 0;
    request_begin(s, END_RELAYED);
    struct request *q = &s->request;
    q->fetches = q->only_there = true;
    q->stmt = stmt;
    q->answer = ANSWER_ROWS;
    size_t mark = packet_open(&q->bytes);
    write_u8(&q->bytes, COM_STMT_FETCH);
    write_u32(&q->bytes, stmt->cursor.stmt->id);
    write_u32(&q->bytes, count);
    packet_close(&q->bytes, mark, &seq);
    if (!s->backend)
        (void)session_borrow(s, stmt->cursor.backend);
    session_run_request(s);
}

void session_fetch(struct session *s, struct slice payload)
{
    struct err e = { 0 };
    struct client_stmt *stmt = session_stmt_find(s, payload, "mysqld_stmt_fetch");
    if (!stmt)
        return;
    struct reader r = reader_of(payload.data, payload.len);
    read_u32(&r);
    uint32_t count = read_u32(&r);
    if (r.bad || reader_left(&r))
        err_set(&e, MQ_PROTOCOL, "COM_STMT_FETCH of %zu bytes", payload.len);
    if (e.code || check_cursor(s, stmt, &e))
        session_refuse(s, &e);
    else if (stmt->cursor.stored)
        session_fetch_stored(s, &stmt->cursor, count);
    else
        send_fetch(s, stmt, count);
}
