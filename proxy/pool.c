#include "proxy/pool.h"

#include "base/check.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "proxy/pool_kill.h"
#include "proxy/primary.h"
#include "proxy/resolver.h"
#include "proxy/session.h"

enum {
    LOOKED_AT = 8,       /* idle backends that are compared with the session's state */
    TRUSTED_MS = 200,    /* idle for longer: look whether it died before it is used */
    LEAST_PAUSE_MS = 500, /* between attempts to reach a shard that is down: doubled each time */
    LONGEST_PAUSE_MS = 4000,
    MOST_OPENING = 8,    /* connections at a time: no storm when a shard comes back */
};

struct pool *pool_get(struct worker *w, struct deployment *d, const struct account *account,
                      uint32_t shard, uint32_t flags, uint32_t workload)
{
    struct pool_key key = { .shard = shard, .account = account->backend, .flags = flags,
                            .workload = workload, .deployment = d };
    struct pool *p;
    HASH_FIND(hh, w->pools, &key, sizeof key, p);
    if (p)
        return p;
    p = mem_new(struct pool);
    p->key = key;
    p->worker = w;
    p->deployment = deployment_acquire(d);
    p->retired = d != w->deployment; /* a transaction outlived the reload */
    p->credentials = &d->topology->config->accounts[account->backend].backend;
    list_init(&p->idle);
    list_init(&p->busy);
    list_init(&p->opening);
    list_init(&p->errands);
    list_init(&p->waiters);
    list_init(&p->kills);
    HASH_ADD(hh, w->pools, key, sizeof p->key, p);
    return p;
}

static uint32_t silence_ms(const struct pool *p)
{
    return p->deployment->topology->config->pool.silence_timeout_ms;
}

struct endpoint *pool_endpoint(const struct pool *p)
{
    return &p->deployment->endpoints[p->key.shard];
}

void pool_defaults_changed(struct pool *p)
{
    atomic_fetch_add(&pool_endpoint(p)->defaults, 1);
}

bool pool_knows_defaults(const struct backend *b)
{
    return b->defaults == atomic_load(&pool_endpoint(b->pool)->defaults);
}

static unsigned most_places(const struct pool *p)
{
    const struct topology *t = p->deployment->topology;
    return p->key.shard < t->shard_count ? t->config->pool.max_per_shard
                                         : t->config->unsharded.max_connections;
}

/* Takes one of the shard's places over all workers. */
static bool take_place(struct pool *p)
{
    unsigned max = most_places(p);
    if (atomic_fetch_add(&pool_endpoint(p)->open, 1) < max)
        return true;
    atomic_fetch_sub(&pool_endpoint(p)->open, 1);
    return false;
}

static void give_back_place(struct deployment *d, uint32_t shard)
{
    atomic_fetch_sub(&d->endpoints[shard].open, 1);
}

static uint32_t count(const struct list *list)
{
    uint32_t n = 0;
    for (const struct list *node = list->next; node != list; node = node->next)
        n++;
    return n;
}

static bool is_starved(const struct pool *p)
{
    return p->waiting > count(&p->opening);
}

/* What the name stood for may have changed. */
static void ask_for_addresses(struct pool *p)
{
    struct endpoint *e = pool_endpoint(p);
    resolver_ask(p->worker->fleet->resolver, p->deployment, &e->hosts[atomic_load(&e->primary)]);
}

/* Opens a connection on a place that was taken for it. False with reterr if that failed. */
static bool open_on_place_for(struct pool *p, struct session *s, const struct backend_login *login,
                              struct err *reterr, struct backend **ret)
{
    *ret = backend_open(p, atomic_load(&pool_endpoint(p)->primary), s, login, reterr);
    if (!*ret) {
        ask_for_addresses(p);
        give_back_place(p->deployment, p->key.shard);
        return false;
    }
    list_append(&p->opening, &(*ret)->node);
    p->size++;
    return true;
}

static bool open_on_place(struct pool *p, struct err *reterr, struct backend **ret)
{
    return open_on_place_for(p, NULL, NULL, reterr, ret);
}

