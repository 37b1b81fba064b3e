/* A statement's way from text to a request: lex, plan (or a plan seen before), route, edit. */
#include "proxy/session_int.h"

#include "base/memory.h"
#include "routing/insert_id.h"

enum { HOLD_LIMIT_MS = 10000 }; /* how long a statement waits for a moving tenant */

/* utf8mb3 has `?` for the characters that it lacks. */
static bool gives_unicode(const struct session *s)
{
    const char *own = vars_value(&s->vars, VAR_RESULTS);
    const char *results = own ? own : vars_value(&s->vars, VAR_NAMES);
    return results && (strstr(results, "utf8mb4") || strstr(results, "binary") ||
                       slice_ieq_cstr(slice_cstr(results), "null"));
}

static const char *unmerged(const struct session *s)
{
    if (vars_value(&s->vars, VAR_SELECT_LIMIT))
        return "sql_select_limit";
    return vars_value(&s->vars, VAR_SORT_LENGTH) ? "max_sort_length" : NULL;
}

struct session_facts session_facts(const struct session *s)
{
    const struct config *config = s->deployment->topology->config;
    const char *chosen = s->tenant ? s->tenant : s->login_tenant;
    return (struct session_facts){
        .scope = {
            .listener = &config->listeners[s->from.listener].tenants,
            .account = s->account ? &s->account->config->tenants : NULL,
            .chosen = slice_cstr(chosen),
            .has_chosen = chosen != NULL,
            .forgotten = s->tenant_forgotten,
        },
        .has_database = s->database != NULL,
        .has_home = s->home != NULL,
        .temporaries = buf_slice(&s->temporaries),
        .elsewhere = s->elsewhere,
        .databases = s->account ? &s->account->config->databases : NULL,
        .administrator = s->account && s->account->config->administrator,
        .other_charset = !vars_unicode(&s->vars),
        .other_results = !gives_unicode(s),
        .unmerged = unmerged(s),
        .workload = session_workload(s),
        .database = slice_cstr(s->database),
        .user = slice_cstr(s->user),
        .unix_socket = s->from.unix_socket,
        .connection_id = s->id,
        .last_insert_id = s->last_insert_id,
        .row_count = s->row_count,
        .found_rows = s->found_rows,
        .warning_count = s->warning_count,
        .error_count = s->error_count,
    };
}

struct dialect session_dialect(const struct session *s)
{
    struct dialect d = s->worker->dialect;
    d.modes = s->modes | (s->tenant_schema ? MODE_TENANT_SCHEMA : 0);
    return d;
}

void session_hold(struct session *s, uint64_t serial)
{
    s->held_serial = serial;
    session_move(s, SESSION_HELD);
}

/* Before a shard was seen nobody can say how its servers read. When none can be reached,
 * the assumed dialect serves: the statement will fail for want of its shard. */
bool session_knows_dialect(struct session *s)
{
    if (s->worker->dialect_known || s->probed)
        return true;
    s->probed = true;
    session_hold(s, 0);
    worker_probe(s->worker);
    return false;
}

/* What the facts are borrowed from is the session's. */
struct routing {
    struct session_facts facts;
    struct dialect dialect;
    struct route_input in;
};

static void prepare_routing(struct session *s, const struct template *t, const struct lexed *lexed,
                            const struct param_value *params, struct routing *ret)
{
    *ret = (struct routing){ .facts = session_facts(s), .dialect = session_dialect(s) };
    ret->in = (struct route_input){
        .template = t,
        .lexed = lexed,
        .dialect = &ret->dialect,
        .facts = &ret->facts,
        .params = params,
        .topology = s->deployment->topology,
        .tenants = s->worker->tenants,
        .now_ms = s->worker->now_ms,
    };
}

enum route_outcome session_try_route(struct session *s, const struct template *t,
                                     const struct lexed *lexed, const struct param_value *params,
                                     struct route *ret, struct err *reterr)
{
    struct routing r;
    prepare_routing(s, t, lexed, params, &r);
    r.in.scatters = true;
    return route(&r.in, &s->worker->arena, ret, reterr);
}

