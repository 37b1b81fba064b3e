/* Transactions, as far as the session itself has them: what SET TRANSACTION, BEGIN and savepoints
 * say is kept until a statement needs a shard, and goes there in front of it. From then on the
 * transaction is the backend's, which the session keeps ("pinned").
 *
 *   SET TRANSACTION ──> next ──BEGIN──> begun, begin_pending ──first statement──> pinned
 *                        └──────────────first statement, autocommit=0──────────────┘
 *
 * COMMIT AND CHAIN is a COMMIT and a pending BEGIN with what was begun, so that the new
 * transaction may be another tenant's. */
#include "base/memory.h"
#include "proxy/session_int.h"

/* ---- characteristics ---- */

static const struct isolation {
    enum keyword keyword;
    const char *value, *words, *sql;
} isolations[] = {
    { KW_READ, "READ-UNCOMMITTED", "READ UNCOMMITTED", "'READ-UNCOMMITTED'" },
    { KW_COMMITTED, "READ-COMMITTED", "READ COMMITTED", "'READ-COMMITTED'" },
    { KW_REPEATABLE, "REPEATABLE-READ", "REPEATABLE READ", "'REPEATABLE-READ'" },
    { KW_SERIALIZABLE, "SERIALIZABLE", "SERIALIZABLE", "'SERIALIZABLE'" },
};

enum { ISOLATIONS = sizeof isolations / sizeof *isolations };

static uint8_t isolation_by_keyword(uint16_t keyword)
{
    for (uint8_t i = 0; i < ISOLATIONS; i++)
        if (isolations[i].keyword == (enum keyword)keyword)
            return (uint8_t)(i + 1);
    return 0;
}

/* By its name, or by its number. */
static uint8_t isolation_by_value(struct slice value)
{
    unsigned long long n;
    if (slice_to_u64(value, &n))
        return n < ISOLATIONS ? (uint8_t)(n + 1) : 0;
    for (uint8_t i = 0; i < ISOLATIONS; i++)
        if (slice_ieq_cstr(value, isolations[i].value))
            return (uint8_t)(i + 1);
    return 0;
}

const char *session_isolation_sql(uint8_t isolation)
{
    return isolation ? isolations[isolation - 1].sql : NULL;
}

bool session_isolation_name(struct slice sql, struct slice *ret)
{
    bool quoted = sql.len > 2 && sql.data[0] == '\'';
    uint8_t isolation = isolation_by_value(quoted ? slice_of(sql.data + 1, sql.len - 2) : sql);
    *ret = slice_cstr(isolation ? isolations[isolation - 1].value : NULL);
    return isolation;
}

static enum access access_of(uint32_t flags)
{
    return flags & NODE_F_READ_ONLY    ? ACCESS_READ_ONLY
           : flags & NODE_F_READ_WRITE ? ACCESS_READ_WRITE
                                       : ACCESS_OF_SESSION;
}

static const char *access_words(uint8_t access)
{
    return access == ACCESS_READ_ONLY ? "READ ONLY" : "READ WRITE";
}

/* What the transaction that begins now is told in front of it. BEGIN tells the access itself. */
static struct characteristics told_before(const struct session *s)
{
    if (s->begin_pending)
        return (struct characteristics){ .isolation = s->begun.isolation };
    return s->branches ? s->begun : s->next;
}

bool session_needs_characteristics(const struct session *s)
{
    struct characteristics c = told_before(s);
    bool apply = !session_on_vitess(s) || session_targets_unsharded(s);
    return apply && (c.isolation || c.access) && !s->characteristics_set && !s->pinned;
}

const char *session_characteristics(struct session *s)
{
    struct characteristics c = told_before(s);
    return arena_printf(&s->worker->arena, "SET TRANSACTION %s%s%s%s",
                        c.isolation ? "ISOLATION LEVEL " : "",
                        c.isolation ? isolations[c.isolation - 1].words : "",
                        c.isolation && c.access ? ", " : "", c.access ? access_words(c.access) : "");
}

void session_characteristics_forget(struct session *s)
{
    struct backend *b = s->backend;
    vars_forget(b->worker->interned, &b->vars, VAR_ISOLATION);
    vars_forget(b->worker->interned, &b->vars, VAR_READ_ONLY);
}

