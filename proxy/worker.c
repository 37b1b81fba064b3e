#include "proxy/worker.h"

#include <errno.h>
#include <event2/event.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "proxy/pool.h"
#include "proxy/session.h"

enum {
    PLAN_CACHE_BYTES = 8 << 20,
    SECOND_MS = 1000,
};

/* One that ends gives its backends to others, which may end as well: each leaves whichever list it
 * is on. */
static void each_session(struct worker *w, void (*visit)(struct session *s))
{
    struct list left;
    list_init(&left);
    while (!list_empty(&w->sessions)) {
        struct list *node = list_first(&w->sessions);
        list_remove(node);
        list_append(&left, node);
    }
    while (!list_empty(&left)) {
        struct list *node = list_first(&left);
        list_remove(node);
        list_append(&w->sessions, node);
        visit(session_of_node(node));
    }
}

struct session *worker_find_session(struct worker *w, uint32_t id)
{
    LIST_EACH (&w->sessions, node, following)
        if (session_id(session_of_node(node)) == id)
            return session_of_node(node);
    return NULL;
}

/* ---- the end of a loop turn ---- */

void worker_clean_later(struct worker *w)
{
    event_active(w->on_cleanup, EV_TIMEOUT, 0);
}

/* In the order in which they came. */
static void move_line(struct worker *w)
{
    LIST_EACH (&w->line, node, following)
        session_try_line(session_of_wait_node(node));
}

static void free_dead(struct worker *w)
{
    LIST_EACH (&w->dying, dying, next_dying) {
        list_remove(dying);
        session_free(session_of_node(dying));
    }
    LIST_EACH (&w->dead_backends, dead, next_dead) {
        list_remove(dead);
        backend_free(LIST_ENTRY(dead, struct backend, node));
    }
    for (struct pool *p = w->pools, *following; p; p = following) {
        following = p->hh.next;
        if (p->retired && pool_empty(p)) {
            HASH_DEL(w->pools, p);
            pool_destroy(p);
        }
    }
}

static void on_cleanup(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct worker *w = context;
    struct list now;
    list_init(&now);
    /* Those that become runnable meanwhile have their turn later. */
    while (!list_empty(&w->runnable)) {
        struct list *node = list_first(&w->runnable);
        list_remove(node);
        list_append(&now, node);
    }
    while (!list_empty(&now))
        session_resume(session_of_queue_node(list_first(&now)));
    move_line(w);
    free_dead(w);
    if (w->stopping && list_empty(&w->sessions))
        event_base_loopbreak(w->base);
}

/* ---- what is known of the servers ---- */

static void resume_held(struct worker *w, bool (*waits)(struct worker *, struct session *))
{
    struct list held;
    list_init(&held);
    LIST_EACH (&w->held, node, following) {
        if (waits(w, session_of_queue_node(node)))
            continue;
        list_remove(node);
        list_append(&held, node);
    }
    while (!list_empty(&held))
        session_resume(session_of_queue_node(list_first(&held)));
}

static bool waits_unless_for_dialect(struct worker *w, struct session *s)
{
    (void)w;
    return !session_waits_for_dialect(s);
}

static bool waits_for_refresh(struct worker *w, struct session *s)
{
    return session_waits_for_dialect(s) || session_waits_for_refresh(s, w->placement_serial, w->now_ms);
}

bool worker_learn_version(struct worker *w, struct slice version, const struct dialect *dialect)
{
    struct dialect before = w->dialect;
    if (!w->dialect_known) {
        w->dialect = *dialect;
    } else if (!dialect_join(&w->dialect, dialect)) {
        log_error("worker", "a shard runs %.*s, another flavour than the others", (int)version.len,
                  version.data);
        return false;
    }
    if (!w->dialect_known || !dialect_eq(&before, &w->dialect))
        plan_cache_clear(w->plans);
    w->dialect_known = true;
    const char *seen = atomic_load(&w->fleet->server_version);
    if (!seen || !slice_eq(slice_cstr(seen), version))
        fleet_see_version(w->fleet, version);
    return true;
}

void worker_probe(struct worker *w)
{
    const struct topology *topology = w->deployment->topology;
    if (w->probes_open || topology->config->account_count == 0)
        return;
    w->probes_open = 1; /* so that failures at once do not end it early */
    for (uint32_t i = 0; i < topology_server_count(topology); i++)
        if (pool_open_probe(pool_get(w, w->deployment, &w->deployment->accounts[0], i, 0, 0)))
            w->probes_open++;
    worker_probe_ended(w);
}