enum err_code session_merge_inputs(struct session *s, const struct template *t,
                                   const struct lexed *lexed, const struct param_value *params,
                                   struct merge_inputs *ret, struct err *reterr)
{
    struct routing r;
    prepare_routing(s, t, lexed, params, &r);
    return route_merge_inputs(&r.in, &s->worker->arena, ret, reterr);
}

enum route_outcome session_route_silent(struct session *s, struct route *ret, struct err *reterr)
{
    static const struct template silent = { .verdict = VERDICT_SINGLE };
    static const struct lexed nothing = { 0 };
    struct routing r;
    prepare_routing(s, &silent, &nothing, NULL, &r);
    return route(&r.in, &s->worker->arena, ret, reterr);
}

/* The number of the route's shard in the deployment under which the transaction began. */
static enum err_code find_shard(const struct session *s, struct route *r, struct err *reterr)
{
    const struct topology *t = s->deployment->topology;
    const char *name = s->worker->deployment->topology->shards[r->shard].config->name;
    for (uint32_t i = 0; i < t->shard_count; i++)
        if (strcmp(t->shards[i].config->name, name) == 0) {
            r->shard = i;
            return MQ_OK;
        }
    return err_set(reterr, MQ_TRANSACTION_TENANT,
                   "tenant '%s' is on shard %s, which was added after the transaction began",
                   r->tenant->name, name);
}

/* A transaction belongs to the tenant of its first routed statement, and to that one's shard,
 * unless configuration lets it be of several.
 * It keeps its deployment, but tenants are placed by the newest, whose numbers may differ. */
static enum err_code check_transaction(const struct session *s, struct route *r,
                                       struct err *reterr)
{
    if (r->verdict != VERDICT_SINGLE)
        return MQ_OK;
    if (session_check_sharded(s, reterr))
        return reterr->code;
    if (!s->pinned)
        return MQ_OK;
    if (session_is_multi(s))
        return find_shard(s, r, reterr);
    uint32_t pinned = s->backend->pool->key.shard;
    const char *there = s->worker->deployment->topology->shards[r->shard].config->name;
    const char *here = s->deployment->topology->shards[pinned].config->name;
    r->shard = pinned;
    if (s->transaction_tenant && strcmp(s->transaction_tenant, r->tenant->name) != 0)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "the transaction is of tenant '%s', the statement of '%s'",
                       s->transaction_tenant, r->tenant->name);
    if (strcmp(here, there) != 0)
        return err_set(reterr, MQ_TRANSACTION_TENANT,
                       "the transaction is on shard %s, tenant '%s' on %s", here, r->tenant->name,
                       there);
    return MQ_OK;
}

/* For a tenant that the vindex table did not have: whether it is asked once more. */
static bool await_refresh(struct session *s, struct slice tenant)
{
    struct worker *w = s->worker;
    if (!w->fleet->placement)
        return false;
    if (s->missed)
        misses_note(&w->misses, tenant, w->now_ms);
    if (misses_recent(&w->misses, tenant, w->now_ms))
        return false;
    s->missed = true;
    session_hold(s, placement_refresh(w->fleet->placement));
    return true;
}

bool session_route(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                   const struct param_value *params, struct route *ret, bool *ret_refused)
{
    struct worker *w = s->worker;
    struct err e;
    enum route_outcome outcome = session_try_route(s, entry->template, lexed, params, ret, &e);
    *ret_refused = false;
    if (outcome == ROUTE_TENANT_MISS && await_refresh(s, ret->name))
        return false;
    if (outcome == ROUTE_HOLD) {
        if (!s->hold_until_ms)
            s->hold_until_ms = w->now_ms + HOLD_LIMIT_MS;
        if (w->now_ms < s->hold_until_ms) {
            session_hold(s, w->placement_serial + 1);
            return false;
        }
    }
    if (outcome == ROUTE_OK && check_transaction(s, ret, &e) == MQ_OK &&
        session_check_home(s, entry->template, ret, &e) == MQ_OK)
        return true;
    *ret_refused = true;
    session_refuse_statement(s, &e);
    return true;
}

