/* The shard's answer on its way to the client, from the buffer it arrived in.
 *
 *   plain      client and backend speak alike: bytes pass unchanged, in one write
 *   rewriting  packets are renumbered, EOFs added or taken away (CLIENT_DEPRECATE_EOF), the
 *              shard's database named as the client knows it
 *
 * A packet that has to change is made anew in worker->relay; what surrounds it is copied
 * there too, so that order is kept and one write suffices. */
#include "base/check.h"
#include "proxy/relay_int.h"

enum {
    WHOLE_ROW_MAX = 16384,      /* longer rows pass in pieces */
    OWN_PACKET_MAX = 1 << 20,   /* OK, ERR, EOF and definitions are shorter */
};

/* One call's worth of output: either a run of the input, or a copy. */
struct output {
    struct session *s;
    const uint8_t *run;
    size_t run_len;
    const uint8_t *head; /* of a result, if it came and went alone so far; NULL: nothing of the kind */
};

static void emit(struct output *o, const uint8_t *bytes, size_t len)
{
    struct buf *copy = &o->s->worker->relay;
    if (buf_len(copy) == 0 && (o->run_len == 0 || o->run + o->run_len == bytes)) {
        if (o->run_len == 0)
            o->run = bytes;
        o->run_len += len;
        return;
    }
    if (o->run_len) {
        buf_append(copy, o->run, o->run_len);
        o->run_len = 0;
    }
    buf_append(copy, bytes, len);
}

static bool is_empty(const struct output *o)
{
    return !o->run_len && !buf_len(&o->s->worker->relay);
}

/* All of it, as it is at the moment. */
static struct slice output_bytes(const struct output *o)
{
    const struct buf *copy = &o->s->worker->relay;
    return buf_len(copy) ? buf_slice(copy) : slice_of(o->run, o->run_len);
}

/* Room for a packet made anew. */
static struct buf *emit_own(struct output *o)
{
    struct buf *copy = &o->s->worker->relay;
    if (o->run_len) {
        buf_append(copy, o->run, o->run_len);
        o->run_len = 0;
    }
    return copy;
}

static void send_output(struct output *o)
{
    struct session *s = o->s;
    struct buf *copy = &s->worker->relay;
    struct slice bytes = output_bytes(o);
    struct iovec part = { (void *)bytes.data, bytes.len };
    if (part.iov_len) {
        s->answer_started = true;
        session_send(s, &part, 1);
    }
    buf_clear(copy);
    o->run_len = 0;
    o->head = NULL;
}

static bool client_wants_eof(const struct session *s)
{
    return !(s->capabilities & CAP_DEPRECATE_EOF);
}

static bool backend_sends_eof(const struct session *s)
{
    return !(s->backend->capabilities & CAP_DEPRECATE_EOF);
}

/* What a shard cannot know: that the client takes itself to be in a transaction whose BEGIN is
 * still pending, and that another statement follows. */
static uint16_t own_status(const struct session *s)
{
    return session_script_status(s) | session_pending_status(s) |
           (s->metadata_changed ? STATUS_METADATA_CHANGED : 0);
}

/* A command of several packets may have become one more on its way to the shard. */
void relay_begin(struct session *s)
{
    s->metadata_changed = false;
    s->rewriting = s->seq != 1 || buf_len(&s->request.bytes) > PACKET_MAX ||
                   client_wants_eof(s) != backend_sends_eof(s) || relay_renames_database(s) ||
                   own_status(s) || s->request.diagnostics || session_warn_changes_answer(s);
    s->definitions_left = 0;
    s->eof_due = false;
}

/* ---- packets on their way ---- */

static void own_eof(struct output *o, uint16_t warnings, uint16_t status)
{
    struct buf *out = emit_own(o);
    size_t mark = packet_open(out);
    eof_write(out, warnings, status);
    packet_close(out, mark, &o->s->seq);
}

static void own_ok(struct output *o, const struct ok_packet *ok, uint8_t header)
{
    struct ok_packet told = *ok;
    struct buf *out = emit_own(o);
    told.status |= own_status(o->s);
    size_t mark = packet_open(out);
    ok_write(out, &told, header, o->s->capabilities);
    packet_close(out, mark, &o->s->seq);
}

static void own_rows_end(struct output *o, const struct ok_packet *ok)
{
    if (client_wants_eof(o->s))
        own_eof(o, ok->warnings, ok->status | own_status(o->s));
    else
        own_ok(o, ok, 0xfe);
}

/* The EOF behind the definitions, which this backend does not send. Where a cursor was asked for
 * and the packet that ends the answer is the next one, that one stands for both: it says that the
 * cursor is open, or why it is not. */
