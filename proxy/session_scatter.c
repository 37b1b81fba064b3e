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
 * for whom it is done.
 *
 * Parts that have warnings stay until the next statement, idle, and are asked when the client asks. */
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
    struct plan_entry *entry; /* one reference */
    struct merge *merge;
    bool one_by_one;
    bool copies; /* every tenant has a copy of the table that is written to */
    bool binary; /* its rows are */
    bool asks;   /* SHOW WARNINGS, of the parts that are there */
    bool stores; /* the answer is for a cursor, and not sent yet: it is in … */
    struct buf store;
    struct scatter *then; /* what is stored is a number, and this write is to tell it; else NULL */
    size_t columns; /* that the client sees */
    uint8_t seq;    /* of its first packet */
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

static struct merge *make_merge(const struct session *s, const struct merge_recipe *recipe,
                                const struct merge_inputs *inputs, size_t count, bool binary)
{
    struct merge_setting setting = { .capabilities = s->capabilities,
                                     .part_capabilities = session_part_capabilities(s),
                                     .binary = binary,
                                     .status = session_own_status(s),
                                     .average_digits = average_digits(s) };
    return merge_create(recipe, inputs, count, &setting);
}

void session_make_scatter(struct session *s, struct plan_entry *entry,
                          const struct merge_recipe *recipe,
                          const struct merge_inputs *inputs, struct part_request *requests,
                          size_t count, bool binary)
{
    struct scatter *x = mem_zalloc(sizeof *x + count * sizeof *x->parts);
    x->session = s;
    x->entry = plan_entry_acquire(entry);
    x->one_by_one = recipe->kind != MERGE_ROWS;
    x->copies = recipe->kind == MERGE_COUNTS_MAX;
    x->count = count;
    x->columns = recipe->shown;
    x->binary = binary;
    x->seq = s->seq;
    x->merge = make_merge(s, recipe, inputs, count, binary);
    for (size_t i = 0; i < count; i++) {
        x->parts[i].scatter = x;
        x->parts[i].request = requests[i];
    }
    s->scatter = x;
}

void session_count_before(struct session *s, struct plan_entry *entry,
                          const struct merge_recipe *recipe, const struct merge_inputs *inputs,
                          struct part_request *requests, size_t count, bool binary)
{
    struct scatter *write = s->scatter;
    session_make_scatter(s, entry, recipe, inputs, requests, count, binary);
    s->scatter->stores = true;
    s->scatter->then = write;
}