/* A failed statement leaves them for the next one, whose backend may be another. */
void session_characteristics_used(struct session *s, bool failed)
{
    if (s->characteristics_set && !(s->backend->status & STATUS_IN_TRANS))
        session_characteristics_forget(s);
    if (!s->begin_pending && !failed && s->request.transactional && !session_in_transaction(s)) {
        s->begun = s->next;
        s->next = (struct characteristics){ 0 };
    }
    s->characteristics_set = false;
}

static bool in_transaction(const struct session *s)
{
    return s->pinned || s->begin_pending;
}

static enum err_code refuse_inside(const struct session *s, struct err *reterr)
{
    return !in_transaction(s)
               ? MQ_OK
               : err_set(reterr, MQ_IN_TRANSACTION,
                         "Transaction characteristics can't be changed while a transaction is in "
                         "progress");
}

enum err_code session_set_next(struct session *s, enum var var, struct slice value,
                               struct err *reterr)
{
    bool on = slice_eq(value, SLICE_LIT("1")) || slice_ieq_cstr(value, "on");
    bool off = slice_eq(value, SLICE_LIT("0")) || slice_ieq_cstr(value, "off");
    uint8_t isolation = var == VAR_ISOLATION ? isolation_by_value(value) : 0;
    if (!isolation && (var == VAR_ISOLATION || !(on || off)))
        return err_set(reterr, MQ_VARIABLE_VALUE, "Variable '%s' can't be set to the value of '%.*s'",
                       var_info(var)->name, (int)value.len, value.data);
    if (refuse_inside(s, reterr))
        return reterr->code;
    if (isolation)
        s->next.isolation = isolation;
    else
        s->next.access = on ? ACCESS_READ_ONLY : ACCESS_READ_WRITE;
    return MQ_OK;
}

/* BEGIN takes the session's values of that moment, also when it is still pending. */
enum err_code session_keep_begun(struct session *s, bool isolation_changes, bool access_changes,
                                 struct err *reterr)
{
    const char *isolation = vars_value(&s->vars, VAR_ISOLATION);
    const char *access = vars_value(&s->vars, VAR_READ_ONLY);
    if (!s->begin_pending && !(s->pinned && session_is_multi(s)))
        return MQ_OK;
    if (access_changes && !s->begun.access)
        s->begun.access = access && strcmp(access, "1") == 0 ? ACCESS_READ_ONLY : ACCESS_READ_WRITE;
    if (!isolation_changes || s->begun.isolation)
        return MQ_OK;
    struct slice name = slice_cstr(isolation ? isolation : "");
    if (name.len > 2 && name.data[0] == '\'')
        name = slice_of(name.data + 1, name.len - 2);
    s->begun.isolation = isolation_by_value(name);
    return s->begun.isolation
               ? MQ_OK
               : err_set(reterr, MQ_IN_TRANSACTION,
                         "the pending transaction has the server's default isolation level: send its "
                         "first statement, or set the level before BEGIN");
}

static void set_session_transaction(struct session *s, const struct template *t)
{
    struct intern_table *interned = s->worker->interned;
    uint8_t isolation = isolation_by_keyword(t->op);
    enum access access = access_of(t->flags);
    struct err e;
    if (session_keep_begun(s, isolation, access, &e) ||
        session_vitess_variable(s, VAR_READ_ONLY, access != ACCESS_READ_ONLY, &e)) {
        session_refuse_statement(s, &e);
        return;
    }
    if (isolation) {
        vars_set(interned, &s->vars, VAR_ISOLATION, slice_cstr(session_isolation_sql(isolation)));
        session_track_assigned(s, VAR_ISOLATION);
    }
    if (access) {
        vars_set(interned, &s->vars, VAR_READ_ONLY,
                 access == ACCESS_READ_ONLY ? SLICE_LIT("1") : SLICE_LIT("0"));
        session_track_assigned(s, VAR_READ_ONLY);
    }
    session_done_ok(s);
}

