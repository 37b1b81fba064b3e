/* KILL: who gives the order, and who receives it. The two may be on different workers. A session
 * is known by the number of its greeting; its own account may kill it, and administrators. */
#include "base/memory.h"
#include "proxy/pool_kill.h"
#include "proxy/session_int.h"

static void interrupt(struct err *e)
{
    err_set(e, MQ_INTERRUPTED, "Query execution was interrupted");
}

static enum err_code find(const struct session *s, unsigned long long id, struct roster_entry *ret,
                          struct err *reterr)
{
    if (id > UINT32_MAX ||
        !roster_find(s->worker->fleet->roster, (uint32_t)id, slice_cstr(s->user), ret))
        return err_set(reterr, MQ_THREAD_UNKNOWN, "Unknown thread id: %llu", id);
    if (!ret->same_user && !s->account->config->administrator)
        return err_set(reterr, MQ_THREAD_NOT_OWNED, "You are not owner of thread %llu", id);
    return MQ_OK;
}

static void kill_own(struct session *s, bool statement_only)
{
    struct err e;
    interrupt(&e);
    s->close_after_flush = !statement_only;
    session_refuse(s, &e);
}

/* Like a server's, the answer does not wait for what it has set going. */
static void order(struct session *s, unsigned long long id, bool statement_only)
{
    struct roster_entry found;
    struct err e;
    if (find(s, id, &found, &e)) {
        session_refuse(s, &e);
    } else if (id == s->id) {
        kill_own(s, statement_only);
    } else {
        worker_kill(&s->worker->fleet->workers[found.worker], (uint32_t)id, statement_only);
        session_done_ok(s);
    }
}

void session_process_kill(struct session *s, struct slice body)
{
    struct err e;
    struct reader r = reader_of(body.data, body.len);
    uint32_t id = read_u32(&r);
    if (!r.bad) {
        order(s, id, false);
        return;
    }
    err_set(&e, MQ_PROTOCOL, "Malformed communication packet");
    session_refuse(s, &e);
}

void session_kill_other(struct session *s, const struct template *t, const struct lexed *lexed)
{
    unsigned long long id = s->id;
    if (t->killed.kind == VALUE_TOKENS && !slice_to_u64(token_text(lexed, t->killed.first), &id))
        id = UINT64_MAX; /* too large for any session */
    order(s, id, t->op == KW_QUERY);
}

/* Between statements there is nothing to interrupt. */
static void interrupt_statement(struct session *s)
{
    struct err e;
    switch (s->state) {
    case SESSION_BUSY:
        pool_kill_statement(s->backend);
        break;
    case SESSION_SCATTERING:
        session_interrupt_scatter(s);
        break;
    case SESSION_WAITING:
        session_stop_waiting(s);
        interrupt(&e);
        session_fail_request(s, &e);
        break;
    case SESSION_HELD:
        s->interrupted = true;
        session_resume(s);
        break;
    default:
        break;
    }
}

void session_on_kill(struct session *s, bool statement_only)
{
    if (statement_only)
        interrupt_statement(s);
    else
        session_kill(s);
}
