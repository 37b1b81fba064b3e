/* A statement for several tenants: a part for each shard that owns some of them, and one answer
 * made of theirs (merge/).
 *
 *                        ┌ part ─ backend of shard -40      each part is a session
 *   client ─ session ─ merge ─ part ─ backend of 40-80      (session_part.c) at the far end
 *                        └ part ─ backend of shard 80-      of a pipe in memory
 *
 * A part is begun when the one before it has its backend, in the order of the shards: two
 * statements can so never wait for each other. What the client does not take stops the merge, a
 * full pipe stops its shard. The first error is the statement's, and ends all parts.
 *
 * A write runs for one tenant, or on one shard, after the other. It is not atomic: an error says
 * for whom it is done. */
#include "base/memory.h"
#include "merge/merge.h"
#include "proxy/session_int.h"

enum {
    PIPE = MERGE_READ,   /* bytes of a part's answer that nobody has read yet */
    OUTPUT = MERGE_READ, /* of the client's, made at a time */
};

struct scatter_part {
    struct scatter *scatter;
    struct session *session; /* NULL: it has not begun, or is over */
    struct io *io;           /* our end of its pipe; the same */
    struct part_request request;
};

struct scatter {
    struct session *session;
    struct merge *merge;
    bool one_by_one;
    size_t begun, count;
    struct scatter_part parts[];
};

/* ---- making it ---- */

/* div_precision_increment. */
static uint8_t average_digits(const struct session *s)
{
    enum { DEFAULT = 4 };
    unsigned long long digits;
    const char *value = vars_value(&s->vars, VAR_DIV_PRECISION);
    bool known = value && slice_to_u64(slice_cstr(value), &digits) && digits <= UINT8_MAX;
    return known ? (uint8_t)digits : DEFAULT;
}

void session_make_scatter(struct session *s, const struct merge_recipe *recipe,
                          const struct merge_inputs *inputs, struct part_request *requests,
                          size_t count, bool binary)
{
    struct merge_setting setting = { .capabilities = s->capabilities,
                                     .part_capabilities = session_part_capabilities(s),
                                     .binary = binary,
                                     .status = session_own_status(s),
                                     .average_digits = average_digits(s) };
    struct scatter *x = mem_zalloc(sizeof *x + count * sizeof *x->parts);
    x->session = s;
    x->one_by_one = recipe->kind != MERGE_ROWS;
    x->count = count;
    x->merge = merge_create(recipe, inputs, count, &setting);
    for (size_t i = 0; i < count; i++) {
        x->parts[i].scatter = x;
        x->parts[i].request = requests[i];
    }
    s->scatter = x;
}

/* ---- the ends of parts ---- */

/* leave: what the part's shard still answers is waited for. */
static void end_part(struct scatter_part *p, bool leave)
{
    struct session *s = p->session;
    p->session = NULL;
    io_destroy(p->io);
    p->io = NULL;
    if (s && leave)
        session_part_leave(s);
    else if (s)
        session_kill(s);
}

static void destroy(struct scatter *x, bool leave)
{
    for (size_t i = 0; i < x->count; i++) {
        struct part_request *r = &x->parts[i].request;
        end_part(&x->parts[i], leave);
        buf_fini(&r->command);
        buf_fini(&r->text);
        mem_free(r->tenant);
        mem_free(r->name);
    }
    merge_destroy(x->merge);
    mem_free(x);
}

void session_drop_scatter(struct session *s)
{
    struct scatter *x = s->scatter;
    s->scatter = NULL;
    if (x)
        destroy(x, false);
}

/* The client has its answer. */
static void end_scatter(struct session *s)
{
    struct scatter *x = s->scatter;
    s->scatter = NULL;
    destroy(x, true);
    request_forget(s);
    session_done(s);
}

/* ---- outcomes ---- */

static void succeed(struct session *s)
{
    const struct ok_packet *ok = merge_result(s->scatter->merge);
    s->row_count = s->scatter->one_by_one ? (int64_t)ok->affected_rows : -1;
    session_note_warnings(s, ok->warnings);
    session_note_merged_rows(s, merge_rows(s->scatter->merge), false);
    end_scatter(s);
}

/* The client has had an error instead of the rest. */
static void end_failed(struct session *s)
{
    if (merge_started(s->scatter->merge))
        session_note_merged_rows(s, merge_rows(s->scatter->merge), true);
    end_scatter(s);
}

/* Names of those parts for which a write is done: ", a, b". */
static size_t list_done(const struct scatter *x, struct buf *out)
{
    enum { MOST = 160 };
    size_t n = 0;
    for (size_t i = 0; x->one_by_one && i < x->count; i++) {
        if (!merge_part_ended(x->merge, i))
            continue;
        if (buf_len(out) < MOST)
            buf_printf(out, "%s%s", n ? ", " : "", x->parts[i].request.name);
        n++;
    }
    if (buf_len(out) >= MOST)
        buf_append_cstr(out, ", ...");
    return n;
}

/* What an error says besides, when a part of a write has been done. */
static void append_done(const struct scatter *x, struct buf *message)
{
    struct buf names;
    buf_init(&names);
    size_t n = list_done(x, &names);
    if (n)
        buf_printf(message, " (it is done for %zu of %zu, and stays so: %s)", n, x->count,
                   buf_cstr(&names));
    buf_fini(&names);
}