void worker_probe_ended(struct worker *w)
{
    if (--w->probes_open == 0 || w->dialect_known)
        event_active(w->on_probed, EV_TIMEOUT, 0);
}

static void on_probed(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    resume_held(context, waits_unless_for_dialect);
}

/* ---- messages ---- */

struct accept_message {
    struct message message;
    int fd;
    struct arrival arrival;
};

static void deliver_accept(struct message *m, void *context)
{
    struct accept_message *a = (struct accept_message *)m;
    struct worker *w = context;
    if (w->stopping) {
        close(a->fd);
        atomic_fetch_sub(&w->fleet->connections, 1);
    } else {
        session_create(w, io_of_socket(w->base, a->fd), &a->arrival);
    }
    mem_free(a);
}

void worker_accept(struct worker *w, int fd, const struct arrival *arrival)
{
    struct accept_message *a = mem_new(struct accept_message);
    a->message.deliver = deliver_accept;
    a->fd = fd;
    a->arrival = *arrival;
    mailbox_post(&w->mailbox, &a->message);
}

struct deploy_message {
    struct message message;
    struct deployment *deployment; /* one reference; NULL: only tenants */
    struct tenant_map *tenants;    /* one reference */
    uint64_t serial;
};

static void take_deployment(struct worker *w, struct deployment *d)
{
    deployment_release(w->deployment);
    w->deployment = d;
    plan_cache_clear(w->plans);
    for (struct pool *p = w->pools, *following; p; p = following) {
        following = p->hh.next;
        pool_retire(p);
    }
    worker_clean_later(w);
}

static void deliver_deploy(struct message *m, void *context)
{
    struct deploy_message *d = (struct deploy_message *)m;
    struct worker *w = context;
    if (d->deployment)
        take_deployment(w, d->deployment);
    tenant_map_release(w->tenants);
    w->tenants = d->tenants;
    if (d->serial > w->placement_serial)
        w->placement_serial = d->serial;
    w->now_ms = w->clock();
    resume_held(w, waits_for_refresh);
    mem_free(d);
}

void worker_deploy(struct worker *w, struct deployment *d, struct tenant_map *tenants,
                   uint64_t serial)
{
    struct deploy_message *m = mem_new(struct deploy_message);
    m->message.deliver = deliver_deploy;
    m->deployment = d ? deployment_acquire(d) : NULL;
    m->tenants = tenant_map_acquire(tenants);
    m->serial = serial;
    mailbox_post(&w->mailbox, &m->message);
}

struct kill_message {
    struct message message;
    uint32_t session;
    bool statement_only;
};

static void deliver_kill(struct message *m, void *context)
{
    struct kill_message *k = (struct kill_message *)m;
    struct worker *w = context;
    struct session *s = worker_find_session(w, k->session);
    if (s)
        session_on_kill(s, k->statement_only);
    mem_free(k);
}

void worker_kill(struct worker *w, uint32_t session, bool statement_only)
{
    struct kill_message *k = mem_new(struct kill_message);
    k->message.deliver = deliver_kill;
    k->session = session;
    k->statement_only = statement_only;
    mailbox_post(&w->mailbox, &k->message);
}

static void deliver_drain(struct message *m, void *context)
{
    struct worker *w = context;
    w->draining = true;
    each_session(w, session_end_if_idle);
    mem_free(m);
}

static void deliver_stop(struct message *m, void *context)
{
    struct worker *w = context;
    w->stopping = true;
    each_session(w, session_kill);
    worker_clean_later(w);
    mem_free(m);
}

static void post(struct worker *w, void (*deliver)(struct message *, void *))
{
    struct message *m = mem_new(struct message);
    m->deliver = deliver;
    mailbox_post(&w->mailbox, m);
}

static void deliver_schema_changed(struct message *m, void *context)
{
    struct worker *w = context;
    plan_cache_forget_answers(w->plans);
    mem_free(m);
}

void worker_schema_changed(struct worker *w)
{
    plan_cache_forget_answers(w->plans);
    for (uint32_t i = 0; i < w->fleet->worker_count; i++)
        if (&w->fleet->workers[i] != w)
            post(&w->fleet->workers[i], deliver_schema_changed);
}

void worker_drain(struct worker *w)
{
    post(w, deliver_drain);
}

void worker_stop(struct worker *w)
{
    post(w, deliver_stop);
}

/* A place for a backend is asked for (asker is set) or given. */
struct place_message {
    struct message message;
    struct deployment *deployment; /* one reference */
    uint32_t shard;
    struct worker *asker;
};