static bool same_shard(const struct pool *p, const struct deployment *d, uint32_t shard)
{
    return p->key.shard == shard && p->key.deployment == d;
}

/* The backend goes, its place passes to who asked for it. */
static void give_place(struct pool *p, struct backend *b, struct worker *asker)
{
    p->owed_to = NULL;
    atomic_fetch_add(&pool_endpoint(p)->open, 1); /* so that the place outlives the backend */
    backend_kill(b);
    if (asker == p->worker)
        pool_accept_place(asker, p->deployment, p->key.shard);
    else
        worker_give_place(asker, p->deployment, p->key.shard);
}

void pool_yield_place(struct worker *w, const struct pool *asking, struct deployment *d,
                      uint32_t shard, struct worker *asker)
{
    struct pool *largest = NULL;
    for (struct pool *p = w->pools; p; p = p->hh.next) {
        struct list *idle = list_last(&p->idle);
        if (p == asking || !same_shard(p, d, shard) || p->size == 0)
            continue;
        if (idle) {
            give_place(p, LIST_ENTRY(idle, struct backend, node), asker);
            return;
        }
        if (!largest || p->size > largest->size)
            largest = p;
    }
    if (largest)
        largest->owed_to = asker;
}

void pool_accept_place(struct worker *w, struct deployment *d, uint32_t shard)
{
    struct pool *smallest = NULL;
    for (struct pool *p = w->pools; p; p = p->hh.next)
        if (same_shard(p, d, shard) && is_starved(p) && (!smallest || p->size < smallest->size))
            smallest = p;
    struct err ignored;
    struct backend *b;
    if (smallest)
        (void)open_on_place(smallest, &ignored, &b);
    else
        give_back_place(d, shard);
}

/* All places are taken: every other pool of the shard, here and on other workers, is asked
 * for one; who has none idle gives the next that becomes free, so that nobody starves. */
static void ask_for_place(struct pool *p)
{
    struct worker *w = p->worker;
    if (p->asked_ms && w->now_ms - p->asked_ms < TICK_MS)
        return;
    p->asked_ms = w->now_ms;
    pool_yield_place(w, p, p->deployment, p->key.shard, w);
    for (uint32_t i = 0; i < w->fleet->worker_count; i++)
        if (&w->fleet->workers[i] != w)
            worker_ask_place(&w->fleet->workers[i], p->deployment, p->key.shard, w);
}

/* Opens a connection if one more is wanted and allowed. False with reterr if that failed. */
static bool grow(struct pool *p, struct err *reterr)
{
    struct backend *b;
    if (!is_starved(p) || atomic_load(&pool_endpoint(p)->fault) || count(&p->opening) >= MOST_OPENING)
        return true;
    if (take_place(p))
        return open_on_place(p, reterr, &b);
    ask_for_place(p);
    return true;
}

bool pool_open_probe(struct pool *p)
{
    struct err ignored;
    struct backend *b;
    if (atomic_load(&pool_endpoint(p)->fault)) {
        primary_search(p);
        p->search.for_probe = p->search.left > 0;
        return p->search.for_probe;
    }
    if (!take_place(p) || !open_on_place(p, &ignored, &b))
        return false;
    b->probe_only = true;
    return true;
}

static struct backend *open_errand(struct pool *p, uint32_t host, const char *statement)
{
    struct err ignored;
    struct backend *b = backend_open(p, host, NULL, NULL, &ignored);
    if (b) {
        b->errand = mem_strdup(statement);
        list_append(&p->errands, &b->node);
    }
    return b;
}

/* Its answer does not matter, but that there is one. */
static bool run_errand(struct pool *p, uint32_t host, const char *statement)
{
    return open_errand(p, host, statement) != NULL;
}

