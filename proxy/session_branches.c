/* A transaction over several shards (`transactions: multi`): one branch on each, opened by the
 * first statement for that shard, ended in the order of their opening.
 *
 *   BEGIN ── statement ──> the session's backend is the one branch
 *                              │ a statement for another shard
 *                              v
 *            branches:  of[0], of[1], …    the one that runs is the session's backend,
 *                              │           the others wait, BUSY and lent to the session
 *             COMMIT, ROLLBACK v
 *            of[0] ends and goes back, then of[1], …; the last one's answer is the client's
 *
 * This is not atomic: a fault between two COMMITs leaves the first in effect, which the client is
 * told. Whatever else takes a branch away rolls back all of them. */
#include "base/check.h"
#include "base/memory.h"
#include "proxy/session_int.h"

struct branches {
    uint32_t count;
    bool opening;  /* one more is waited for, or its first statement runs there */
    uint32_t lost; /* are gone: the others go as soon as the statement at hand has ended */
    bool ending;   /* by a COMMIT or ROLLBACK that goes to one after the other */
    bool committing;
    uint32_t at;    /* of a statement for all of them: where it is */
    uint32_t ended; /* have committed so far */
    uint8_t end;    /* enum request_end of the last one's request, and what all are told */
    char *text;
    struct backend *of[]; /* room for one of each shard */
};

bool session_in_transaction(const struct session *s)
{
    return s->pinned || s->branches;
}

bool session_is_multi(const struct session *s)
{
    return s->deployment->topology->config->transactions == TRANSACTIONS_MULTI;
}

void session_branches_free(struct session *s)
{
    if (s->branches)
        mem_free(s->branches->text);
    mem_free(s->branches);
    s->branches = NULL;
}

static uint32_t find(const struct branches *all, const struct backend *b)
{
    uint32_t i = 0;
    while (i < all->count && all->of[i] != b)
        i++;
    return i;
}

static void remove_at(struct branches *all, uint32_t at)
{
    all->count--;
    memmove(all->of + at, all->of + at + 1, (all->count - at) * sizeof(struct backend *));
}

static const char *shard_name(const struct session *s, uint32_t shard)
{
    return s->deployment->topology->shards[shard].config->name;
}

/* ---- from one to another ---- */

static struct backend *branch_on(const struct branches *all, uint32_t shard)
{
    for (uint32_t i = 0; all && i < all->count; i++)
        if (all->of[i]->pool->key.shard == shard)
            return all->of[i];
    return NULL;
}

/* It will begin as the transaction did. */
static void open_branch(struct session *s)
{
    if (!s->branches) {
        size_t room = s->deployment->topology->shard_count;
        s->branches = mem_zalloc(sizeof *s->branches + room * sizeof(struct backend *));
        s->branches->of[s->branches->count++] = s->backend;
    }
    s->branches->opening = true;
    s->backend = NULL;
    s->pinned = false;
    s->begin_pending = s->began;
    s->savepoints_sent = 0;
}

void session_choose_branch(struct session *s)
{
    const struct request *q = &s->request;
    if (!s->pinned || !q->transactional || !session_is_multi(s) || session_backend_unsharded(s) ||
        q->shard == s->backend->pool->key.shard)
        return;
    struct backend *b = branch_on(s->branches, q->shard);
    if (b)
        s->backend = b;
    else
        open_branch(s);
}

bool session_opens_branch(const struct session *s)
{
    return s->branches && s->branches->opening;
}

/* ---- ends ---- */

void session_drop_branches(struct session *s)
{
    struct backend *current = s->backend;
    struct branches *all = s->branches;
    if (!all)
        return;
    for (uint32_t i = 0; i < all->count; i++) {
        s->backend = all->of[i];
        if (s->backend != current)
            session_release_one(s);
    }
    s->backend = current;
    session_branches_free(s);
}

/* All of it is rolled back. */
static void abandon(struct session *s)
{
    session_release_backend(s);
    session_forget_transaction(s);
    s->status &= (uint16_t)~STATUS_IN_TRANS;
}

