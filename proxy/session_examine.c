/* What `enforce` would do with each command of a session that only observes: planned and routed
 * as there, with the tenant as far as the session shows it, and remembered (findings.h). What a
 * command changes counts once the server has taken it. */
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "proxy/session_int.h"

static void note(struct session *s, const struct lexed *lexed, enum verdict verdict,
                 const struct err *why)
{
    findings_note(s->worker->findings, lexed, verdict, why, clock_wall_ms());
}

void session_note_word(struct session *s, const char *word, const struct err *why)
{
    struct dialect dialect = dialect_default();
    struct lexed lexed;
    if (lex(slice_cstr(word), &dialect, &s->worker->arena, &lexed, NULL) == MQ_OK)
        note(s, &lexed, VERDICT_REJECT, why);
}

/* ---- statements ---- */

static void examine_use(struct session *s, struct slice name)
{
    struct observed *o = s->observed;
    (void)session_check_database(s, name, &o->why);
    mem_free(o->use);
    o->use = mem_strndup(name);
}

/* What mqgate would answer by itself. */
static void examine_local(struct session *s, const struct template *t, const struct lexed *lexed,
                          const struct param_value *values)
{
    struct observed *o = s->observed;
    if (t->local == LOCAL_SET)
        s->trying = session_try_set(s, t, lexed, values, &o->why) == MQ_OK;
    else if (t->local == LOCAL_USE)
        examine_use(s, t->name);
}

/* As check_transaction has it, but without a shard. */
static enum err_code check_tenant(struct session *s, const struct route *r, struct err *reterr)
{
    if (r->verdict != VERDICT_SINGLE)
        return MQ_OK;
    if ((s->status & STATUS_IN_TRANS) && s->transaction_tenant && !session_is_multi(s) &&
        strcmp(s->transaction_tenant, r->tenant->name) != 0)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "the transaction is of tenant '%s', the statement of '%s'",
                       s->transaction_tenant, r->tenant->name);
    session_remember_tenant(s, r);
    return MQ_OK;
}

/* Would the answers of several tenants make one, and outside of one tenant's transaction? */
static enum err_code check_tenants(struct session *s, struct plan_entry *entry,
                                   const struct lexed *lexed, const struct param_value *values,
                                   struct err *reterr)
{
    struct merge_inputs inputs;
    const struct template *t = plan_entry_scatter(s->worker->plans, entry, lexed);
    bool open = s->status & STATUS_IN_TRANS;
    bool due = open || !(s->status & STATUS_AUTOCOMMIT);
    if (t->verdict == VERDICT_REJECT) {
        *reterr = *t->reject;
        return reterr->code;
    }
    if (session_check_tenants(t, open && s->transaction_tenant, due, reterr))
        return reterr->code;
    return session_merge_inputs(s, t, lexed, values, &inputs, reterr);
}

/* As far as it changes the session, and may be refused. */
static void try_plan(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                     const struct param_value *values)
{
    struct observed *o = s->observed;
    const struct template *t = entry->template;
    struct route r;
    if (t->verdict == VERDICT_REJECT)
        o->why = *t->reject;
    else if (t->verdict == VERDICT_LOCAL)
        examine_local(s, t, lexed, values);
    else if (session_try_route(s, t, lexed, values, &r, &o->why) == ROUTE_OK)
        o->why.code = r.verdict == VERDICT_TENANTS
                          ? check_tenants(s, entry, lexed, values, &o->why)
                          : check_tenant(s, &r, &o->why);
}

static void examine_plan(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                         const struct param_value *values)
{
    struct observed *o = s->observed;
    const struct template *t = entry->template;
    try_plan(s, entry, lexed, values);
    if (o->why.code)
        note(s, lexed, VERDICT_REJECT, &o->why);
    else if (t->edit_count)
        note(s, lexed, t->verdict, NULL);
}

/* The client's database is elsewhere: to enforce it would have none. */
static void take_database(struct session *s, const char *name)
{
    if (session_use(s, slice_cstr(name), false, NULL) == MQ_OK)
        return;
    mem_free(s->database);
    s->database = NULL;
}

/* What a statement sets counts once the server has taken it. */
static void take_changes(struct session *s, bool failed)
{
    struct observed *o = s->observed;
    if (s->trying && failed)
        session_undo_set(s);
    else if (s->trying)
        session_end_set(s);
    if (o->use && !failed)
        take_database(s, o->use);
    mem_free(o->use);
    o->use = NULL;
}

/* The plan of what was lexed, or NULL: then it is refused because it cannot be read. */
static struct plan_entry *plan_lexed(struct session *s, enum err_code code,
                                     const struct lexed *lexed, bool prepared)
{
    struct dialect dialect = session_dialect(s);
    if (!code)
        return plan_cache_get(s->worker->plans, s->deployment->topology, &dialect, lexed, prepared);
    note(s, NULL, VERDICT_REJECT, &s->observed->why);
    return NULL;
}

/* KILL [HARD | SOFT] [CONNECTION | QUERY] number */
static void note_kill(struct observed *o, const struct lexed *l, size_t at)
{
    if (l->count < 2 || !token_is_keyword(&l->tokens[0], KW_KILL))
        return;
    const struct token *last = &l->tokens[l->count - 1];
    if (last->kind == TOKEN_OPERATOR) /* the semicolon */
        last--;
    if (last->kind == TOKEN_INTEGER) {
        o->kill_at = (uint32_t)at + last->start;
        o->kill_len = last->len;
    }
}