bool pool_ask_role(struct pool *p, uint32_t host)
{
    static const char of_server[] =
        "SELECT CONCAT(@@global.read_only, ',', @@global.innodb_read_only)";
    static const char of_vtgate[] = "SELECT '0,0'"; /* it answers this itself */
    struct backend *b = open_errand(p, host, pool_is_vitess(p) ? of_vtgate : of_server);
    if (b)
        b->asks_role = true;
    else
        resolver_ask(p->worker->fleet->resolver, p->deployment, &pool_endpoint(p)->hosts[host]);
    return b != NULL;
}

/* Killing must not wait for what is to be killed. */
bool pool_open_killer(struct pool *p, uint32_t host, struct err *reterr)
{
    p->killer = backend_open(p, host, NULL, NULL, reterr);
    if (p->killer)
        list_append(&p->errands, &p->killer->node);
    return p->killer != NULL;
}

const char *pool_shard_name(const struct pool *p)
{
    return p->deployment->topology->shards[p->key.shard].config->name;
}

bool pool_is_vitess(const struct pool *p)
{
    const struct topology *t = p->deployment->topology;
    return config_is_vitess(t->config) && p->key.shard < t->shard_count;
}

struct backend *pool_open_exclusive(struct pool *p, struct session *s,
                                    const struct backend_login *login, struct err *reterr)
{
    struct backend *b = NULL;
    if (take_place(p))
        (void)open_on_place_for(p, s, login, reterr, &b);
    else
        err_set(reterr, MQ_TOO_MANY_CONNECTIONS, "all %u connections to the server are in use",
                p->deployment->topology->config->pool.max_per_shard);
    return b;
}

/* Of the primary, and with the defaults that a client's own connection would begin with. */
static bool is_current(const struct backend *b)
{
    return b->host_number == atomic_load(&pool_endpoint(b->pool)->primary) &&
           pool_knows_defaults(b);
}

/* Idle for long, it may have died meanwhile, or it is no longer current; then it is closed. */
static bool is_alive(struct pool *p, struct backend *b)
{
    if (!is_current(b)) {
        backend_kill(b);
        return false;
    }
    if (p->worker->now_ms - b->idle_since_ms <= TRUSTED_MS || !io_peek_readable(b->io))
        return true;
    backend_kill(b);
    return false;
}

/* 0: as good as any. Bringing it in line costs a round trip; taking what another session may
 * still ask for costs that one an answer. */
static int reluctance(const struct backend *b, const struct session *s)
{
    bool differs = !vars_eq(&b->vars, session_vars(s));
    bool asked = (b->told && b->told != s) || (b->id_for && b->id_for != s) ||
                 (b->found_for && b->found_for != s);
    return 2 * differs + asked;
}

/* The one used last, but of those that hold warnings the one used first. */
static struct backend *pick_idle(struct pool *p, const struct session *s)
{
    struct backend *best = NULL, *unfit = NULL;
    int looked = 0, least = 4;
    LIST_EACH (&p->idle, node, following) {
        struct backend *b = LIST_ENTRY(node, struct backend, node);
        if (!is_alive(p, b))
            continue;
        if (!backend_suits(b, session_vars(s))) {
            unfit = b;
            continue;
        }
        int r = reluctance(b, s);
        if (r < least || (r == least && (r & 1))) {
            best = b;
            least = r;
        }
        if (!least || ++looked == LOOKED_AT)
            break;
    }
    if (!best && unfit && atomic_load(&pool_endpoint(p)->open) >= most_places(p))
        backend_kill(unfit); /* which makes room for another */
    return best;
}

/* Nobody borrows from a pool where sessions have backends of their own. */
static bool lends(const struct pool *p)
{
    return p->deployment->topology->config->enforcement == ENFORCE;
}

static void lend(struct pool *p, struct backend *b, struct session *s)
{
    backend_forget_left(b, s);
    list_remove(&b->node);
    list_append(&p->busy, &b->node);
    backend_move(b, BACKEND_BUSY);
    b->session = s;
}

static void wait_for_one(struct pool *p, struct session *s)
{
    list_append(&p->waiters, session_wait_node(s));
    p->waiting++;
}

/* The next attempt comes later than this one did; sidecars that failed together do not try
 * again together. */
