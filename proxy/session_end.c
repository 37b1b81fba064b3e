/* What follows the end of a command's answer, by what its request says (enum request_end). */
#include "base/memory.h"
#include "proxy/session_steps.h"

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
    session_pin_or_release(s);
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
    session_pin_or_release(s);
    session_run_every_shard(s, entry);
    plan_entry_release(entry);
}

void session_finish_relayed(struct session *s)
{
    struct backend *b = s->backend;
    session_pin_or_release(s);
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
        session_lost_while_sending(s);
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
    session_keep_home(s, failed);
    if (failed && !is_status_known(s))
        ask_status(s);
    else
        session_finish_relayed(s);
}

/* What a SET that failed has set all the same is not known. */
static void forget_failed(struct session *s)
{
    struct vars *have = &s->backend->vars;
    if (s->step == STEP_SYNC)
        vars_forget_changed(s->worker->interned, have, session_vars_due(s));
    if (s->characteristics_set)
        session_characteristics_forget(s);
}

void session_end_refused(struct session *s)
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
    session_pin_or_release(s);
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

void session_end_own(struct session *s)
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
    session_pin_or_release(s);
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

void session_end_command(struct session *s, bool failed)
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
            session_end_refused(s);
        else
            session_next_branch(s);
        break;
    case END_COMMITTED_FIRST:
        if (failed)
            session_end_refused(s);
        else
            end_committed_first(s);
        break;
    default:
        if (failed)
            session_end_refused(s);
        else
            session_end_own(s);
    }
}