static void own_definitions_end(struct output *o, enum answer_packet following)
{
    struct session *s = o->s;
    const struct answer *a = &s->backend->answer;
    bool ended = following == ANSWER_ROWS_END ? a->cursor_opened
                                              : following == ANSWER_ERR && s->request.opens_cursor;
    if (s->eof_due && !ended)
        own_eof(o, 0, session_own_status(s) | own_status(s));
    s->eof_due = false;
}

static bool own_column_def(struct output *o, struct slice payload)
{
    struct column_def column;
    uint64_t number = o->s->backend->answer.columns - o->s->definitions_left;
    if (!relay_column_def(o->s, number, payload, &column))
        return false;
    struct buf *out = emit_own(o);
    size_t mark = packet_open(out);
    column_def_write(out, &column, o->s->capabilities);
    packet_close(out, mark, &o->s->seq);
    return true;
}

/* How many warnings there are, with mqgate's own. */
static bool own_count(struct output *o, const uint8_t *packet, size_t have, size_t len)
{
    return session_warn_changes_answer(o->s) && have == len + PACKET_HEADER &&
           session_warn_count(o->s, slice_of(packet + PACKET_HEADER, len), emit_own(o));
}

static void pass(struct output *o, uint8_t *packet, size_t have)
{
    if (o->s->rewriting)
        packet[3] = o->s->seq;
    o->s->seq = (uint8_t)(packet[3] + 1);
    emit(o, packet, have);
}

/* ---- heads of results ---- */

static bool client_needs_eof(const struct session *s)
{
    return client_wants_eof(s) && !backend_sends_eof(s);
}

/* With diagnostics the types of the columns are looked at. */
static bool may_know_head(const struct session *s)
{
    return s->request.entry && s->request.end == END_RELAYED && !s->request.diagnostics;
}

static struct head_form head_form(const struct session *s)
{
    bool renames = relay_renames_database(s);
    return (struct head_form){ .client = s->capabilities,
                               .server = s->backend->capabilities,
                               .database = renames ? s->database : NULL,
                               .server_database = renames ? relay_shard_database(s) : NULL };
}

/* All definitions have come, and gone. */
static void keep_head(struct output *o, const uint8_t *end)
{
    struct session *s = o->s;
    struct known_head head = { .form = head_form(s),
                               .columns = s->backend->answer.columns,
                               .columns_hash = s->columns_hash,
                               .came = slice_of(o->head, (size_t)(end - o->head)),
                               .told = output_bytes(o) };
    plan_cache_keep_head(s->worker->plans, s->request.entry, &head);
    o->head = NULL;
}

/* A head that was told before goes in one step, if all of it is there. */
static size_t pass_head(struct output *o, uint8_t *data, size_t len)
{
    struct session *s = o->s;
    if (s->seq != 1 || !may_know_head(s) || !s->request.entry->heads)
        return 0;
    struct head_form form = head_form(s);
    const struct known_head *h =
        known_head_find(s->request.entry->heads, &form, slice_of(data, len));
    if (!h || !answer_skip_head(&s->backend->answer, h->columns))
        return 0;
    bool fits = h->told.len == h->came.len; /* then no row behind it is copied */
    if (fits && h->told.data != h->came.data)
        memcpy(data, h->told.data, h->told.len);
    if (fits)
        emit(o, data, h->told.len);
    else
        buf_append_slice(emit_own(o), h->told);
    s->seq = (uint8_t)(s->seq + 1 + h->columns);
    session_note_head(s, h->columns, h->columns_hash);
    s->eof_due = client_needs_eof(s);
    return h->came.len;
}

/* ---- packets of an answer ---- */

static void pass_column_count(struct output *o, uint8_t *packet, size_t have)
{
    struct session *s = o->s;
    o->head = may_know_head(s) && is_empty(o) && s->seq == 1 && packet[3] == 1 ? packet : NULL;
    session_note_columns(s, s->backend->answer.columns);
    pass(o, packet, have);
}

static void pass_column_def(struct output *o, uint8_t *packet, size_t have)
{
    struct session *s = o->s;
    struct slice definition = slice_of(packet + PACKET_HEADER, have - PACKET_HEADER);
    if (!own_column_def(o, definition))
        pass(o, packet, have);
    if (s->request.diagnostics)
        relay_note_diagnostic_type(s, s->backend->answer.columns - s->definitions_left, definition);
    s->eof_due = s->definitions_left == 1 && client_needs_eof(s);
    session_note_column(s, definition);
    if (!s->definitions_left && o->head)
        keep_head(o, packet + have);
}

