/* What accounts and tenants may have under way, each over all workers:
 *
 *   a connection     from its login to its end, or its next login
 *   a statement or   from before its backend is asked for until that is given back; a
 *   a transaction    transaction that had to wait for each statement would wait with its locks
 *
 * A statement for several tenants takes a share of each, all at once: two that held some of them
 * and lacked others could wait for each other.
 *
 * Who finds no share waits in the worker's line, first come first served, at most as long as for
 * a backend. Shares that other workers give back are seen at the next tick. */
#include "proxy/session_int.h"

#include "base/memory.h"

static void give(struct quotas *q, char **name)
{
    if (*name)
        quotas_give(q, slice_cstr(*name));
    mem_free(*name);
    *name = NULL;
}

/* A limit of 0 is none. */
static bool take(struct quotas *q, const char *name, uint32_t most, char **ret_taken)
{
    if (most == 0 || !name)
        return true;
    if (!quotas_take(q, slice_cstr(name), most))
        return false;
    *ret_taken = mem_strdup(name);
    return true;
}

/* ---- connections ---- */

void session_leave_account(struct session *s)
{
    give(&s->worker->fleet->account_connections, &s->shares.connection);
}

enum err_code session_join_account(struct session *s, struct err *reterr)
{
    uint32_t most = s->account->config->max_connections;
    session_leave_account(s);
    if (take(&s->worker->fleet->account_connections, s->user, most, &s->shares.connection))
        return MQ_OK;
    return err_set(reterr, MQ_ACCOUNT_CONNECTIONS,
                   "User '%.80s' has exceeded the 'max_user_connections' resource (current value: %u)",
                   s->user, most);
}

/* ---- statements for several tenants ---- */

struct tenant_shares {
    bool taken;
    size_t count;
    char *text;
    struct slice names[]; /* in it */
};

static void forget_tenants(struct session *s)
{
    struct tenant_shares *t = s->shares.tenants;
    s->shares.tenants = NULL;
    if (t)
        mem_free(t->text);
    mem_free(t);
}

static size_t count_tenants(const struct route *r, size_t *ret_bytes)
{
    size_t n = 0;
    *ret_bytes = 0;
    for (size_t i = 0; i < r->part_count; i++)
        for (size_t j = 0; j < r->parts[i].tenant_count; j++, n++)
            *ret_bytes += strlen(r->parts[i].tenants[j]->name);
    return n;
}

static struct slice copy_name(const char *name, char **text)
{
    struct slice copy = slice_of(memcpy(*text, name, strlen(name)), strlen(name));
    *text += copy.len;
    return copy;
}

void session_want_shares(struct session *s, const struct route *r)
{
    size_t bytes, count = count_tenants(r, &bytes);
    forget_tenants(s);
    if (s->deployment->topology->config->limits.tenant_concurrency == 0)
        return;
    struct tenant_shares *t = mem_zalloc(sizeof *t + count * sizeof *t->names);
    char *text = t->text = mem_array(bytes, 1);
    for (size_t i = 0; i < r->part_count; i++)
        for (size_t j = 0; j < r->parts[i].tenant_count; j++)
            t->names[t->count++] = copy_name(r->parts[i].tenants[j]->name, &text);
    s->shares.tenants = t;
}

static bool take_tenants(struct session *s, uint32_t most)
{
    struct tenant_shares *t = s->shares.tenants;
    struct quotas *q = &s->worker->fleet->tenant_statements;
    if (!t->taken && most)
        t->taken = quotas_take_all(q, t->names, t->count, most);
    return t->taken || !most;
}

static void give_tenants(struct session *s)
{
    struct tenant_shares *t = s->shares.tenants;
    for (size_t i = 0; t && t->taken && i < t->count; i++)
        quotas_give(&s->worker->fleet->tenant_statements, t->names[i]);
    if (t)
        t->taken = false;
}

/* ---- statements ---- */

static const char *tenant_of(const struct session *s)
{
    bool tenants = s->request.transactional && !session_targets_unsharded(s);
    return tenants ? s->transaction_tenant : NULL;
}

static bool take_shares(struct session *s)
{
    struct fleet *fleet = s->worker->fleet;
    uint32_t account_most = s->account->config->concurrency;
    uint32_t tenant_most = s->deployment->topology->config->limits.tenant_concurrency;
    if (!s->shares.account &&
        !take(&fleet->account_statements, s->user, account_most, &s->shares.account))
        return false;
    if (s->shares.tenants)
        return take_tenants(s, tenant_most);
    return s->shares.tenant ||
           take(&fleet->tenant_statements, tenant_of(s), tenant_most, &s->shares.tenant);
}

static void give_shares(struct session *s)
{
    give(&s->worker->fleet->account_statements, &s->shares.account);
    give(&s->worker->fleet->tenant_statements, &s->shares.tenant);
    give_tenants(s);
}

/* All or none: half of what it needs would be kept from others. */
static bool take_all_shares(struct session *s)
{
    bool all = take_shares(s);
    if (!all)
        give_shares(s);
    return all;
}

bool session_take_shares(struct session *s)
{
    if (s->is_part || take_all_shares(s))
        return true;
    if (s->state != SESSION_WAITING)
        session_move(s, SESSION_WAITING);
    list_append(&s->worker->line, &s->wait);
    return false;
}

void session_give_shares(struct session *s)
{
    if (!s->shares.account && !s->shares.tenant && !s->shares.tenants)
        return;
    give_shares(s);
    forget_tenants(s);
    if (!list_empty(&s->worker->line))
        worker_clean_later(s->worker);
}

static void wait_ran_out(struct session *s)
{
    struct err e;
    const char *tenant = s->shares.tenants ? "" : tenant_of(s);
    err_set(&e, MQ_CONCURRENCY,
            "as many statements of account '%.80s' or of %s '%.80s' are under way as they may have",
            s->user, s->shares.tenants ? "one of the tenants" : "tenant", tenant ? tenant : "");
    session_fail_request(s, &e);
}

void session_try_line(struct session *s)
{
    bool free = take_all_shares(s);
    if (!free && session_wait_deadline_ms(s) > s->worker->now_ms)
        return;
    list_remove(&s->wait);
    if (free)
        session_run_request(s);
    else
        wait_ran_out(s);
}