static void attempt_failed(struct pool *p, const struct err *reason)
{
    uint32_t pause = p->pause_ms * 2;
    if (pause < LEAST_PAUSE_MS)
        pause = LEAST_PAUSE_MS;
    if (pause > LONGEST_PAUSE_MS)
        pause = LONGEST_PAUSE_MS;
    p->pause_ms = pause;
    p->failed_ms = p->worker->now_ms;
    p->retry_ms = p->failed_ms + pause + random_u32() % (pause / 4);
    p->last_error = *reason;
    p->down = p->down || p->size == 0;
}

static void lives(struct pool *p)
{
    p->down = false;
    p->pause_ms = 0;
    p->retry_ms = 0;
}

void pool_reached(struct pool *p)
{
    p->trusted_ms = p->worker->now_ms;
    lives(p);
    atomic_store(&pool_endpoint(p)->reached_ms, p->worker->now_ms);
}

/* Other pools, of other workers too, may have found it first. */
static bool is_down(struct pool *p)
{
    if (p->down && atomic_load(&pool_endpoint(p)->reached_ms) > p->failed_ms)
        lives(p);
    return p->down;
}

/* False with reterr when there is no primary. Else it is known (MQ_OK in *ret_fault) or asked for.
 * A search may end at once, so nobody may wait for it before it has begun. */
static bool may_have_primary(struct pool *p, enum err_code *ret_fault, struct err *reterr)
{
    *ret_fault = primary_fault(p, reterr);
    if (*ret_fault == MQ_INTERNAL) {
        primary_search(p);
        *ret_fault = primary_fault(p, reterr);
    }
    return *ret_fault == MQ_OK || *ret_fault == MQ_INTERNAL;
}

/* The session waits for a connection, unless none can even be begun: then false with reterr. */
static bool wait_for_connection(struct pool *p, struct session *s, struct err *reterr)
{
    enum err_code fault;
    wait_for_one(p, s);
    if (grow(p, reterr) || p->size > 0)
        return true;
    pool_forget_waiter(s);
    if (!primary_suspect(p)) {
        attempt_failed(p, reterr);
        return false;
    }
    bool waits = may_have_primary(p, &fault, reterr);
    if (waits)
        wait_for_one(p, s);
    return waits;
}

struct backend *pool_checkout(struct pool *p, struct session *s, struct err *reterr)
{
    enum err_code fault;
    if (!may_have_primary(p, &fault, reterr))
        return NULL;
    struct backend *b = !fault && list_empty(&p->waiters) ? pick_idle(p, s) : NULL;
    if (b) {
        lend(p, b, s);
        return b;
    }
    if (is_down(p))
        *reterr = p->last_error;
    else if (wait_for_connection(p, s, reterr))
        reterr->code = MQ_OK;
    return NULL;
}

bool pool_makes_wait(const struct pool *p)
{
    return count(&p->opening) < p->waiting;
}

bool pool_checkout_again(struct backend *b, struct session *s)
{
    if (!is_alive(b->pool, b))
        return false;
    lend(b->pool, b, s);
    return true;
}

void pool_forget_waiter(struct session *s)
{
    struct list *node = session_wait_node(s);
    struct pool *p = session_waits_for(s);
    if (!p || list_empty(node))
        return;
    list_remove(node);
    p->waiting--;
}

/* Gives a free backend to whoever waits longest. */
static void serve(struct pool *p, struct backend *b)
{
    if (p->owed_to) {
        give_place(p, b, p->owed_to);
        return;
    }
    struct list *node = list_first(&p->waiters);
    if (!node) {
        b->idle_since_ms = p->worker->now_ms;
        list_remove(&b->node);
        list_prepend(&p->idle, &b->node);
        return;
    }
    struct session *s = session_of_wait_node(node);
    list_remove(node);
    p->waiting--;
    lend(p, b, s);
    session_on_backend(s, b);
}