/* The packet that ends rows, or the definitions in front of a cursor's. */
static void relay_end(struct output *o, uint8_t *packet, size_t have)
{
    struct session *s = o->s;
    if (client_wants_eof(s) != backend_sends_eof(s) || own_status(s))
        own_rows_end(o, &s->backend->answer.ok);
    else
        pass(o, packet, have);
}

/* What the client gets for one packet of the backend. */
static void relay_packet(struct output *o, enum answer_packet kind, uint8_t *packet, size_t have,
                         size_t len)
{
    struct session *s = o->s;
    const struct answer *a = &s->backend->answer;
    if (!s->rewriting) /* rows in front of it may have passed uncounted */
        s->seq = packet[3];
    if (s->observed && (kind == ANSWER_OK || kind == ANSWER_ROWS_END || kind == ANSWER_COLUMNS_EOF))
        session_warn_end(s, packet + PACKET_HEADER, len);
    own_definitions_end(o, kind);
    switch (kind) {
    case ANSWER_ERR:
        relay_write_err(s, &a->err, emit_own(o));
        break;
    case ANSWER_COLUMN_COUNT:
        pass_column_count(o, packet, have);
        break;
    case ANSWER_COLUMN_DEF:
        pass_column_def(o, packet, have);
        break;
    case ANSWER_PREPARE_OK:
        session_note_prepared(s, slice_of(packet + PACKET_HEADER, len));
        pass(o, packet, have);
        break;
    case ANSWER_PARAMS_EOF:
    case ANSWER_COLUMNS_EOF:
        if (a->cursor_opened)
            relay_end(o, packet, have);
        else if (client_wants_eof(s) && own_status(s))
            own_eof(o, a->ok.warnings, a->ok.status | own_status(s));
        else if (client_wants_eof(s))
            pass(o, packet, have);
        break;
    case ANSWER_ROW:
        if (own_count(o, packet, have, len))
            break;
        if (!s->request.diagnostics || have < len + PACKET_HEADER ||
            !relay_diagnostic(s, slice_of(packet + PACKET_HEADER, len), emit_own(o)))
            pass(o, packet, have);
        break;
    case ANSWER_ROWS_END:
        if (session_warn_changes_answer(s))
            session_warn_row(s, emit_own(o));
        relay_end(o, packet, have);
        break;
    case ANSWER_OK:
        if (own_status(s))
            own_ok(o, &a->ok, 0x00);
        else
            pass(o, packet, have);
        break;
    default:
        pass(o, packet, have);
    }
}

/* ---- taking the backend's bytes ---- */

/* What was good goes out first: whether the client may still be told depends on it. */
static void broken(struct output *o, const char *what)
{
    struct err e;
    struct session *s = o->s;
    struct backend *b = s->backend;
    send_output(o);
    err_set(&e, MQ_SHARD_PROTOCOL, "%s", what);
    backend_end(b, &e);
    session_on_backend_lost(s, b, &e);
}

static bool goes_to_client(const struct session *s)
{
    return s->step == STEP_COMMAND && !s->request.swallow;
}

static void learn(struct session *s, enum answer_packet kind, struct slice payload)
{
    if (kind == ANSWER_COLUMN_DEF)
        session_learn_column(s, payload);
    else if (kind == ANSWER_ROW)
        session_learn_row(s, payload);
}

static void take_packet(struct output *o, enum answer_packet kind, uint8_t *packet, size_t have,
                        size_t len)
{
    struct session *s = o->s;
    if (s->step == STEP_PREPARE)
        relay_prepared_packet(s, kind, slice_of(packet + PACKET_HEADER, len));
    else if (s->step == STEP_COMMAND &&
             (s->request.end == END_LEARNED || s->request.end == END_SET))
        learn(s, kind, slice_of(packet + PACKET_HEADER, have - PACKET_HEADER));
    else if (goes_to_client(s) && !(kind == ANSWER_ERR && session_hides_err(s)))
        relay_packet(o, kind, packet, have, len);
}

/* The rest of a long row. */
static size_t pass_rest(struct output *o, const uint8_t *data, size_t len)
{
    struct backend *b = o->s->backend;
    size_t n = b->pass_left < len ? b->pass_left : len;
    if (goes_to_client(o->s))
        emit(o, data, n);
    b->pass_left -= n;
    return n;
}

static void renumber(struct session *s, uint8_t *packet, const uint8_t *end)
{
    for (; packet < end; packet += PACKET_HEADER + packet_length(packet))
        packet[3] = s->seq++;
}