/* True when it is mqgate's own, and answered: that cannot be a part of what the server answers. */
static bool examine_statement(struct session *s, enum err_code code, const struct lexed *lexed,
                              bool alone)
{
    struct plan_entry *entry = plan_lexed(s, code, lexed, false);
    bool own = entry && alone && entry->template->local == LOCAL_SHOW_FINDINGS;
    s->statement = lexed;
    if (own)
        session_local(s, entry, lexed, NULL);
    else if (entry)
        examine_plan(s, entry, lexed, NULL);
    plan_entry_release(entry);
    return own;
}

/* Several statements are forwarded as one text; each is examined as if the server took those
 * before it. Of several refusals the first counts. True when mqgate has answered it. */
static bool examine_query(struct session *s, struct slice query)
{
    struct observed *o = s->observed;
    struct slice text = session_trim_text(query), rest = text;
    struct err first = { 0 };
    struct lexed lexed;
    enum err_code code;
    bool alone, own;
    session_forget_halfway(s);
    do {
        struct slice part = rest;
        o->why.code = MQ_OK;
        code = session_read_statement(s, part, &lexed, &rest, &o->why);
        alone = part.data == text.data && !rest.len;
        if (part.data == text.data && rest.len)
            session_remember_halfway(s, text);
        own = examine_statement(s, code, &lexed, alone);
        if (!code)
            note_kill(o, &lexed, (size_t)(part.data - query.data));
        if (!first.code)
            first = o->why;
        if (rest.len)
            take_changes(s, false);
    } while (rest.len);
    o->why = first;
    session_warn_about(s, !code && alone ? &lexed : NULL, false);
    return own;
}

/* What is refused whatever the parameters is refused here, and would never be executed. */
static void examine_prepare(struct session *s, struct slice text)
{
    struct observed *o = s->observed;
    struct lexed lexed;
    struct dialect dialect = session_dialect(s);
    enum err_code code = lex(text, &dialect, &s->worker->arena, &lexed, &o->why);
    s->last_stmt_id = 0;
    o->preparing = plan_lexed(s, code, &lexed, true);
    if (o->preparing && session_check_prepare(s, o->preparing->template, &o->why))
        note(s, &lexed, VERDICT_REJECT, &o->why);
}

void session_note_prepared(struct session *s, struct slice payload)
{
    struct prepare_ok ok;
    struct plan_entry *entry = s->observed->preparing;
    if (entry && prepare_ok_parse(payload, &ok) && ok.params == entry->template->client_params)
        session_stmt_add(s, entry, ok.statement_id);
}

static void examine_execute(struct session *s, struct slice payload)
{
    struct param_value *values;
    struct plan_entry *entry = session_stmt_values(s, payload, &values);
    if (entry && session_check_prepare(s, entry->template, &s->observed->why))
        note(s, &entry->lexed, VERDICT_REJECT, &s->observed->why);
    else if (entry && values)
        examine_plan(s, entry, &entry->lexed, values);
    session_warn_about(s, entry ? &entry->lexed : NULL, true);
}

/* ---- commands ---- */

static void examine_command(struct session *s, uint8_t command)
{
    struct observed *o = s->observed;
    const struct command_info *info = command_info(command);
    char word[64];
    if (info->disposition != COMMAND_REFUSED)
        return;
    snprintf(word, sizeof word, "COM_%s", info->name);
    err_set(&o->why, MQ_COMMAND_NOT_SERVED, "%s is not served: %s", info->name, info->note);
    session_note_word(s, word, &o->why);
}

static void begin(struct observed *o)
{
    o->why.code = MQ_OK;
    o->resets = o->warns = false;
    o->kill_len = 0;
    o->question.about = ASKS_NOTHING;
    plan_entry_release(o->preparing);
    o->preparing = NULL;
    mem_free(o->use);
    o->use = NULL;
}

bool session_examine(struct session *s, uint8_t command, struct slice payload)
{
    struct observed *o = s->observed;
    struct slice body = slice_of(payload.data + 1, payload.len - 1);
    begin(o);
    if (o->blind)
        return false;
    switch (command) {
    case COM_QUERY:
        return examine_query(s, body);
    case COM_STMT_PREPARE:
        examine_prepare(s, body);
        break;
    case COM_STMT_EXECUTE:
        examine_execute(s, payload);
        break;
    case COM_STMT_SEND_LONG_DATA:
        session_long_data(s, body);
        break;
    case COM_STMT_CLOSE:
        session_stmt_close(s, body);
        break;
    case COM_STMT_RESET:
        session_stmt_forget_data(s, body);
        break;
    case COM_INIT_DB:
        examine_use(s, body);
        if (o->why.code)
            session_note_word(s, "COM_INIT_DB", &o->why);
        break;
    case COM_RESET_CONNECTION:
        o->resets = true;
        break;
    case COM_SET_OPTION:
        (void)session_set_option(s, body, NULL);
        break;
    default:
        examine_command(s, command);
    }
    return false;
}

void session_follow(struct session *s, struct slice text, struct slice *ret_rest)
{
    struct dialect dialect = session_dialect(s);
    struct lexed lexed;
    struct err *why = &s->observed->why;
    why->code = MQ_OK;
    if (session_read_statement(s, text, &lexed, ret_rest, why))
        return;
    struct plan_entry *entry =
        plan_cache_get(s->worker->plans, s->deployment->topology, &dialect, &lexed, false);
    try_plan(s, entry, &lexed, NULL);
    plan_entry_release(entry);
    take_changes(s, false);
}

void session_examined(struct session *s, bool failed)
{
    struct observed *o = s->observed;
    take_changes(s, failed);
    if (o->halfway && failed)
        session_go_halfway(s, s->backend->answer.results);
    session_forget_halfway(s);
    if (o->resets && !failed) {
        session_reset(s);
        o->warning.code = MQ_OK;
    }
    if (!(s->status & STATUS_IN_TRANS)) {
        mem_free(s->transaction_tenant);
        s->transaction_tenant = NULL;
    }
}