/* For the session: two variables. For the next transaction only: said right before it. */
void session_set_transaction(struct session *s, const struct template *t)
{
    struct err e;
    if (t->flags & NODE_F_GLOBAL) {
        session_refuse_text(s, MQ_VARIABLE_NOT_ALLOWED, "SET GLOBAL TRANSACTION is not served");
        return;
    }
    if (t->flags & NODE_F_SESSION) {
        set_session_transaction(s, t);
        return;
    }
    if (refuse_inside(s, &e)) {
        session_refuse_statement(s, &e);
        return;
    }
    uint8_t isolation = isolation_by_keyword(t->op);
    enum access access = access_of(t->flags);
    s->next.isolation = isolation ? isolation : s->next.isolation;
    s->next.access = access ? (uint8_t)access : s->next.access;
    session_done_ok(s);
}

/* ---- autocommit, completion_type ---- */

bool session_is_plain_truth(const char *value)
{
    struct slice v = slice_cstr(value);
    return !value || slice_eq(v, SLICE_LIT("0")) || slice_eq(v, SLICE_LIT("1"));
}

/* As the next answer of a shard will tell anyway. Switching it on commits. */
void session_autocommit_changed(struct session *s)
{
    const char *value = vars_value(&s->vars, VAR_AUTOCOMMIT);
    if (value && slice_eq(slice_cstr(value), SLICE_LIT("0"))) {
        s->status &= (uint16_t)~STATUS_AUTOCOMMIT;
        return;
    }
    if (!(s->status & STATUS_AUTOCOMMIT))
        session_forget_transaction(s);
    s->status |= STATUS_AUTOCOMMIT;
}

enum completion { COMPLETES, COMPLETES_AND_CHAINS, COMPLETES_AND_RELEASES };

static enum completion completion_type(const struct session *s)
{
    static const struct {
        const char *value;
        enum completion completion;
    } values[] = {
        { "1", COMPLETES_AND_CHAINS },     { "chain", COMPLETES_AND_CHAINS },
        { "'chain'", COMPLETES_AND_CHAINS }, { "2", COMPLETES_AND_RELEASES },
        { "release", COMPLETES_AND_RELEASES }, { "'release'", COMPLETES_AND_RELEASES },
    };
    struct slice value = slice_cstr(vars_value(&s->vars, VAR_COMPLETION));
    for (size_t i = 0; value.data && i < sizeof values / sizeof *values; i++)
        if (slice_ieq_cstr(value, values[i].value))
            return values[i].completion;
    return COMPLETES;
}

/* Chaining and releasing is done here, whatever completion_type is on the backend. */
static bool may_chain(const struct session *s)
{
    return vars_value(&s->vars, VAR_COMPLETION) && !session_on_vitess(s);
}

struct slice session_commit_text(const struct session *s)
{
    return may_chain(s) ? SLICE_LIT("COMMIT AND NO CHAIN NO RELEASE") : SLICE_LIT("COMMIT");
}

struct slice session_rollback_text(const struct session *s)
{
    return may_chain(s) ? SLICE_LIT("ROLLBACK AND NO CHAIN NO RELEASE") : SLICE_LIT("ROLLBACK");
}

/* ---- BEGIN ---- */

const char *session_begin_text(struct session *s)
{
    const char *access = s->begun.access ? access_words(s->begun.access) : "";
    if (!s->begun.snapshot && !s->begun.access)
        return "BEGIN";
    return arena_printf(&s->worker->arena, "START TRANSACTION %s%s%s",
                        s->begun.snapshot ? "WITH CONSISTENT SNAPSHOT" : "",
                        s->begun.snapshot && s->begun.access ? ", " : "", access);
}

uint16_t session_pending_status(const struct session *s)
{
    const char *of_session = vars_value(&s->vars, VAR_READ_ONLY);
    bool read_only = s->begun.access == ACCESS_READ_ONLY ||
                     (s->begun.access == ACCESS_OF_SESSION && of_session &&
                      strcmp(of_session, "1") == 0);
    if (!s->begin_pending)
        return 0;
    return STATUS_IN_TRANS | (read_only ? STATUS_IN_TRANS_READONLY : 0);
}

/* MySQL forgets what was set for a transaction at COMMIT and ROLLBACK, but not when BEGIN commits
 * it; MariaDB forgets it then, too. */
