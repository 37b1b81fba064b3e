/* A part of a statement for several tenants: a session of its own, whose client is the scatter of
 * the session that the statement came to (session_scatter.c). It never logs in, has no number of
 * its own, takes no share, gets one request and ends with its answer. All that a session does for
 * a request it does as well: a backend is waited for and brought in line, the answer is relayed
 * and paused, limits of time hold.
 *
 *   begun ──> WAITING ──> BUSY ──> READY    its answer is in the pipe
 *                          │
 *                          └ left: the statement has failed elsewhere. What its shard still says
 *                            is read and dropped, so that the backend can be used again; the
 *                            sweep ends a statement that takes longer than that */
#include "base/memory.h"
#include "proxy/session_int.h"

static void on_backend(struct session *s, struct backend *b)
{
    session_take_backend(s, b);
    if (s->part)
        session_part_has_backend(s->part);
}

/* Whoever holds a later shard's backend does not wait for an earlier one's. */
static void on_lost(struct session *s, const struct err *reason)
{
    bool may_wait = s->part && session_part_is_last(s->part);
    s->request.only_there |= !may_wait;
    session_lose_backend(s, reason);
}

static const struct session_mode part_mode = { .on_backend = on_backend, .on_lost = on_lost };

/* Answers are written as for the session itself, but without the EOFs that it may want: the merge
 * adds them. */
uint64_t session_part_capabilities(const struct session *parent)
{
    return parent->capabilities | CAP_DEPRECATE_EOF;
}

struct session *session_part_create(struct session *parent, struct io *io,
                                    struct scatter_part *part)
{
    struct intern_table *interned = parent->worker->interned;
    struct session *s = session_new(parent->worker, io);
    s->mode = &part_mode;
    s->is_part = true;
    s->part = part;
    s->id = parent->id;
    s->from = parent->from;
    s->state = SESSION_READY;
    s->deployment = deployment_acquire(parent->deployment);
    s->account = parent->account;
    s->capabilities = session_part_capabilities(parent);
    s->user = mem_strdup(parent->user);
    s->workload = mem_strdup(parent->workload);
    s->database = mem_strdup(parent->database);
    vars_copy(interned, &s->vars, &parent->vars);
    s->modes = parent->modes;
    s->strict = parent->strict;
    s->status = parent->status;
    s->last_insert_id = parent->last_insert_id;
    s->last_table = parent->last_table;
    s->last_separator = parent->last_separator;
    s->seq = 1;
    return s;
}

void session_part_run(struct session *s, struct plan_entry *entry, struct part_request *r)
{
    request_begin(s, END_RELAYED);
    struct request *q = &s->request;
    q->entry = plan_entry_acquire(entry);
    q->shard = r->shard;
    q->execute = r->execute;
    q->part_serial = r->serial;
    q->bound = r->bound;
    buf_fini(&q->bytes);
    q->bytes = r->command;
    s->part_text = r->text;
    s->transaction_tenant = r->tenant;
    buf_init(&r->command);
    buf_init(&r->text);
    r->tenant = NULL;
    session_run_request(s);
}

void session_part_leave(struct session *s)
{
    s->part = NULL;
    if (s->state != SESSION_BUSY || s->step != STEP_COMMAND) {
        session_kill(s);
        return;
    }
    s->request.swallow = true;
    buf_clear(&s->out);
    io_watch(s->io, 0);
    io_watch(s->backend->io, io_watched(s->backend->io) | IO_READ);
}
