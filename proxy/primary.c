#include "proxy/primary.h"

#include "base/log.h"

enum {
    UNKNOWN = -1,       /* endpoint->fault: to be searched */
    CHECK_MS = 5000,    /* while there is a primary */
    SEARCH_MS = 1000,   /* while there is none; nothing is suspected more often */
};

static const char *shard_name(const struct pool *p)
{
    return p->deployment->topology->shards[p->key.shard].config->name;
}

enum err_code primary_fault(const struct pool *p, struct err *reterr)
{
    switch (atomic_load(&pool_endpoint(p)->fault)) {
    case MQ_OK:
        return MQ_OK;
    case MQ_SHARD_NO_PRIMARY:
        return err_set(reterr, MQ_SHARD_NO_PRIMARY,
                       "shard %s: none of its servers can be reached and is writable", shard_name(p));
    case MQ_SHARD_TWO_PRIMARIES:
        return err_set(reterr, MQ_SHARD_TWO_PRIMARIES,
                       "shard %s: more than one of its servers is writable", shard_name(p));
    default:
        return MQ_INTERNAL;
    }
}

/* ---- what follows ---- */

static void each_pool(const struct pool *of, void (*visit)(struct pool *p))
{
    for (struct pool *p = of->worker->pools, *following; p; p = following) {
        following = p->hh.next;
        if (p->key.shard == of->key.shard && p->key.deployment == of->key.deployment)
            visit(p);
    }
}

static void settle(struct pool *p, uint32_t host)
{
    struct endpoint *e = pool_endpoint(p);
    const struct address *a = e->hosts[host].address;
    unsigned before = atomic_exchange(&e->primary, host);
    int fault = atomic_exchange(&e->fault, MQ_OK);
    if (before != host || fault > 0)
        log_info("primary", "shard %s: %s:%u is the primary", shard_name(p),
                 a->socket ? a->socket : a->host, a->port);
    each_pool(p, pool_primary_found);
}

static void refuse(struct pool *p, enum err_code fault)
{
    struct err e;
    int before = atomic_exchange(&pool_endpoint(p)->fault, (int)fault);
    if (before != (int)fault && primary_fault(p, &e))
        log_error("primary", "MQ%04d: %s", (int)fault, e.text);
    each_pool(p, pool_primary_missing);
}

/* Any vtgate will do: the one in use, if it lives. */
static uint32_t choose_vtgate(const struct pool *p)
{
    return p->search.current ? atomic_load(&pool_endpoint(p)->primary) : p->search.found;
}

static void decide(struct pool *p)
{
    if (p->search.writable && pool_is_vitess(p))
        settle(p, choose_vtgate(p));
    else if (p->search.writable == 1)
        settle(p, p->search.found);
    else
        refuse(p, p->search.writable ? MQ_SHARD_TWO_PRIMARIES : MQ_SHARD_NO_PRIMARY);
    if (p->search.for_probe)
        worker_probe_ended(p->worker);
    p->search.for_probe = false;
}

/* ---- asking ---- */

void primary_heard(struct pool *p, uint32_t host, bool writable)
{
    if (writable) {
        p->search.writable++;
        p->search.found = host;
        p->search.current |= host == atomic_load(&pool_endpoint(p)->primary);
    }
    if (--p->search.left == 0)
        decide(p);
}

void primary_search(struct pool *p)
{
    struct endpoint *e = pool_endpoint(p);
    if (p->search.left)
        return;
    atomic_store(&e->searched_ms, p->worker->now_ms);
    p->search.writable = 0;
    p->search.current = false;
    p->search.left = e->host_count + 1; /* so that failures at once do not end it early */
    for (uint32_t i = 0; i < e->host_count; i++)
        if (!pool_ask_role(p, i))
            p->search.left--;
    primary_heard(p, 0, false);
}

static bool is_due(const struct pool *p, uint64_t period_ms)
{
    /* another worker's clock may be ahead */
    return p->worker->now_ms >= atomic_load(&pool_endpoint(p)->searched_ms) + period_ms;
}

bool primary_suspect(struct pool *p)
{
    struct endpoint *e = pool_endpoint(p);
    int fine = MQ_OK;
    if (e->host_count < 2)
        return false;
    if (p->search.left)
        return atomic_load(&e->fault) == UNKNOWN;
    if (!is_due(p, SEARCH_MS))
        return false;
    atomic_compare_exchange_strong(&e->fault, &fine, UNKNOWN);
    primary_search(p);
    return true;
}

void primary_tick(struct pool *p)
{
    const struct endpoint *e = pool_endpoint(p);
    if (e->host_count > 1 && !p->retired && is_due(p, atomic_load(&e->fault) ? SEARCH_MS : CHECK_MS))
        primary_search(p);
}