void session_compose(struct session *s, const struct template *t, const struct lexed *lexed,
                     const struct route *r, uint32_t shard)
{
    struct request *q = &s->request;
    const char *database = s->deployment->topology->shards[shard].config->database;
    struct session_facts facts = session_facts(s);
    uint8_t seq = 0;
    size_t mark = packet_open(&q->bytes);
    write_u8(&q->bytes, COM_QUERY);
    route_text(t, lexed, r->tenant, &facts, database, false, &s->worker->arena, &q->bytes);
    packet_close(&q->bytes, mark, &seq);
}

void session_remember_tenant(struct session *s, const struct route *r)
{
    if (s->transaction_tenant && slice_eq(slice_cstr(s->transaction_tenant), slice_cstr(r->tenant->name)))
        return;
    mem_free(s->transaction_tenant);
    s->transaction_tenant = mem_strdup(r->tenant->name);
}

bool session_uses_rows(const struct template *t)
{
    return t->table || (t->temporary_count && t->temporary == TEMPORARY_USED);
}

/* What uses no rows opens no transaction, but belongs to the one that is open. */
void session_address_single(struct session *s, const struct template *t, const struct route *r)
{
    struct request *q = &s->request;
    q->transactional = session_uses_rows(t) || session_in_transaction(s);
    q->shard = r->shard;
    q->counters = (uint8_t)r->counters;
    q->hides_insert_id = insert_id_may_hide(t, r->counters);
    session_remember_tenant(s, r);
    s->last_table = t->table;
    s->last_separator = t->key_separator;
}

static void run_single(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                       const struct route *r)
{
    request_begin(s, END_RELAYED);
    s->request.entry = plan_entry_acquire(entry);
    session_address_single(s, entry->template, r);
    session_compose(s, entry->template, lexed, r, r->shard);
    session_run_request(s);
}

static void run_pass(struct session *s, struct plan_entry *entry, const struct lexed *lexed,
                     const struct route *r)
{
    request_begin(s, END_RELAYED);
    s->request.entry = plan_entry_acquire(entry);
    session_compose(s, entry->template, lexed, r, 0);
    session_run_passed(s);
}

static void run_unsharded(struct session *s, struct plan_entry *entry, const struct lexed *lexed)
{
    static const struct route nowhere = { .verdict = VERDICT_UNSHARDED };
    if (!session_address_unsharded(s, entry, session_server_database(s)))
        return;
    s->last_table = NULL;
    session_compose(s, entry->template, lexed, &nowhere, s->request.shard);
    session_run_request(s);
}

void session_run_every_shard(struct session *s, struct plan_entry *entry)
{
    static const struct route nowhere = { .verdict = VERDICT_EVERY_SHARD };
    request_begin(s, END_SHARD);
    s->request.entry = plan_entry_acquire(entry);
    s->request.swallow = true;
    s->request.shard = s->next_shard;
    session_compose(s, entry->template, &entry->lexed, &nowhere, s->next_shard);
    session_run_request(s);
}

void session_begin_every_shard(struct session *s, struct plan_entry *entry)
{
    s->next_shard = 0;
    session_forget_transaction(s);
    if (!s->pinned) {
        session_run_every_shard(s, entry);
        return;
    }
    s->deferred = plan_entry_acquire(entry);
    session_end_branches(s, END_COMMITTED_FIRST, true);
}