static void note_begun(struct session *s, uint32_t flags)
{
    bool kept = in_transaction(s) && s->worker->dialect.flavour == FLAVOUR_MYSQL;
    if (!kept)
        s->begun = s->next;
    s->next = (struct characteristics){ 0 };
    s->begun.snapshot = (flags & NODE_F_SNAPSHOT) != 0;
    if (access_of(flags))
        s->begun.access = (uint8_t)access_of(flags);
}

/* Opens what is pending on the shard of the session's one tenant. */
static void begin_now(struct session *s)
{
    struct route r;
    struct err e;
    if (session_route_silent(s, &r, &e) != ROUTE_OK || r.verdict != VERDICT_SINGLE) {
        s->begin_pending = false;
        session_refuse_text(s, MQ_TENANT_MISSING,
               "WITH CONSISTENT SNAPSHOT needs a shard at once, and nothing tells the tenant");
        return;
    }
    request_begin(s, END_BEGUN);
    s->request.transactional = true;
    s->request.shard = r.shard;
    session_remember_tenant(s, &r);
    session_run_request(s);
}

void session_begin(struct session *s, const struct template *t)
{
    note_begun(s, t->flags);
    session_savepoints_forget(s);
    if (s->pinned) { /* BEGIN inside a transaction commits it */
        session_end_branches(s, END_REBEGIN, true);
        return;
    }
    s->begin_pending = true;
    if (s->begun.snapshot)
        begin_now(s);
    else
        session_done_ok(s);
}

/* The COMMIT before a BEGIN is done. */
void session_begin_again(struct session *s)
{
    s->begin_pending = true;
    if (s->begun.snapshot)
        begin_now(s);
    else
        session_done_ok(s);
}

/* ---- COMMIT, ROLLBACK ---- */

void session_forget_transaction(struct session *s)
{
    s->begin_pending = false;
    s->next = s->begun = (struct characteristics){ 0 };
    session_savepoints_forget(s);
}

static bool chains(const struct session *s, uint32_t flags)
{
    return (flags & NODE_F_CHAIN) ||
           (completion_type(s) == COMPLETES_AND_CHAINS && !(flags & NODE_F_NO_CHAIN));
}

static bool releases(const struct session *s, uint32_t flags)
{
    return (flags & NODE_F_RELEASE) ||
           (completion_type(s) == COMPLETES_AND_RELEASES && !(flags & NODE_F_NO_RELEASE));
}

void session_end_transaction(struct session *s, const struct template *t)
{
    bool chained = chains(s, t->flags), released = releases(s, t->flags), pinned = s->pinned;
    struct characteristics begun = in_transaction(s) ? s->begun : s->next;
    begun.snapshot = false;
    session_forget_transaction(s);
    if (chained)
        s->begun = begun;
    if (pinned) {
        uint8_t end = chained ? END_REBEGIN : released ? END_RELEASED : END_RELAYED;
        session_end_branches(s, end, t->local == LOCAL_COMMIT);
        return;
    }
    s->close_after_flush = released;
    s->begin_pending = chained;
    session_done_ok(s);
}

/* ---- savepoints ---- */

static void refuse_savepoint(struct session *s, struct slice name)
{
    struct err e;
    err_set(&e, MQ_SAVEPOINT_UNKNOWN, "SAVEPOINT %.*s does not exist",
            (int)(name.len > 64 ? 64 : name.len), name.data);
    session_refuse_statement(s, &e);
}

static bool note_savepoint(struct session *s, const struct template *t)
{
    return t->local == LOCAL_SAVEPOINT
               ? session_savepoint_keep(s, t->name)
               : session_savepoint_cut(s, t->name, t->local == LOCAL_RELEASE_SAVEPOINT);
}

/* Before the transaction has a shard they are kept here, and for as long as another one may have
 * to be told of them; outside of one a savepoint is void. */
void session_savepoint(struct session *s, const struct template *t, const struct lexed *lexed)
{
    bool sets = t->local == LOCAL_SAVEPOINT;
    bool open = s->begin_pending || !(s->status & STATUS_AUTOCOMMIT);
    bool kept = s->pinned ? session_is_multi(s) : open;
    bool noted = kept && note_savepoint(s, t);
    if (s->pinned && (noted || !sets || !kept))
        session_run_on_branches(s, END_RELAYED, lexed->text);
    else if (noted || (sets && !kept))
        session_done_ok(s);
    else
        refuse_savepoint(s, t->name);
}