void pool_on_ready(struct pool *p, struct backend *b)
{
    struct err ignored;
    if (b->asks_role) {
        b->asks_role = false;
        primary_heard(p, b->host_number, b->writable);
    }
    if (b->errand) {
        backend_kill(b);
        return;
    }
    if (b == p->killer) {
        pool_on_killer_ready(p);
    } else if (b->exclusive) {
        lend(p, b, b->session);
        session_on_backend(b->session, b);
    } else if ((p->retired && !p->waiting) || p->worker->stopping || !lends(p) ||
               !is_current(b)) {
        backend_kill(b);
    } else {
        serve(p, b);
        (void)grow(p, &ignored);
    }
}

static void fail_waiters(struct pool *p, const struct err *reason)
{
    struct list failed;
    list_init(&failed);
    while (!list_empty(&p->waiters)) {
        struct list *node = list_first(&p->waiters);
        list_remove(node);
        list_append(&failed, node);
    }
    p->waiting = 0;
    while (!list_empty(&failed)) {
        struct list *node = list_first(&failed);
        list_remove(node);
        session_on_no_backend(session_of_wait_node(node), reason);
    }
}

/* Something was asked of it, and for long it has not said a word. */
static bool is_silent(const struct backend *b)
{
    bool asked = b->session && session_uses(b->session, b); /* not only kept, for a cursor */
    uint64_t since = asked ? session_asked_ms(b->session) : 0;
    if (since == 0)
        return false;
    if (b->heard_ms > since)
        since = b->heard_ms;
    return b->worker->now_ms - since >= silence_ms(b->pool);
}

/* What was idle cannot be trusted; the statements under way have waited long enough. */
static void shard_is_dead(struct pool *p, const struct err *reason)
{
    struct err told = *reason;
    while (pool_close_one_idle(p))
        ;
    p->down = !primary_suspect(p);
    LIST_EACH (&p->busy, node, following) {
        struct backend *b = LIST_ENTRY(node, struct backend, node);
        if (is_silent(b))
            backend_lose(b, MQ_SHARD_LOST, "it has been silent for pool.silence_timeout, and takes no other connection");
    }
    if (p->down)
        fail_waiters(p, &told);
}

/* It has answered, if only that it takes no more connections. */
static void errand_ended(struct pool *p, const struct backend *b, const struct err *reason)
{
    if (!reason || p->worker->stopping)
        return;
    if (b->asks_role) {
        resolver_ask(p->worker->fleet->resolver, p->deployment, b->host);
        primary_heard(p, b->host_number, false);
        return;
    }
    if (p->down || !b->heard_ms)
        attempt_failed(p, reason);
    if (b->heard_ms)
        p->trusted_ms = p->worker->now_ms;
    else
        shard_is_dead(p, reason);
}

/* A backend has been silent for long: another connection is to show whether the shard lives. */
static void doubt(struct pool *p)
{
    struct err e;
    if (!list_empty(&p->errands) || p->worker->now_ms - p->trusted_ms < silence_ms(p))
        return;
    if (!run_errand(p, atomic_load(&pool_endpoint(p)->primary), "DO 1")) {
        err_set(&e, MQ_SHARD_DOWN, "no connection can be made");
        attempt_failed(p, &e);
        shard_is_dead(p, &e);
    }
}

void pool_on_lost(struct pool *p, struct backend *b, const struct err *reason)
{
    bool kills = b == p->killer;
    if (kills)
        pool_on_killer_lost(p, b->host_number);
    if (kills || b->errand) {
        errand_ended(p, b, reason);
        return;
    }
    bool opening = b->state == BACKEND_CONNECTING || b->state == BACKEND_LOGIN ||
                   b->state == BACKEND_PROBE;
    CHECK(p->size > 0);
    p->size--;
    atomic_fetch_sub(&pool_endpoint(p)->open, 1);
    if (opening && reason) {
        ask_for_addresses(p);
        if (primary_suspect(p))
            return;
        attempt_failed(p, reason);
        /* With others at work the wait may still end well. */
        if (p->size == 0)
            fail_waiters(p, reason);
        return;
    }
    struct err ignored;
    if (p->waiting && !p->worker->stopping)
        (void)grow(p, &ignored);
}