static bool run(struct session *s, struct plan_entry *entry, const struct lexed *lexed)
{
    const struct template *t = entry->template;
    struct route r = { .verdict = t->verdict };
    bool refused;
    if (t->verdict == VERDICT_REJECT) {
        session_refuse_statement(s, t->reject);
        return true;
    }
    if (!session_knows(s, entry, lexed, &refused))
        return false;
    if (refused)
        return true;
    if (t->verdict == VERDICT_LOCAL) {
        session_local(s, entry, lexed, NULL);
        return true;
    }
    if (!session_route(s, entry, lexed, NULL, &r, &refused))
        return false;
    if (refused)
        return true;
    if (r.verdict == VERDICT_SINGLE)
        run_single(s, entry, lexed, &r);
    else if (r.verdict == VERDICT_TENANTS)
        session_run_tenants(s, entry, lexed, NULL, &r, NULL, NULL);
    else if (r.verdict == VERDICT_UNSHARDED)
        run_unsharded(s, entry, lexed);
    else if (r.verdict == VERDICT_PASS)
        run_pass(s, entry, lexed, &r);
    else
        session_begin_every_shard(s, entry);
    return true;
}

/* `?` means something in a prepared statement only. */
static bool refuse_params(const struct lexed *lexed, struct err *reterr)
{
    for (uint32_t i = 0; lexed->params && i < lexed->count; i++)
        if (lexed->tokens[i].kind == TOKEN_PARAM)
            return err_set(reterr, MQ_SYNTAX, "a parameter outside a prepared statement near '?' at position %u",
                           lexed->tokens[i].start + 1);
    return false;
}

enum err_code session_read_statement(struct session *s, struct slice text, struct lexed *ret,
                                     struct slice *ret_rest, struct err *reterr)
{
    struct dialect dialect = session_dialect(s);
    struct arena *arena = &s->worker->arena;
    *ret_rest = slice_of("", 0);
    if (!(s->capabilities & CAP_MULTI_STATEMENTS))
        return lex(text, &dialect, arena, ret, reterr);
    enum err_code code = lex_first(text, &dialect, arena, ret, ret_rest, reterr);
    if (code || !ret_rest->len || !s->deployment->topology->has_unsharded ||
        !plan_is_program(ret))
        return code;
    *ret_rest = slice_of("", 0); /* its semicolons are its own */
    return lex(text, &dialect, arena, ret, reterr);
}

/* Tokens and plan of the first statement, and what follows it; NULL when it cannot be read. */
static struct plan_entry *understand(struct session *s, struct slice text, struct lexed *ret,
                                     struct slice *ret_rest, struct err *reterr)
{
    struct worker *w = s->worker;
    struct topology *topology = s->deployment->topology;
    struct dialect dialect = session_dialect(s);
    struct plan_entry *entry =
        plan_cache_find_text(w->plans, topology, &dialect, text, &w->arena, ret);
    *ret_rest = slice_of("", 0);
    if (entry)
        return entry;
    if (session_read_statement(s, text, ret, ret_rest, reterr))
        return NULL;
    if (!topology->has_unsharded && refuse_params(ret, reterr)) /* else it says so itself */
        return NULL;
    return plan_cache_get(w->plans, topology, &dialect, ret, false);
}

/* Runs the first statement of a text. False: it has to be run again later. */
static bool run_first(struct session *s, struct slice text)
{
    struct lexed lexed;
    struct slice rest;
    struct err e;
    struct plan_entry *entry = understand(s, text, &lexed, &rest, &e);
    if (!session_knows_itself(s, entry ? entry->template : NULL)) {
        plan_entry_release(entry);
        return false;
    }
    if (!entry) {
        session_refuse_statement(s, &e);
        return true;
    }
    session_script_follow(s, text, rest);
    s->statement = &lexed;
    bool done = run(s, entry, &lexed);
    plan_entry_release(entry);
    return done;
}

struct slice session_trim_text(struct slice text)
{
    text = slice_trim(text);
    while (text.len && text.data[text.len - 1] == ';')
        text = slice_trim(slice_of(text.data, text.len - 1));
    return text;
}

/* A script keeps its text itself. */
bool session_query(struct session *s, struct slice text)
{
    return session_knows_dialect(s) &&
           (run_first(s, session_trim_text(text)) || session_has_script(s));
}

void session_next_statement(struct session *s)
{
    if (!session_may_go_on(s, true))
        return;
    s->worker->statements++;
    (void)run_first(s, session_script_statement(s));
}