bool session_lose_branch(struct session *s, const struct backend *b)
{
    struct branches *all = s->branches;
    if (!all || find(all, b) == all->count)
        return false;
    remove_at(all, find(all, b));
    all->lost++;
    if (s->backend == b)
        return false;
    if (s->state == SESSION_READY) {
        abandon(s);
        session_give_shares(s);
        s->lost_transaction = MQ_SHARD_LOST;
    }
    return true;
}

void session_fail_branch(struct session *s, struct err *e)
{
    const struct err why = *e;
    abandon(s);
    err_set(e, MQ_BRANCH_FAILED, "the transaction was rolled back: no connection to shard %s: %s",
            shard_name(s, s->request.shard), why.text);
}

/* Its first statement has begun no transaction there. */
static void leave_unopened(struct session *s)
{
    if (s->backend)
        session_release_one(s);
    s->backend = s->branches->of[0];
    s->status |= STATUS_IN_TRANS;
}

void session_settle_branch(struct session *s)
{
    struct branches *all = s->branches;
    bool open = s->backend && (s->backend->status & STATUS_IN_TRANS), was_opening = all->opening;
    all->opening = false;
    if (all->lost || all->ending || (!open && !was_opening)) { /* a deadlock's victim, for one */
        bool lost = all->lost, ending = all->ending;
        struct characteristics begun = s->begun;
        abandon(s);
        s->begun = ending ? begun : s->begun;
        s->lost_transaction = lost ? MQ_SHARD_LOST : MQ_OK;
        return;
    }
    if (open && was_opening)
        all->of[all->count++] = s->backend;
    else if (was_opening)
        leave_unopened(s);
    s->pinned = true;
    s->begin_pending = false;
    s->savepoints_sent = buf_len(&s->savepoints);
}

/* ---- a statement for all of them ---- */

static bool is_relayed(uint8_t end)
{
    return end == END_RELAYED || end == END_RELEASED;
}

static void run_at_branch(struct session *s)
{
    struct branches *all = s->branches;
    bool last = all->at + 1 == all->count;
    s->backend = all->of[all->at];
    s->pinned = true;
    request_begin(s, last ? all->end : END_BRANCH);
    s->request.swallow = !last || !is_relayed(all->end);
    if (!last || all->end != END_SET)
        request_add_query(s, slice_cstr(all->text));
    session_run_request(s);
}

static void run_on_one(struct session *s, uint8_t end, struct slice text)
{
    request_begin(s, end);
    s->request.swallow = !is_relayed(end);
    request_add_query(s, text);
    session_run_request(s);
}

void session_run_on_branches(struct session *s, uint8_t end, struct slice text)
{
    struct branches *all = s->branches;
    if (!all) {
        run_on_one(s, end, text);
        return;
    }
    mem_free(all->text);
    all->text = mem_strndup(text);
    all->end = end;
    all->at = 0;
    run_at_branch(s);
}

void session_end_branches(struct session *s, uint8_t end, bool commit)
{
    if (s->branches) {
        s->branches->ending = true;
        s->branches->committing = commit;
    }
    session_run_on_branches(s, end, commit ? session_commit_text(s) : session_rollback_text(s));
}

static void end_one(struct session *s)
{
    remove_at(s->branches, 0);
    s->branches->ended++;
    session_release_one(s);
}

void session_next_branch(struct session *s)
{
    struct branches *all = s->branches;
    struct err e;
    s->step = STEP_NONE;
    if (all->ending)
        end_one(s);
    else
        all->at++;
    if (!all->lost) {
        run_at_branch(s);
        return;
    }
    err_set(&e, MQ_SHARD_LOST, "the connection to a shard was lost");
    session_tell_partly(s, &e);
    abandon(s);
    session_fail_request(s, &e);
}

bool session_tell_partly(const struct session *s, struct err *e)
{
    const struct branches *all = s->branches;
    if (!all || !all->committing || !all->ended)
        return false;
    const struct err why = *e;
    err_set(e, MQ_PARTLY_COMMITTED,
            "%u of the transaction's %u shards have committed, the others not: %s", all->ended,
            all->ended + all->count + all->lost, why.text);
    return true;
}