void pool_primary_found(struct pool *p)
{
    struct err ignored;
    lives(p);
    LIST_EACH (&p->idle, node, following)
        (void)is_alive(p, LIST_ENTRY(node, struct backend, node));
    for (int i = 0; i < MOST_OPENING && p->waiting; i++)
        (void)grow(p, &ignored);
}

void pool_primary_missing(struct pool *p)
{
    struct err why;
    while (pool_close_one_idle(p))
        ;
    if (primary_fault(p, &why))
        fail_waiters(p, &why);
}

uint32_t pool_close_statements(struct pool *p)
{
    uint32_t count = 0;
    LIST_EACH (&p->idle, node, following)
        count += backend_stmts_close(LIST_ENTRY(node, struct backend, node));
    return count;
}

void pool_retire(struct pool *p)
{
    p->retired = true;
    while (pool_close_one_idle(p))
        ;
}

bool pool_close_one_idle(struct pool *p)
{
    struct list *node = list_last(&p->idle);
    if (!node)
        return false;
    backend_kill(LIST_ENTRY(node, struct backend, node));
    return true;
}

static void tick_opening(struct list *list, uint64_t now_ms)
{
    LIST_EACH (list, node, following) {
        struct backend *b = LIST_ENTRY(node, struct backend, node);
        if (b->deadline_ms && b->deadline_ms <= now_ms)
            backend_expire(b);
    }
}

static void tick_busy(struct pool *p)
{
    bool doubtful = false;
    LIST_EACH (&p->busy, node, following) {
        struct backend *b = LIST_ENTRY(node, struct backend, node);
        doubtful |= is_silent(b);
        if (b->session)
            session_watch_backend(b->session, b);
    }
    if (doubtful)
        doubt(p);
}

/* Another pool may have given a place up, or the shard may be back. */
static void try_again(struct pool *p)
{
    struct err e;
    struct backend *b;
    if (!p->down) {
        (void)grow(p, &e);
        return;
    }
    if (p->retired || !list_empty(&p->opening) || !list_empty(&p->errands))
        return;
    if (!take_place(p))
        (void)run_errand(p, atomic_load(&pool_endpoint(p)->primary), "DO 1");
    else if (!open_on_place(p, &e, &b))
        attempt_failed(p, &e);
}

void pool_tick(struct pool *p)
{
    uint64_t now = p->worker->now_ms;
    uint32_t idle_ms = p->deployment->topology->config->pool.idle_timeout_ms;
    tick_opening(&p->opening, now);
    tick_opening(&p->errands, now);
    tick_opening(&p->busy, now);
    tick_busy(p);
    primary_tick(p);
    LIST_EACH (&p->idle, node, following) {
        struct backend *b = LIST_ENTRY(node, struct backend, node);
        if (now - b->idle_since_ms >= idle_ms)
            backend_kill(b);
    }
    p->owed_to = NULL; /* who still starves asks again */
    if (now >= p->retry_ms)
        try_again(p);
    LIST_EACH (&p->waiters, waiting, following_waiter) {
        struct session *s = session_of_wait_node(waiting);
        if (session_wait_deadline_ms(s) > now)
            continue;
        struct err e;
        err_set(&e, MQ_SHARD_BUSY, "no backend of shard %s became free in time",
                pool_shard_name(p));
        list_remove(waiting);
        p->waiting--;
        session_on_no_backend(s, &e);
    }
}

static void kill_list(struct list *list)
{
    while (!list_empty(list))
        backend_kill(LIST_ENTRY(list_first(list), struct backend, node));
}

void pool_kill_all(struct pool *p)
{
    p->retired = true;
    kill_list(&p->idle);
    kill_list(&p->opening);
    kill_list(&p->errands);
    kill_list(&p->busy);
}

bool pool_empty(const struct pool *p)
{
    return p->size == 0 && p->waiting == 0 && list_empty(&p->errands);
}

void pool_destroy(struct pool *p)
{
    deployment_release(p->deployment);
    mem_free(p);
}