static void deliver_place(struct message *m, void *context)
{
    struct place_message *p = (struct place_message *)m;
    struct worker *w = context;
    /* At the end nobody needs places any more, and the asker may be gone. */
    if (!w->stopping && p->asker)
        pool_yield_place(w, NULL, p->deployment, p->shard, p->asker);
    else if (!w->stopping)
        pool_accept_place(w, p->deployment, p->shard);
    deployment_release(p->deployment);
    mem_free(p);
}

static void post_place(struct worker *w, struct deployment *d, uint32_t shard, struct worker *asker)
{
    struct place_message *m = mem_new(struct place_message);
    m->message.deliver = deliver_place;
    m->deployment = deployment_acquire(d);
    m->shard = shard;
    m->asker = asker;
    mailbox_post(&w->mailbox, &m->message);
}

void worker_ask_place(struct worker *w, struct deployment *d, uint32_t shard, struct worker *asker)
{
    post_place(w, d, shard, asker);
}

void worker_give_place(struct worker *w, struct deployment *d, uint32_t shard)
{
    post_place(w, d, shard, NULL);
}

static void on_mail(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct worker *w = context;
    w->now_ms = w->clock();
    mailbox_deliver(&w->mailbox, w);
}

/* ---- time ---- */

static void on_tick(evutil_socket_t fd, short what, void *context)
{
    (void)fd;
    (void)what;
    struct worker *w = context;
    w->now_ms = w->clock();
    atomic_fetch_add(&w->fleet->statements, w->statements);
    w->statements = 0;
    for (struct pool *p = w->pools, *following; p; p = following) {
        following = p->hh.next;
        pool_tick(p);
    }
    LIST_EACH (&w->slowed, node, following)
        session_try_answer(session_of_queue_node(node));
    resume_held(w, waits_for_refresh);
    move_line(w);
    if (w->draining)
        each_session(w, session_end_if_idle);
    if (w->now_ms - w->sessions_ticked_ms < SECOND_MS)
        return;
    w->sessions_ticked_ms = w->now_ms;
    each_session(w, session_tick);
}

/* ---- life ---- */

/* Until a shard was seen. */
static struct dialect assumed_dialect(const struct config *config)
{
    struct dialect d = dialect_default();
    if (config->server_version)
        (void)dialect_of_version(slice_cstr(config->server_version), &d);
    return d;
}

bool worker_init(struct worker *w, uint32_t number, struct fleet *fleet,
                 struct deployment *deployment, struct tenant_map *tenants)
{
    *w = (struct worker){ .number = number, .fleet = fleet, .connect = io_connect, .clock = clock_monotonic_ms };
    if (!mailbox_init(&w->mailbox))
        return false;
    w->base = event_base_new();
    if (!w->base)
        return false;
    w->deployment = deployment_acquire(deployment);
    w->tenants = tenant_map_acquire(tenants);
    w->dialect = assumed_dialect(deployment->topology->config);
    list_init(&w->sessions);
    list_init(&w->held);
    list_init(&w->slowed);
    list_init(&w->line);
    list_init(&w->dying);
    list_init(&w->dead_backends);
    list_init(&w->runnable);
    w->plans = plan_cache_create(PLAN_CACHE_BYTES);
    w->findings = findings_create();
    w->interned = intern_table_create();
    buf_init(&w->relay);
    buf_init(&w->joined);
    arena_init(&w->arena);
    w->now_ms = w->clock();
    w->on_mail = event_new(w->base, w->mailbox.wake, EV_READ | EV_PERSIST, on_mail, w);
    w->on_tick = event_new(w->base, -1, EV_PERSIST, on_tick, w);
    w->on_cleanup = event_new(w->base, -1, 0, on_cleanup, w);
    w->on_probed = event_new(w->base, -1, 0, on_probed, w);
    struct timeval tick = { .tv_usec = TICK_MS * 1000 };
    event_add(w->on_mail, NULL);
    event_add(w->on_tick, &tick);
    return true;
}

void worker_run(struct worker *w)
{
    worker_probe(w);
    event_base_dispatch(w->base);
}

void worker_fini(struct worker *w)
{
    w->stopping = true;
    mailbox_fini(&w->mailbox, w);
    for (struct pool *p = w->pools; p; p = p->hh.next)
        pool_kill_all(p);
    free_dead(w);
    event_free(w->on_mail);
    event_free(w->on_tick);
    event_free(w->on_cleanup);
    event_free(w->on_probed);
    event_base_free(w->base);
    plan_cache_destroy(w->plans);
    findings_destroy(w->findings);
    intern_table_destroy(w->interned);
    buf_fini(&w->relay);
    buf_fini(&w->joined);
    arena_fini(&w->arena);
    tenant_map_release(w->tenants);
    deployment_release(w->deployment);
}