void session_store_scatter(struct session *s)
{
    s->scatter->stores = true;
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

static void forget_request(struct part_request *r)
{
    buf_fini(&r->command);
    buf_fini(&r->text);
    mem_free(r->tenant);
    mem_free(r->name);
    *r = (struct part_request){ .name = NULL };
}

static void destroy(struct scatter *x, bool leave)
{
    for (size_t i = 0; i < x->count; i++) {
        end_part(&x->parts[i], leave);
        forget_request(&x->parts[i].request);
    }
    if (x->then)
        destroy(x->then, false);
    plan_entry_release(x->entry);
    merge_destroy(x->merge);
    buf_fini(&x->store);
    mem_free(x);
}

void session_drop_scatter(struct session *s)
{
    struct scatter *x = s->scatter;
    s->scatter = NULL;
    if (x)
        destroy(x, false);
}

void session_forget_warned(struct session *s)
{
    struct scatter *x = s->warned;
    s->warned = NULL;
    if (x)
        destroy(x, false);
}

/* The client has its answer. */
static void end_request(struct session *s)
{
    request_forget(s);
    session_done(s);
}

static void end_scatter(struct session *s)
{
    struct scatter *x = s->scatter;
    s->scatter = NULL;
    destroy(x, true);
    end_request(s);
}

/* ---- warnings ---- */

static bool knows_warnings(const struct scatter_part *p)
{
    return p->session && p->session->warnings && p->session->teller;
}

static void on_part_ready(void *owner, unsigned events);

/* The part goes to a place before its own. */
static void move_part(struct scatter_part *from, struct scatter_part *to)
{
    if (from == to)
        return;
    to->session = from->session;
    to->io = from->io;
    to->session->part = to;
    io_set_owner(to->io, on_part_ready, to);
    from->session = NULL;
    from->io = NULL;
}

/* Ends the parts but for those that know warnings; returns how many they know. */
static uint64_t keep_warned(struct scatter *x)
{
    uint64_t known = 0;
    size_t kept = 0;
    for (size_t i = 0; i < x->count; i++) {
        struct scatter_part *p = &x->parts[i];
        forget_request(&p->request);
        if (!knows_warnings(p)) {
            end_part(p, true);
            continue;
        }
        known += p->session->warnings;
        io_watch(p->io, 0);
        move_part(p, &x->parts[kept++]);
    }
    x->count = x->begun = kept;
    return known;
}

/* The statement has succeeded. Its parts stay if they know all of its warnings. */
static void end_warned(struct session *s)
{
    struct scatter *x = s->scatter;
    uint64_t known = s->warnings ? keep_warned(x) : 0;
    if (!known || known != s->warning_count) {
        end_scatter(s);
        return;
    }
    s->scatter = NULL;
    s->warned = x;
    merge_destroy(x->merge);
    x->merge = NULL;
    end_request(s);
}

void session_ask_warned(struct session *s, uint64_t skip, uint64_t most)
{
    static const struct merge_recipe list = {
        .kind = MERGE_ROWS, .shown = 3, .version = -1, .filter = -1, .having = -1
    };
    struct merge_inputs inputs = { .skip = skip, .most = most };
    struct scatter *x = s->warned;
    request_begin(s, END_RELAYED);
    s->request.binary = s->binary;
    s->warned = NULL;
    s->scatter = x;
    x->merge = make_merge(s, &list, &inputs, x->count, s->binary);
    x->begun = 0;
    x->asks = true;
    x->one_by_one = x->copies = false;
    session_run_request(s);
}

/* ---- outcomes ---- */

static void begin_parts(struct scatter *x);
static void watch_parts(const struct scatter *x, bool client_reads);
static void fail(struct session *s, const struct err *why);

/* The one value of the answer that is stored. */
static bool read_count(struct session *s, uint64_t *ret)
{
    struct scatter *x = s->scatter;
    struct slice row = session_stored_row(s, &x->store, x->columns);
    struct reader r = reader_of(row.data, row.len);
    unsigned long long n = 0;
    if (!x->binary && !slice_to_u64(read_cell(&r), &n))
        return false;
    if (x->binary) {
        read_u8(&r); /* OK, */
        read_u8(&r); /* and which values are NULL */
        n = read_u64(&r);
    }
    *ret = n;
    return !r.bad;
}

/* The rows are counted: the write may begin. */
static void begin_counted(struct session *s)
{
    struct err e;
    struct scatter *counting = s->scatter, *write = counting->then;
    uint64_t affected;
    if (!read_count(s, &affected)) {
        err_set(&e, MQ_MERGE_VALUE, "the number of rows cannot be read");
        fail(s, &e);
        return;
    }
    counting->then = NULL;
    s->scatter = write;
    s->seq = write->seq;
    merge_tell_affected(write->merge, affected);
    destroy(counting, true);
    begin_parts(write);
    watch_parts(write, true);
}

static void succeed(struct session *s)
{
    struct scatter *x = s->scatter;
    const struct ok_packet *ok = merge_result(x->merge);
    if (x->then) {
        begin_counted(s);
        return;
    }
    if (x->stores) {
        s->seq = x->seq;
        session_open_stored(s, &x->store, x->columns, ok);
    }
    s->row_count = x->one_by_one ? (int64_t)ok->affected_rows : -1;
    if (!x->asks) { /* that leaves what it tells of */
        session_note_merged_warnings(s, ok->warnings);
        session_note_merged_rows(s, merge_rows(x->merge), false);
    }
    end_warned(s);
}

/* The client has had an error instead of the rest. */
static void end_failed(struct session *s)
{
    if (merge_started(s->scatter->merge) && !s->scatter->asks)
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

static void begin_part(struct scatter *x, struct scatter_part *p)
{
    struct io *ends[2];
    struct session *s = x->session;
    if (x->asks) {
        session_show_part_warnings(p->session, s->request.binary);
        return;
    }
    io_memory_pair_in(s->worker->base, PIPE, ends);
    p->io = ends[0];
    io_set_owner(p->io, on_part_ready, p);
    p->session = session_part_create(s, ends[1], p);
    session_part_run(p->session, x->entry, &p->request);
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

/* Another copy's warnings are the same; its backend may serve the next one. */
static void end_written(const struct scatter *x, struct scatter_part *p)
{
    if (x->copies || !knows_warnings(p))
        end_part(p, true);
}

static void begin_parts(struct scatter *x)
{
    while (may_begin(x)) {
        if (x->one_by_one && x->begun)
            end_written(x, &x->parts[x->begun - 1]);
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

static void send_output(struct session *s, struct buf *out)
{
    struct iovec part = { buf_begin(out), buf_len(out) };
    if (part.iov_len)
        session_send(s, &part, 1);
    buf_clear(out);
}

/* What is too much to be kept for a cursor is sent, and so is all that follows. */
static void store_output(struct session *s, struct buf *out)
{
    struct scatter *x = s->scatter;
    x->stores = session_may_store(s, buf_len(&x->store) + buf_len(out));
    if (!x->stores) {
        send_output(s, &x->store);
        buf_fini(&x->store);
        send_output(s, out);
        return;
    }
    buf_append_slice(&x->store, buf_slice(out));
    buf_clear(out);
}

static enum merge_outcome make_output(struct session *s, struct err *reterr)
{
    struct scatter *x = s->scatter;
    struct buf *out = &s->worker->relay;
    enum merge_outcome outcome;
    do {
        outcome = merge_run(x->merge, out, OUTPUT, &s->seq, reterr);
        if (x->stores)
            store_output(s, out);
        else
            send_output(s, out);
    } while (outcome == MERGE_FULL && !buf_len(&s->out));
    if (x->stores && (outcome == MERGE_FAILED || outcome == MERGE_REFUSED))
        s->seq = x->seq; /* the client has nothing of it */
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