static void fail(struct session *s, const struct err *why)
{
    struct buf message;
    struct err e = *why;
    buf_init(&message);
    buf_append_cstr(&message, why->text);
    append_done(s->scatter, &message);
    err_set(&e, why->code, "%s", buf_cstr(&message));
    buf_fini(&message);
    session_send_err(s, &e);
    end_failed(s);
}

/* The words of a part's server, or of mqgate about it. */
static void pass_refusal(struct session *s)
{
    size_t part;
    const struct err_packet *why = merge_refusal(s->scatter->merge, &part);
    struct err_packet told = *why;
    struct buf message, payload;
    buf_init(&message);
    buf_init(&payload);
    buf_append_slice(&message, why->message);
    append_done(s->scatter, &message);
    told.message = buf_slice(&message);
    err_write(&payload, &told, s->capabilities | CAP_PROTOCOL_41);
    session_send_payload(s, buf_slice(&payload));
    session_note_error(s, told.code, told.message);
    s->row_count = -1;
    session_script_drop(s);
    buf_fini(&message);
    buf_fini(&payload);
    end_failed(s);
}

static void fail_lost(struct session *s)
{
    struct err e;
    err_set(&e, MQ_SHARD_LOST, "the connection to a shard was lost");
    fail(s, &e);
}

/* ---- running ---- */

static void on_part_ready(void *owner, unsigned events);

static void begin_part(struct scatter *x, struct scatter_part *p)
{
    struct io *ends[2];
    struct session *s = x->session;
    io_memory_pair_in(s->worker->base, PIPE, ends);
    p->io = ends[0];
    io_set_owner(p->io, on_part_ready, p);
    p->session = session_part_create(s, ends[1], p);
    session_part_run(p->session, s->request.entry, &p->request);
}

/* May the next one begin? */
static bool may_begin(const struct scatter *x)
{
    if (x->begun == x->count)
        return false;
    if (x->begun == 0)
        return true;
    if (x->one_by_one)
        return merge_part_ended(x->merge, x->begun - 1);
    const struct session *last = x->parts[x->begun - 1].session;
    return last && last->state == SESSION_BUSY;
}

static void begin_parts(struct scatter *x)
{
    while (may_begin(x)) {
        if (x->one_by_one && x->begun)
            end_part(&x->parts[x->begun - 1], true);
        begin_part(x, &x->parts[x->begun++]);
    }
}

/* Only those are read that the merge can do with. */
static void watch_parts(const struct scatter *x, bool client_reads)
{
    for (size_t i = 0; i < x->begun; i++)
        if (x->parts[i].io)
            io_watch(x->parts[i].io, client_reads && merge_wants(x->merge, i) ? IO_READ : 0);
}

static enum merge_outcome make_output(struct session *s, struct err *reterr)
{
    struct buf *out = &s->worker->relay;
    enum merge_outcome outcome;
    do {
        outcome = merge_run(s->scatter->merge, out, OUTPUT, &s->seq, reterr);
        struct iovec part = { buf_begin(out), buf_len(out) };
        if (part.iov_len)
            session_send(s, &part, 1);
        buf_clear(out);
    } while (outcome == MERGE_FULL && !buf_len(&s->out));
    return outcome;
}

void session_continue_scatter(struct session *s)
{
    struct err e;
    switch (make_output(s, &e)) {
    case MERGE_ENDED:
        succeed(s);
        break;
    case MERGE_FAILED:
        fail(s, &e);
        break;
    case MERGE_REFUSED:
        pass_refusal(s);
        break;
    default:
        begin_parts(s->scatter);
        watch_parts(s->scatter, !buf_len(&s->out));
        break;
    }
}

static void on_part_ready(void *owner, unsigned events)
{
    struct scatter_part *p = owner;
    struct scatter *x = p->scatter;
    struct worker *w = x->session->worker;
    if (!(events & IO_READ))
        return;
    w->now_ms = w->clock();
    ssize_t n = io_read(p->io, w->scratch, MERGE_READ);
    if (n == 0) {
        fail_lost(x->session);
    } else if (n > 0) {
        merge_feed(x->merge, (size_t)(p - x->parts), w->scratch, (size_t)n);
        session_continue_scatter(x->session);
    }
}

/* ---- told by parts ---- */

void session_part_has_backend(struct scatter_part *p)
{
    begin_parts(p->scatter);
    watch_parts(p->scatter, !buf_len(&p->scatter->session->out));
}

bool session_part_is_last(const struct scatter_part *p)
{
    return p == &p->scatter->parts[p->scatter->begun - 1];
}

uint64_t session_part_since_ms(const struct scatter_part *p)
{
    return p->scatter->session->since_ms;
}

void session_part_gone(struct scatter_part *p)
{
    p->session = NULL;
}

/* ---- the statement ---- */

void session_begin_scatter(struct session *s)
{
    session_move(s, SESSION_SCATTERING);
    begin_parts(s->scatter);
    watch_parts(s->scatter, true);
}

/* Each part ends with what its shard says, which the client learns; one that waits for a backend
 * at once. */
void session_interrupt_scatter(struct session *s)
{
    const struct scatter *x = s->scatter;
    for (size_t i = 0; i < x->begun; i++)
        if (x->parts[i].session && !merge_part_ended(x->merge, i))
            session_on_kill(x->parts[i].session, true);
}