/* Whole rows of which nobody looks into one go in one step. */
static size_t pass_rows(struct output *o, uint8_t *data, size_t len)
{
    struct session *s = o->s;
    if (s->request.diagnostics || session_warn_changes_answer(s))
        return 0;
    size_t n = answer_skip_rows(&s->backend->answer, data, len);
    if (n == 0)
        return 0;
    own_definitions_end(o, ANSWER_ROW);
    if (s->rewriting)
        renumber(s, data, data + n);
    emit(o, data, n);
    return n;
}

/* What needs no look at each packet. */
static size_t pass_known(struct output *o, uint8_t *data, size_t len)
{
    if (!goes_to_client(o->s))
        return 0;
    size_t n = pass_head(o, data, len);
    return n ? n : pass_rows(o, data, len);
}

/* A vtgate's warnings are about how it plans; those of MySQL it keeps to itself. */
static void translate(struct session *s, enum answer_packet kind, uint8_t *payload, size_t len)
{
    struct answer *a = &s->backend->answer;
    if (kind == ANSWER_ERR) {
        session_vitess_error(s, &a->err);
    } else if ((kind == ANSWER_OK || kind == ANSWER_ROWS_END) && a->ok.warnings) {
        a->ok.warnings = 0;
        warnings_set(payload, len, 0, a->capabilities);
    }
}

/* One packet at data; returns the bytes used, 0 when more is needed. *ret_end tells that the
 * step's answer has ended. */
static size_t take_one(struct output *o, uint8_t *data, size_t len, bool *ret_end, bool *ret_failed)
{
    struct backend *b = o->s->backend;
    if (len < PACKET_HEADER)
        return 0;
    size_t payload = packet_length(data), whole = PACKET_HEADER + payload;
    size_t have = len < whole ? len - PACKET_HEADER : payload;
    if (have < payload && payload <= WHOLE_ROW_MAX)
        return 0;
    enum answer_packet kind = answer_packet(&b->answer, data + PACKET_HEADER, have, payload);
    bool row = kind == ANSWER_ROW;
    if (kind == ANSWER_NEED_MORE && (have == 0 || payload < OWN_PACKET_MAX))
        return 0;
    bool file_refused = kind == ANSWER_LOCAL_INFILE && !session_begin_upload(o->s);
    if (kind == ANSWER_BAD || kind == ANSWER_NEED_MORE || file_refused ||
        (have < payload && !row)) {
        broken(o, file_refused ? "the shard asked for a client's file" : "malformed answer");
        return 0;
    }
    if (backend_is_vtgate(b))
        translate(o->s, kind, data + PACKET_HEADER, payload);
    take_packet(o, kind, data, PACKET_HEADER + have, payload);
    b->pass_left = payload - have;
    *ret_failed = kind == ANSWER_ERR;
    *ret_end = b->answer.ended;
    return PACKET_HEADER + have;
}

static void end_step(struct output *o, bool failed)
{
    struct session *s = o->s;
    if (s->step == STEP_PREPARE && !failed) {
        if (s->backend->answer.prepared_params != request_template(&s->request)->backend_param_count) {
            broken(o, "a prepared statement with other parameters than its text");
            return;
        }
        relay_prepared(s);
    }
    session_on_step_end(s, failed);
}

/* When a step has ended, its successor's answer may already follow (a pipelined BEGIN);
 * anything else behind the end means that the backend cannot be trusted. Nor can one be used
 * again that answered before it had taken the whole command. */
size_t session_on_backend_data(struct session *s, uint8_t *data, size_t len)
{
    struct output o = { .s = s };
    struct backend *b = s->backend;
    size_t used = 0;
    if (s->step == STEP_NONE && s->mode->lasting) {
        return session_pass_unasked(s, data, len);
    }
    while (used < len) {
        bool ended = false, failed = false;
        if (b->pass_left) {
            used += pass_rest(&o, data + used, len - used);
            continue;
        }
        size_t known = pass_known(&o, data + used, len - used);
        if (known) {
            used += known;
            continue;
        }
        size_t n = take_one(&o, data + used, len - used, &ended, &failed);
        if (s->backend != b)
            return len;
        if (n == 0)
            break;
        used += n;
        if (!ended)
            continue;
        send_output(&o);
        if (!s->pipelined && (used < len || buf_len(&b->out))) {
            broken(&o, used < len ? "more than an answer"
                                  : "an answer before the end of the command");
            return len;
        }
        end_step(&o, failed);
        if (s->backend != b || b->state != BACKEND_BUSY || s->step == STEP_NONE)
            return used;
    }
    send_output(&o);
    return used;
}
