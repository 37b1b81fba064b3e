/* What accounts and tenants may have under way, each over all workers:
 *
 *   a connection     from its login to its end, or its next login
 *   a statement or   from before its backend is asked for until that is given back; a
 *   a transaction    transaction that had to wait for each statement would wait with its locks
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
    return s->shares.tenant ||
           take(&fleet->tenant_statements, tenant_of(s), tenant_most, &s->shares.tenant);
}

static void give_shares(struct session *s)
{
    give(&s->worker->fleet->account_statements, &s->shares.account);
    give(&s->worker->fleet->tenant_statements, &s->shares.tenant);
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
    if (!s->shares.account && !s->shares.tenant)
        return;
    give_shares(s);
    if (!list_empty(&s->worker->line))
        worker_clean_later(s->worker);
}

static void wait_ran_out(struct session *s)
{
    struct err e;
    err_set(&e, MQ_CONCURRENCY,
            "as many statements of account '%.80s' or of tenant '%.80s' are under way as they may have",
            s->user, tenant_of(s) ? tenant_of(s) : "");
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
